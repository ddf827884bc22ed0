/**
 * Every refusal that a caller can receive, with its HTTP status. Codes are public: add freely, never rename or reuse
 * one.
 */
export const refusals = {
  BAD_REQUEST: 400,
  PATCH_NOT_ALLOWED: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  SANDBOX_ONLY: 403,
  CUSTOMER_NOT_ACTIVE: 403,
  PAYMENT_METHOD_NOT_AVAILABLE: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  DUPLICATE_PAYMENT_ACCOUNT: 409,
  EXTERNAL_ID_ALREADY_USED: 409,
  PAYMENT_ACCOUNT_IN_USE: 409,
  IDEMPOTENCY_REQUEST_IN_PROGRESS: 409,
  QUOTE_EXPIRED: 409,
  QUOTE_ALREADY_USED: 409,
  TRANSACTION_NOT_CANCELLABLE: 409,
  GONE: 410,
  CUSTOMER_ERASED: 410,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  INSUFFICIENT_BALANCE: 422,
  AMOUNT_BELOW_MINIMUM: 422,
  AMOUNT_ABOVE_MAXIMUM: 422,
  UNSUPPORTED_ROUTE: 422,
  POLICY_REFUSED: 422,
  SEARCH_TOO_WIDE: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const

export type RefusalCode = keyof typeof refusals

/** An invalid field of a request, named as the caller wrote it: `trigger.cronSchedule`, `persons[0].email`. */
export type FieldProblem = { field: string; message: string }

/**
 * A refusal is an answer, not a fault: thrown where it is known, turned into JSON in one place (http/answer-errors.ts).
 */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly details: readonly FieldProblem[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: RefusalCode,
    message: string,
    more: { details?: readonly FieldProblem[]; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.details = more.details
    this.headers = more.headers ?? {}
  }

  get statusCode(): number {
    return refusals[this.code]
  }
}

const maxDetails = 500

/** Creates a 400 that lists every invalid field; its message names the first. */
export function badFields(problems: readonly FieldProblem[]): Refusal {
  const shown = problems.slice(0, maxDetails).map(({ field, message }) => ({ field: label(field), message }))
  const omitted = problems.length - shown.length
  const details = omitted > 0 ? [...shown, { field: 'body', message: `has ${omitted} more problems` }] : shown
  const [first] = details
  return new Refusal('BAD_REQUEST', first ? `${first.field} ${first.message}` : 'The request is not valid', { details })
}

/** Shortens a name chosen by the caller, and keeps printable characters only. */
function label(field: string): string {
  return field.replace(/[^\x20-\x7e]/g, '?').slice(0, 128)
}

export function badField(field: string, message: string): Refusal {
  return badFields([{ field, message }])
}

/** Unknown and foreign ids get the same answer, so that callers cannot probe for resources of other organizations. */
export function notFound(): Refusal {
  return new Refusal('NOT_FOUND', 'No resource has this id')
}

/** Tells a wrong address from an unknown id. */
export function noSuchPath(): Refusal {
  const message = 'names no operation of this API; GET /openapi.json lists all paths'
  return new Refusal('NOT_FOUND', `The path ${message}`, { details: [{ field: 'path', message }] })
}

/** Creates a 503 that tells the caller when to retry. */
export function unavailable(message: string, retryAfterSeconds: number): Refusal {
  return new Refusal('SERVICE_UNAVAILABLE', message, { headers: { 'retry-after': String(retryAfterSeconds) } })
}
