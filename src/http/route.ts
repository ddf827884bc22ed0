import type { IncomingHttpHeaders } from 'node:http'
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import type { Tx } from '../db/database.ts'
import type { IdempotentRequest } from '../db/idempotency.ts'
import type { Caller, Scope } from '../lib/caller.ts'
import type { RefusalCode } from '../lib/refusal.ts'
import type { Validated } from '../lib/validated.ts'

/** A customer's own data key: the stored answer ends with it. */
export type AnswerKey = {
  organizationId: string
  dataKeyId: string
  seal(place: { table: string; row: string; column: string }, content: string): Buffer
}

/** Byte for byte: a signature is about bytes. */
export type Received = { headers: IncomingHttpHeaders; bytes: Buffer }

/** What a handler gets. The body is validated when asked for, because a 404 or a wrong state is told before it. */
export type Request<Params, Query, Body, Headers = unknown> = {
  caller: Caller
  /** The caller as of now, for answers that go on for long; undefined once the credential would be refused. */
  findCaller(): Promise<Caller | undefined>
  params: Params
  query: Query
  /** Those that the route declares. */
  headers: Headers
  readBody(): Body
  /** For those who add problems of their own, so that the caller is told all of them at once. */
  inspectBody(): Validated<Body>
  /**
   * Runs the effect of a POST in one transaction, together with the caller's idempotency key if there is one. When the
   * key was used before, the effect does not run and the first answer is given again.
   */
  once<Answer, Prepared = undefined>(
    effect: (tx: Tx, prepared: Prepared) => Promise<Answer>,
    /** What must not happen inside a transaction: checks that take long, files, other services. Not run for a replay. */
    prepare?: () => Promise<Prepared>,
    /** Whose key seals the stored answer, when it tells who somebody is. */
    keyOf?: (prepared: Prepared) => AnswerKey | undefined,
  ): Promise<Answer>
  /**
   * For a POST whose effect keeps the key by itself, in one statement with everything else, and answers JSON text. A
   * request without a key is refused.
   */
  byKey(run: (request: IdempotentRequest) => Promise<{ answer: string; isReplay: boolean }>): Promise<unknown>
  requestId: string
  /** What came to a secret address, or with a signature that the handler checks before it reads the body, as it came. */
  received(): Received
  /** Where the request comes from, as far as trusted proxies tell. */
  address: string
  /** The client id of HTTP Basic credentials; only where client credentials are taken. */
  claimedClientId: string | undefined
}

/**
 * A scope; or anybody; or whoever sends client credentials, which the body may hold; or whoever signs the body; or
 * whoever knows the address, whose last part is as good as a credential.
 */
export type Access = Scope | 'public' | 'client credentials' | 'signature' | 'secret address'

/** One HTTP operation: the single source of its routing, validation, types and documentation. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  access: Access
  /** Of a secret address: whether this is one. Asked before anything of the body is read. */
  isKnown?(params: Record<string, string>): Promise<boolean>
  sandboxOnly: boolean
  /** Asked by infrastructure: answers over plain http too; metrics from allowed addresses only. */
  probe?: 'health' | 'metrics'
  tag: string
  summary: string
  description?: string
  params: TObject
  query: TObject
  /** Headers that mean something to this operation alone, in lower case. */
  headers: TObject
  body: TObject | undefined
  answer: { status: 200 | 201; description: string; schema: TSchema; mediaType?: string }
  /** Fields of the answer that are shown once and never stored. */
  secrets: readonly string[]
  /** The effect is a single statement, and so a transaction by itself: without an idempotency key it needs no other. */
  isOneStatement: boolean
  needsIdempotencyKey: boolean
  refusals: readonly RefusalCode[]
  /** Answers what becomes JSON, or is JsonText already; or a stream, whose media type the route declares. */
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
  | 'isOneStatement'
  | 'needsIdempotencyKey'
> & {
  params?: Params
  query?: Query
  headers?: Headers
  body?: Body
  sandboxOnly?: boolean
  secrets?: readonly string[]
  isOneStatement?: boolean
  needsIdempotencyKey?: boolean
  /** What this operation refuses beside what every operation does (see openapi.ts). */
  refusals?: readonly RefusalCode[]
  handle(request: Request<Static<Params>, Static<Query>, Static<Body>, Static<Headers>>): Promise<unknown>
}

const anything = Type.Object({})
const nothing = Type.Object({}, { additionalProperties: false })

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
    isOneStatement: declared.isOneStatement ?? false,
    needsIdempotencyKey: declared.needsIdempotencyKey ?? false,
    params: declared.params ?? nothing,
    // Whoever probes may add what it likes to keep caches away.
    query: declared.query ?? (declared.probe ? anything : nothing),
    headers: declared.headers ?? anything,
    body: declared.body,
    refusals: declared.refusals ?? [],
    handle: declared.handle as Route['handle'],
  }
}

const withoutKeys: readonly Access[] = ['client credentials', 'signature', 'secret address']

/** Every POST of an organization honours an idempotency key, but the one that makes tokens. */
export function honoursIdempotencyKey({ method, access }: Route): boolean {
  return method === 'POST' && !withoutKeys.includes(access)
}
