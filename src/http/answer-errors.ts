import type { FastifyBaseLogger } from 'fastify'
import { isDatabaseAway } from '../db/database.ts'
import { Refusal, type RefusalCode, unavailable } from '../lib/refusal.ts'
import type { ErrorBody } from './wire.ts'

export type ErrorAnswer = { statusCode: number; headers: Readonly<Record<string, string>>; body: ErrorBody }

/** The one place where a thrown thing becomes an answer. What is not a refusal is a fault: logged, never shown. */
export function answerError(error: unknown, requestId: string, log: FastifyBaseLogger): ErrorAnswer {
  const refusal = toRefusal(error)
  // An inbox of the sandbox may have been told to answer so: that is no fault.
  if (refusal.code === 'INTERNAL_ERROR' && refusal !== error) log.error({ err: error }, 'a request failed')
  return {
    statusCode: refusal.statusCode,
    headers: refusal.headers,
    body: {
      error: refusal.code,
      message: refusal.message,
      statusCode: refusal.statusCode,
      requestId,
      ...(refusal.details ? { details: refusal.details.map((detail) => ({ ...detail })) } : {}),
    },
  }
}

function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (isDatabaseAway(error)) return unavailable('The database is away for a moment; try again', 1)
  const status = (error as { statusCode?: unknown } | null)?.statusCode
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new Refusal(frameworkCodes[status] ?? 'BAD_REQUEST', 'The request could not be read')
  }
  return new Refusal('INTERNAL_ERROR', 'Something went wrong on our side; the request id helps us find it')
}

const frameworkCodes: Record<number, RefusalCode> = {
  404: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
}
