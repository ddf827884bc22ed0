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

export const maxInboxes = 10
export const requestsKept = 100

/** The size limit of a page: four requests of the largest size. */
export const maxPageBytes = 4_400_000

/** A stored request with its content sealed. */
export type StoredRequest = {
  number: string
  receivedAt: Date
  eventId: string | null
  dataKeyId: string
  sealedRequest: Buffer | null
  signature: SignatureCheck
  answeredStatus: number
}

/** The received headers and body; headers that hold a credential are masked. */
export type Content = { headers: Record<string, string>; body: Buffer }

/** A request with its content opened; undefined when it concerned an erased customer. */
export type ReceivedRequest = Omit<StoredRequest, 'dataKeyId' | 'sealedRequest'> & { content: Content | undefined }

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
  try {
    const { id } = JSON.parse(body.toString('utf8')) as { id?: unknown }
    return typeof id === 'string' ? id : undefined
  } catch {
    return undefined
  }
}
