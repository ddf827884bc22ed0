import { createHash } from 'node:crypto'
import { signatureHeaders } from '../../lib/standard-webhooks.ts'
import type {
  DecidedStatus,
  ProviderAnswer,
  ProviderDocument,
  ProviderIssue,
  ProviderSubmission,
  SubmitResult,
  VerificationProvider,
} from '../../verification/provider/provider.ts'
import type { OutboundAnswer, OutboundHttp } from '../outbound-http.ts'

export type HttpProviderOptions = {
  http: OutboundHttp
  /** The address of the provider or of a bridge to it. docs/verification-provider.md describes the protocol. */
  url: string
  /** The current secret first. Each one signs every request. */
  secrets: readonly Buffer[]
  timeoutMs?: number
}

const decidedStatuses: Record<DecidedStatus, true> = { APPROVED: true, NEEDS_INFORMATION: true, NEEDS_REVIEW: true }
const largestAnswer = 65_536
const mostIssues = 200
/** A document is up to 14 MB as text, which takes a minute on a slow line. */
const slowestBytesPerMs = 256

/** Calls a provider that speaks the protocol of docs/verification-provider.md. */
export function createHttpProvider(options: HttpProviderOptions): VerificationProvider {
  const { http, url, secrets, timeoutMs: baseTimeoutMs = 15_000 } = options
  const call = (method: 'GET' | 'PUT', path: string, id: string, content?: object): Promise<OutboundAnswer> => {
    const body = content && JSON.stringify(content)
    const headers = {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...signatureHeaders(secrets, id, new Date(), body ?? ''),
    }
    return http.send({
      url: `${url}/verifications/${path}`,
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      policy: { kind: 'operator' },
      timeoutMs: baseTimeoutMs + Math.ceil((body?.length ?? 0) / slowestBytesPerMs),
      maxAnswerBytes: largestAnswer,
    })
  }

  /** Sends one document as base64 text, which webhook libraries can verify. All of them together may be 100 MB. */
  const sendDocument = async (reference: string, { documentId, mediaType, read }: ProviderDocument) => {
    const bytes = await read()
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const described = { documentId, mediaType, byteLength: bytes.length, sha256 }
    const content = { reference, ...described, content: bytes.toString('base64') }
    const path = `${reference}/documents/${documentId}`
    return { described, sent: submitResultOf(await call('PUT', path, `${reference}.${documentId}`, content)) }
  }

  return {
    submit: async (reference: string, submission: ProviderSubmission): Promise<SubmitResult> => {
      const { customerType, profile, identity } = submission
      const documents: object[] = []
      for (const document of submission.documents) {
        const { sent, described } = await sendDocument(reference, document)
        if (sent.outcome !== 'accepted') return sent
        documents.push(described)
      }
      const content = { reference, customerType, profile, ...identity, documents }
      return submitResultOf(await call('PUT', reference, reference, content))
    },

    poll: async (reference: string): Promise<ProviderAnswer> =>
      answerOf(reference, await call('GET', reference, `${reference}.ask`)),
  }
}

// With these statuses the provider rejects the content for good. Other failures, even a wrong secret, may be temporary.
const finalRefusals = [400, 413, 415, 422]

function submitResultOf(answer: OutboundAnswer): SubmitResult {
  if (!answer.ok) return { outcome: 'unknown', reason: `the submission could not be sent (${answer.kind})` }
  if (answer.status >= 200 && answer.status < 300) return { outcome: 'accepted' }
  const outcome = finalRefusals.includes(answer.status) ? 'refused' : 'unknown'
  return { outcome, reason: `the provider answered the submission with ${answer.status}` }
}

function answerOf(reference: string, answer: OutboundAnswer): ProviderAnswer {
  const noAnswer = (reason: string): ProviderAnswer => ({ outcome: 'no answer', reason })
  if (!answer.ok) return noAnswer(`the poll failed (${answer.kind})`)
  const body = answer.truncated ? undefined : readObject(answer.body)
  // A wrong address or a proxy answers 404 too, and must not make Svc submit everything a second time.
  if (answer.status === 404 && body?.error === 'UNKNOWN_REFERENCE') return { outcome: 'unknown reference' }
  if (answer.status !== 200) return noAnswer(`the provider answered the poll with ${answer.status}`)
  if (!body) return noAnswer('the answer is not a JSON object, or is too long')
  if (body.reference !== reference) return noAnswer('the answer is about another reference')
  const { status } = body
  if (status === 'PENDING') return { outcome: 'pending' }
  if (typeof status !== 'string' || !isDecided(status)) {
    return { outcome: 'pending', reason: 'the answer has an unknown status' }
  }
  const issues = readIssues(body.issues ?? [])
  return issues ? { outcome: 'decided', status, issues } : noAnswer('the issues of the answer cannot be read')
}

function isDecided(status: string): status is DecidedStatus {
  return Object.hasOwn(decidedStatuses, status)
}

function readObject(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function readIssues(value: unknown): ProviderIssue[] | undefined {
  if (!Array.isArray(value) || value.length > mostIssues) return undefined
  const issues = value.flatMap((each: { code?: unknown; field?: unknown } | null): ProviderIssue[] => {
    if (typeof each?.code !== 'string') return []
    return [{ code: each.code, ...(typeof each.field === 'string' ? { field: each.field } : {}) }]
  })
  return issues.length === value.length ? issues : undefined
}
