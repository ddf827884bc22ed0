import type { FastifyBaseLogger } from 'fastify'
import { isDatabaseUnavailable } from '../db/database.ts'
import { Refusal, type RefusalCode, unavailable } from '../lib/refusal.ts'
import type { ErrorBody } from './wire.ts'

export type ErrorAnswer = { statusCode: number; headers: Readonly<Record<string, string>>; body: ErrorBody }

/**
 * Turns every thrown error into an answer. An error that is not a refusal is a fault: it is logged, and its text is not
 * shown.
 */
export function answerError(error: unknown, requestId: string, log: FastifyBaseLogger): ErrorAnswer {
  const refusal = toRefusal(error)
  // A sandbox inbox may be set to answer 500: that is not a fault.
  if (refusal.code === 'INTERNAL_ERROR' && refusal !== error) log.error({ requestId, err: error }, 'a request failed')
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
  if (isDatabaseUnavailable(error)) return unavailable('The database is temporarily unavailable; try again', 1)
  const status = (error as { statusCode?: unknown } | null)?.statusCode
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new Refusal(
      frameworkCodes[status] ?? 'BAD_REQUEST',
      'The request cannot be read; check its address, headers and body',
    )
  }
  return new Refusal(
    'INTERNAL_ERROR',
    'The service failed to process the request; quote the requestId in a support request',
  )
}

const frameworkCodes: Record<number, RefusalCode> = {
  404: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
}
