import { createHash } from 'node:crypto'
import { signatureHeaders } from '../../lib/standard-webhooks.ts'
import type {
  DecidedStatus,
  ProviderAnswer,
  ProviderDocument,
  ProviderIssue,
  ProviderSubmission,
  Sending,
  VerificationProvider,
} from '../../verification/ports.ts'
import type { OutboundAnswer, OutboundHttp, OutboundRequest } from '../outbound-http.ts'

export type HttpProviderOptions = {
  http: OutboundHttp
  /** Of the provider, or of the bridge to it; see docs/verification-provider.md for what it answers. */
  url: string
  /** The first is the current one; requests are signed with each. */
  secrets: readonly Buffer[]
  timeoutMs?: number
}

const decidedStatuses: Record<DecidedStatus, true> = { APPROVED: true, NEEDS_INFORMATION: true, NEEDS_REVIEW: true }
const largestAnswer = 65_536
const mostIssues = 200

/** A provider that speaks the protocol of docs/verification-provider.md. */
export function makeHttpProvider({
  http,
  url,
  secrets,
  timeoutMs = 15_000,
}: HttpProviderOptions): VerificationProvider {
  type Call = { method: 'GET' | 'PUT'; path: string; id: string; mediaType?: string; body?: string | Buffer }
  const call = ({ method, path, id, mediaType, body }: Call): Promise<OutboundAnswer> => {
    const request: OutboundRequest = {
      ...{ url: `${url}/verifications/${path}`, method, timeoutMs, maxAnswerBytes: largestAnswer },
      headers: {
        accept: 'application/json',
        ...(mediaType ? { 'content-type': mediaType } : {}),
        ...signatureHeaders(secrets, id, new Date(), body ?? ''),
      },
      ...(body === undefined ? {} : { body }),
      policy: { kind: 'operator' },
    }
    return http.send(request)
  }

  /** One by one, so that a submission of 100 MB never lies in memory as a whole. */
  const sendDocument = async (reference: string, { documentId, mediaType, read }: ProviderDocument) => {
    const body = await read()
    const path = `${reference}/documents/${documentId}`
    const sent = sendingOf(await call({ method: 'PUT', path, id: `${reference}.${documentId}`, mediaType, body }))
    const sha256 = createHash('sha256').update(body).digest('hex')
    return { sent, described: { documentId, mediaType, byteLength: body.length, sha256 } }
  }

  return {
    submit: async (reference: string, submission: ProviderSubmission): Promise<Sending> => {
      const { customerType, profile, identity } = submission
      const documents: object[] = []
      for (const document of submission.documents) {
        const { sent, described } = await sendDocument(reference, document)
        if (sent.outcome !== 'accepted') return sent
        documents.push(described)
      }
      const body = JSON.stringify({ reference, customerType, profile, ...identity, documents })
      return sendingOf(
        await call({ method: 'PUT', path: reference, id: reference, mediaType: 'application/json', body }),
      )
    },

    ask: async (reference: string): Promise<ProviderAnswer> =>
      answerOf(reference, await call({ method: 'GET', path: reference, id: `${reference}.ask` })),
  }
}

// The provider has looked at what was sent and will never take it. Everything else may pass: a wrong secret too.
const finalRefusals = [400, 413, 415, 422]

function sendingOf(answer: OutboundAnswer): Sending {
  if (!answer.ok) return { outcome: 'unknown', reason: `sending failed (${answer.kind})` }
  if (answer.status >= 200 && answer.status < 300) return { outcome: 'accepted' }
  const outcome = finalRefusals.includes(answer.status) ? 'refused' : 'unknown'
  return { outcome, reason: `sending was answered with ${answer.status}` }
}

function answerOf(reference: string, answer: OutboundAnswer): ProviderAnswer {
  const noAnswer = (reason: string): ProviderAnswer => ({ outcome: 'no answer', reason })
  if (!answer.ok) return noAnswer(`asking failed (${answer.kind})`)
  const body = answer.truncated ? undefined : readObject(answer.body)
  // A wrong address or a proxy says 404 as well, and must not make us send everything once more.
  if (answer.status === 404 && body?.error === 'UNKNOWN_REFERENCE') return { outcome: 'unknown reference' }
  if (answer.status !== 200) return noAnswer(`asking was answered with ${answer.status}`)
  if (!body) return noAnswer('the answer is not JSON of a sensible length')
  if (body.reference !== reference) return noAnswer('the answer is about another reference')
  const { status } = body
  if (status === 'PENDING') return { outcome: 'pending' }
  if (typeof status !== 'string' || !isDecided(status)) {
    return { outcome: 'pending', reason: 'the answer has a status that we do not know' }
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
