import type { Posted } from '../ports.ts'

/** What an attempt came to. Public: add freely, never rename or reuse one. */
export const outcomes = [
  'DELIVERED', // a 2xx
  'REJECTED', // any other status, redirects among them
  'TIMEOUT', // no whole answer in time
  'UNREACHABLE', // no address, no connection, or no certificate that can be trusted
  'RESET', // the connection ended before the answer did
  'INVALID_ANSWER', // not HTTP
  'BLOCKED', // an address that may not be called
  'ERASED', // the event told about a customer who was erased since; nothing was sent
  'UNREADABLE', // the stored event cannot be opened: a fault of ours; nothing was sent
] as const
export type Outcome = (typeof outcomes)[number]

const ofFailure: Record<string, Outcome> = {
  timeout: 'TIMEOUT',
  unreachable: 'UNREACHABLE',
  reset: 'RESET',
  'invalid answer': 'INVALID_ANSWER',
  'invalid request': 'BLOCKED',
  refused: 'BLOCKED',
}

/** Undefined when nothing was tried: this process is stopping, or has no connection to spare. */
export function outcomeOf(posted: Posted): Outcome | undefined {
  if (!posted.ok) return ofFailure[posted.kind]
  return posted.status >= 200 && posted.status < 300 ? 'DELIVERED' : 'REJECTED'
}

/** Why an event that is stored cannot be sent. It says nothing about the address. */
export type Unsendable = Extract<Outcome, 'ERASED' | 'UNREADABLE'>

export const unsendableReasons: Record<Unsendable, string> = {
  ERASED: 'The customer this event tells about was erased',
  UNREADABLE: 'The stored event cannot be read',
}

/** RFC 9110, section 15.5.11: whoever says 410 does not want to be asked again. */
export function saysGone(posted: Posted): boolean {
  return posted.ok && posted.status === 410
}
