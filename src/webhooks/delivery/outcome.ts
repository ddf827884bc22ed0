import type { Posted } from '../ports.ts'

/** The results of an attempt. Public: add freely, never rename or reuse one. */
export const outcomes = [
  'DELIVERED', // a 2xx
  'REJECTED', // any other status, including redirects
  'TIMEOUT', // no complete response in time
  'UNREACHABLE', // the name did not resolve, the connection failed, or the certificate is not trusted
  'RESET', // the connection ended before the response was complete
  'INVALID_ANSWER', // the response was not HTTP
  'BLOCKED', // an address that Svc must not call
  'ERASED', // the event's customer was erased before the attempt; nothing was sent
  'FORBIDDEN', // the key of the webhook may not read the event's type; nothing was sent
  'UNREADABLE', // the stored event cannot be opened, a fault of Svc; nothing was sent
] as const
export type Outcome = (typeof outcomes)[number]

const failureOutcomes: Record<string, Outcome> = {
  timeout: 'TIMEOUT',
  unreachable: 'UNREACHABLE',
  reset: 'RESET',
  'invalid answer': 'INVALID_ANSWER',
  'invalid request': 'BLOCKED',
  refused: 'BLOCKED',
}

/** Reads the outcome of an attempt; undefined when no request was made, such as while this process stops. */
export function outcomeOf(posted: Posted): Outcome | undefined {
  if (!posted.ok) return failureOutcomes[posted.kind]
  return posted.status >= 200 && posted.status < 300 ? 'DELIVERED' : 'REJECTED'
}

/** Reasons why a stored event cannot be sent. They say nothing about the endpoint. */
export type Unsendable = Extract<Outcome, 'ERASED' | 'FORBIDDEN' | 'UNREADABLE'>

export const unsendableReasons: Record<Unsendable, string> = {
  ERASED: 'The customer of this event was erased',
  FORBIDDEN: 'The key of the webhook may not read this type of event',
  UNREADABLE: 'The stored event cannot be read',
}

/** RFC 9110, section 15.5.11: after 410 Gone the sender should stop its requests for good. */
export function isGone(posted: Posted): boolean {
  return posted.ok && posted.status === 410
}
