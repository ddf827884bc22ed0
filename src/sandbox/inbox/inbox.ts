import type { SignatureCheck } from './signature.ts'

/** What an inbox can be told to answer, so that one can watch what a sender does then. */
export const answerStatuses = [200, 400, 410, 429, 500, 503] as const
export type AnswerStatus = (typeof answerStatuses)[number]

export type Inbox = {
  organizationId: string
  inboxId: string
  dataKeyId: string
  sealedSecret: Buffer | null
  answerStatus: AnswerStatus
  /** A text, because the database counts further than a JS number. */
  received: string
  createdAt: Date
}

export const mostInboxes = 10
export const requestsKept = 100

/** A page holds no more than this, and so fewer requests than it might: four of the largest. */
export const mostPageBytes = 4_400_000

/** What is known of a request without opening it. */
export type StoredRequest = {
  number: string
  receivedAt: Date
  eventId: string | null
  dataKeyId: string
  sealedRequest: Buffer | null
  signature: SignatureCheck
  answeredStatus: number
}

/** As it came, but for headers that hold a credential. */
export type Content = { headers: Record<string, string>; body: Buffer }

/** `content` is undefined when it was about a customer who has been erased. */
export type ReceivedRequest = Omit<StoredRequest, 'dataKeyId' | 'sealedRequest'> & { content: Content | undefined }

const credentialHeaders = new Set(['authorization', 'proxy-authorization', 'cookie'])

/** Somebody's credential that was sent here by mistake is not kept. */
export function headersToKeep(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const kept = Object.entries(headers).map(([name, value]) => {
    const text = Array.isArray(value) ? value.join(', ') : (value ?? '')
    return [name, credentialHeaders.has(name) ? '[not kept]' : text] as const
  })
  return Object.fromEntries(kept)
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The events that a request says it tells about: by its header, and by its body, which may be a forgery of either. */
export function eventIdsIn({ headers, body }: Content): string[] {
  const ids = [headers['webhook-id'], idInside(body)].filter((id) => id !== undefined && uuid.test(id))
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
