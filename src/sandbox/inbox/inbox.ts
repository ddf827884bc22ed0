import type { EventType } from '../../lib/event-types.ts'
import { isUuid } from '../../lib/ids.ts'
import type { SignatureCheck } from './signature.ts'

/** The statuses that an inbox can answer, so that an integrator can observe the sender's reaction. */
export const answerStatuses = [200, 400, 410, 429, 500, 503] as const
export type AnswerStatus = (typeof answerStatuses)[number]

export type Inbox = {
  organizationId: string
  inboxId: string
  dataKeyId: string
  sealedSecret: Buffer | null
  answerStatus: AnswerStatus
  /** A string, because a bigint of the database exceeds a JS number. */
  received: string
  createdAt: Date
}

export const requestsKept = 100

/** The size limit of a page: four requests of the largest size. */
export const maxPageBytes = 4_400_000

/** A stored request with its content sealed. */
export type StoredRequest = {
  number: string
  receivedAt: Date
  eventId: string | null
  eventType: EventType | null
  dataKeyId: string
  sealedRequest: Buffer | null
  signature: SignatureCheck
  answeredStatus: number
}

/** The received headers and body; headers that hold a credential are masked. */
export type Content = { headers: Record<string, string>; body: Buffer }

/** A request with its content opened; undefined when it is hidden, or concerned an erased customer. */
export type ReceivedRequest = Omit<StoredRequest, 'dataKeyId' | 'sealedRequest' | 'eventType'> & {
  content: Content | undefined
  /** It delivers an event that the caller may not read. */
  isHidden: boolean
}

const credentialHeaders = new Set(['authorization', 'proxy-authorization', 'cookie'])

/** Masks credentials, which a sender may have sent by mistake. */
export function maskCredentials(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const masked = Object.entries(headers).map(([name, value]) => {
    const text = Array.isArray(value) ? value.join(', ') : (value ?? '')
    return [name, credentialHeaders.has(name) ? '[not kept]' : text] as const
  })
  return Object.fromEntries(masked)
}

/** Reads the event ids that a request claims in its header and its body. Both may be forged. */
export function eventIdsIn({ headers, body }: Content): string[] {
  const ids = [headers['webhook-id'], idInside(body)].filter((id) => id !== undefined && isUuid(id))
  return [...new Set(ids.map((id) => String(id).toLowerCase()))]
}

function idInside(body: Buffer): string | undefined {
  const { id } = fieldsIn(body)
  return typeof id === 'string' ? id : undefined
}

/** Reads the value that a sender of webhooks wants back; undefined for every other request. */
export function challengeIn({ body }: Content): string | undefined {
  const { type, challenge } = fieldsIn(body)
  return type === 'webhook.challenge' && typeof challenge === 'string' ? challenge : undefined
}

function fieldsIn(body: Buffer): { id?: unknown; type?: unknown; challenge?: unknown } {
  try {
    const fields: unknown = JSON.parse(body.toString('utf8'))
    return typeof fields === 'object' && fields !== null ? fields : {}
  } catch {
    return {}
  }
}
