import type { IncomingHttpHeaders } from 'node:http'
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import type { Tx } from '../db/database.ts'
import type { IdempotentRequest } from '../db/idempotency.ts'
import type { Caller, Scope } from '../lib/caller.ts'
import type { RefusalCode } from '../lib/refusal.ts'
import type { Validated } from '../lib/validated.ts'
import type { RouteWork } from './admission/work.ts'

/** The data key of a customer: it seals the stored answer, so that erasing the customer erases the answer. */
export type AnswerKey = {
  organizationId: string
  dataKeyId: string
  seal(place: { table: string; row: string; column: string }, content: string): Buffer
}

/** A request with the exact bytes of its body, over which a signature is computed. */
export type Received = { headers: IncomingHttpHeaders; bytes: Buffer }

/** The input of a handler. The body is validated on demand, because a 404 or a wrong state takes precedence. */
export type Request<Params, Query, Body, Headers = unknown> = {
  caller: Caller
  /** Authenticates the caller anew, for long streams; undefined when the credential is no longer valid. */
  findCaller(): Promise<Caller | undefined>
  params: Params
  query: Query
  /** The headers that the route declares. */
  headers: Headers
  readBody(): Body
  /** Lets a handler add its own problems, so that one answer lists all of them. */
  inspectBody(): Validated<Body>
  /**
   * Runs the effect of a POST in one database transaction, together with the caller's idempotency key if there is one.
   * When the key was used before, the effect does not run and the caller gets the first answer.
   */
  once<Answer, Prepared = undefined>(
    effect: (tx: Tx, prepared: Prepared) => Promise<Answer>,
    /**
     * Runs before the database transaction: slow checks, files, other services. Does not run for a replay. The request
     * key is the same for every repetition of a request with an idempotency key, also after a crash.
     */
    prepare?: (requestKey: string) => Promise<Prepared>,
    /** The key that seals the stored answer when it holds personal data. */
    keyOf?: (prepared: Prepared) => AnswerKey | undefined,
  ): Promise<Answer>
  /**
   * Runs a POST whose effect stores the idempotency key itself, in its one statement, and answers JSON text. Refuses a
   * request without a key.
   */
  byKey(run: (request: IdempotentRequest) => Promise<{ answer: string; isReplay: boolean }>): Promise<unknown>
  /** The same for a route that also takes requests without a key. */
  withKey(
    run: (request: IdempotentRequest | undefined) => Promise<{ answer: string; isReplay: boolean }>,
  ): Promise<unknown>
  requestId: string
  /** The raw request, for secret addresses and for signatures that the handler checks before it reads the body. */
  received(): Received
  /** The client's IP address, as reported by trusted proxies. */
  address: string
  /** The client id of HTTP Basic credentials; only on routes that accept client credentials. */
  claimedClientId: string | undefined
}

/**
 * The credential that a route requires: a scope; none; client credentials, in a header or the body; a signature of the
 * body; or a secret address, whose last segment is the credential.
 */
export type Access = Scope | 'public' | 'client credentials' | 'signature' | 'secret address'

/** One HTTP operation: the single source of its routing, validation, types and documentation. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  access: Access
  /** The scope with which a reviewer's key, or one of the platform, reaches the route instead. */
  reviewerAccess?: Scope
  /** Checks a secret address before the body is read. */
  isKnown?(params: Record<string, string>): Promise<boolean>
  sandboxOnly: boolean
  /** An operation for infrastructure: answers over plain http too; metrics only for allowed addresses. */
  probe?: 'health' | 'metrics'
  /** The cost of a request in its organization's rate limit, beside its page and its body. */
  work?: RouteWork
  tag: string
  summary: string
  description?: string
  params: TObject
  query: TObject
  /** The headers of this operation only, in lower case. */
  headers: TObject
  body: TObject | undefined
  answer: {
    status: 200 | 201
    description: string
    schema: TSchema
    mediaType?: string
    /** The types of a file, one of which the answer has. */
    fileTypes?: readonly string[]
    /** The answer is a KeptAnswer, which a caller that has it already gets as 304 without content. */
    isKept?: true
  }
  /** Fields of the answer that are shown once and never stored. */
  secrets: readonly string[]
  /** Fields of the answer that equal those of the body. They are never stored: a replay copies them from its body. */
  echoes: readonly string[]
  needsIdempotencyKey: boolean
  refusals: readonly RefusalCode[]
  /** Returns a value to serialize, JsonText, JsonRows, a FileAnswer, or a stream whose media type the route declares. */
  handle(request: Request<unknown, unknown, unknown>): Promise<unknown>
}

type Declared<Params extends TObject, Query extends TObject, Body extends TObject, Headers extends TObject> = Omit<
  Route,
  | 'params'
  | 'query'
  | 'headers'
  | 'body'
  | 'handle'
  | 'refusals'
  | 'sandboxOnly'
  | 'secrets'
  | 'echoes'
  | 'needsIdempotencyKey'
> & {
  params?: Params
  query?: Query
  headers?: Headers
  body?: Body
  sandboxOnly?: boolean
  secrets?: readonly string[]
  echoes?: readonly string[]
  needsIdempotencyKey?: boolean
  /** The refusals of this operation, in addition to those of every operation (see openapi.ts). */
  refusals?: readonly RefusalCode[]
  handle(request: Request<Static<Params>, Static<Query>, Static<Body>, Static<Headers>>): Promise<unknown>
}

const anyFields = Type.Object({})
const noFields = Type.Object({}, { additionalProperties: false })

export function route<
  Params extends TObject = TObject<Record<never, never>>,
  Query extends TObject = TObject<Record<never, never>>,
  Body extends TObject = TObject<Record<never, never>>,
  Headers extends TObject = TObject<Record<never, never>>,
>(declared: Declared<Params, Query, Body, Headers>): Route {
  return {
    ...declared,
    sandboxOnly: declared.sandboxOnly ?? false,
    secrets: declared.secrets ?? [],
    echoes: declared.echoes ?? [],
    needsIdempotencyKey: declared.needsIdempotencyKey ?? false,
    params: declared.params ?? noFields,
    // Probes may add any query to bypass caches.
    query: declared.query ?? (declared.probe ? anyFields : noFields),
    headers: declared.headers ?? anyFields,
    body: declared.body,
    refusals: declared.refusals ?? [],
    handle: declared.handle as Route['handle'],
  }
}

const accessWithoutKeys: readonly Access[] = ['client credentials', 'signature', 'secret address']

/** Every POST by an organization honours an idempotency key, except the one that creates tokens. */
export function honoursIdempotencyKey({ method, access }: Route): boolean {
  return method === 'POST' && !accessWithoutKeys.includes(access)
}
