import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fromSource } from '../db/audit/request-source.ts'
import type { Database, Queryable, Tx } from '../db/database.ts'
import { findAnswer, type IdempotentRequest, runOnce, type StoredAnswer } from '../db/idempotency.ts'
import type { Caller } from '../lib/caller.ts'
import { newId } from '../lib/ids.ts'
import { badField, badFields, Refusal } from '../lib/refusal.ts'
import type { Validated } from '../lib/validated.ts'
import { addressOf } from './admission/address.ts'
import { FileAnswer } from './bodies/file-answer.ts'
import { fingerprint } from './bodies/fingerprint.ts'
import { JsonRows } from './bodies/json-rows.ts'
import { JsonText } from './bodies/json-text.ts'
import { KeptAnswer } from './bodies/kept-answer.ts'
import { UnreadableBody } from './bodies/read-body.ts'
import { readJson } from './bodies/signed-body.ts'
import { compileSchema, readQuery } from './bodies/validate.ts'
import { type AnswerKey, honoursIdempotencyKey, type Request, type Route } from './route.ts'

export type HandlerOptions = {
  database: Database
  fingerprintKey: Buffer
  checkAnswers: boolean
  /** Opens a stored answer that was sealed with a customer's key; undefined when the key was destroyed. */
  openAnswer(
    organizationId: string,
    dataKeyId: string,
    place: { table: string; row: string; column: string },
    sealed: Buffer,
  ): Promise<string | undefined>
}

const noCaller: Caller = {
  organizationId: '',
  organizationIds: [],
  tiers: new Map(),
  apiKeyId: '',
  scopes: new Set(),
  requestsPerMinute: 0,
  isToken: false,
  isReviewer: false,
}

/** Ends the request with the stored first answer to its idempotency key. */
class Replay extends Error {
  readonly status: number
  readonly answer: string
  constructor(status: number, answer: string) {
    super('replay')
    this.status = status
    this.answer = answer
  }
}

/** Turns a route into a handler. Validates path, query and headers first, and the body when the handler reads it. */
export function createHandler(route: Route, options: HandlerOptions) {
  const checkParams = compileSchema(route.params)
  const checkQuery = compileSchema(route.query)
  const checkHeaders = compileSchema(route.headers)
  const checkBody = compileSchema(route.body ?? emptyBody)
  const checkAnswer = compileSchema(route.answer.schema)
  const name = `${route.method} ${route.path}`

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const params = orRefuse(checkParams(request.params))
    const query = orRefuse(checkQuery(orRefuse(readQuery(route.query, request.query as Record<string, unknown>))))
    const headers = orRefuse(checkHeaders(request.headers))
    const used = { body: false, key: false }
    const inspectBody = () => {
      used.body = true
      return checkBody(bodyOf(request))
    }
    const readBody = () => orRefuse(inspectBody())
    const received = () => {
      used.body = true
      return { headers: request.headers, bytes: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0) }
    }
    const once: Request<unknown, unknown, unknown>['once'] = (effect, prepare, keyOf) => {
      used.key = true
      const steps = { effect, prepare, keyOf } as EffectSteps
      return runEffect(route, request, options, steps) as Promise<never>
    }
    const withKey: Request<unknown, unknown, unknown>['withKey'] = async (run) => {
      used.key = true
      const { answer, isReplay } = await run(identifyRequest(route, request, options.fingerprintKey))
      if (isReplay) throw withEchoes(new Replay(route.answer.status, answer), route, request)
      return new JsonText(answer)
    }
    const byKey: Request<unknown, unknown, unknown>['byKey'] = (run) =>
      withKey((identified) => {
        if (!identified) throw badField('x-idempotency-key', 'is required')
        return run(identified)
      })
    const { caller = noCaller, findCaller = async () => noCaller, id: requestId, claimedClientId } = request
    const who = { caller, findCaller, requestId, address: addressOf(request), claimedClientId }
    const handled = { ...who, params, query, headers, readBody, inspectBody, received, once, withKey, byKey }
    try {
      if (route.body === undefined && route.access !== 'secret address') readBody()
      const answer = await fromSource({ apiKeyId: caller.apiKeyId, address: who.address }, () => route.handle(handled))
      if (!used.body) throw new Error(`${name} did not validate its body`)
      if (honoursIdempotencyKey(route) && !used.key) throw new Error(`${name} does not honour an idempotency key`)
      const check = (text: string) => requireDeclared(name, checkAnswer(JSON.parse(text)))
      if (answer instanceof JsonRows)
        return sendStream(answer.open(options.checkAnswers ? check : undefined), route, request, reply)
      if (answer instanceof Readable) return sendStream(answer, route, request, reply)
      if (answer instanceof FileAnswer) return sendFile(answer, route, reply)
      if (answer instanceof KeptAnswer) return sendKept(answer, route, request, reply)
      const text = answer instanceof JsonText ? answer.text : JSON.stringify(answer)
      if (options.checkAnswers) check(text)
      reply.code(route.answer.status).type(route.answer.mediaType ?? 'application/json; charset=utf-8')
      return route.answer.mediaType ? answer : bytesOf(text)
    } catch (error) {
      if (!(error instanceof Replay)) throw error
      reply.code(error.status).type('application/json; charset=utf-8').header('idempotent-replayed', 'true')
      return error.answer
    }
  }
}

/** A socket encodes a long text several times slower than a buffer does; a short one it writes with its headers. */
const longText = 8 * 1024

function bytesOf(text: string): string | Buffer {
  return text.length > longText ? Buffer.from(text) : text
}

/** Sends a stream, and tells proxies not to buffer it: buffered events would arrive late. */
function sendStream(stream: Readable, { answer }: Route, { method }: FastifyRequest, reply: FastifyReply) {
  reply
    .code(answer.status)
    .type(answer.mediaType ?? 'application/json; charset=utf-8')
    .header('x-accel-buffering', 'no')
  if (method !== 'HEAD') return stream
  stream.destroy() // a HEAD request gets no body, and the stream would never end
  return ''
}

/** Sends an answer that caches may keep, as long as they ask whether it has changed. */
async function sendKept(
  answer: KeptAnswer,
  { answer: declared, path }: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Buffer> {
  if (!declared.isKept) throw new Error(`${path} does not declare that its answer is kept`)
  const { status, headers, bytes } = await answer.answerTo(request.headers)
  reply.code(status).headers({ ...headers, 'cache-control': 'no-cache' })
  if (status === 200) reply.type('application/json; charset=utf-8')
  return bytes
}

function sendFile({ mediaType, name, bytes }: FileAnswer, { answer, path }: Route, reply: FastifyReply): Buffer {
  if (!answer.fileTypes?.includes(mediaType)) throw new Error(`${path} does not declare files of ${mediaType}`)
  reply.code(answer.status).type(mediaType).header('content-disposition', `inline; filename="${name}"`)
  return bytes
}

type EffectSteps = {
  effect: (database: Queryable, prepared: unknown) => Promise<unknown>
  prepare: ((requestKey: string) => Promise<unknown>) | undefined
  keyOf: ((prepared: unknown) => AnswerKey | undefined) | undefined
}

async function runEffect(
  route: Route,
  request: FastifyRequest,
  options: HandlerOptions,
  { effect, prepare, keyOf }: EffectSteps,
): Promise<unknown> {
  const { database, fingerprintKey } = options
  const named = identifyRequest(route, request, fingerprintKey)
  if (!named) {
    const prepared = await prepare?.(newId())
    return database.inTx((tx) => effect(tx, prepared))
  }
  // With its fingerprint, which must not be computed inside the transaction.
  const identified = { ...named }
  const stored = prepare && (await findAnswer(database, identified))
  if (stored) throw withEchoes(await createReplay(stored, identified, options), route, request)
  const prepared = await prepare?.(requestKeyOf(identified))
  const present = (answer: unknown): StoredAnswer => {
    const text = JSON.stringify(withoutFields(answer as object, [...route.secrets, ...route.echoes]))
    return { status: route.answer.status, ...sealAnswer(text, identified, keyOf?.(prepared)) }
  }
  const run = (tx: Tx) => effect(tx, prepared)
  const outcome = await runOnce(database, identified, run, present)
  if (outcome.isReplay) throw withEchoes(await createReplay(outcome.stored, identified, options), route, request)
  return outcome.result
}

/**
 * Identifies a request by its idempotency key and fingerprint; undefined without a key. The fingerprint is computed when it
 * is first read; the body must not change before.
 */
function identifyRequest(route: Route, request: FastifyRequest, fingerprintKey: Buffer): IdempotentRequest | undefined {
  const key = idempotencyKeyOf(request)
  if (key === undefined) return undefined
  const body = bodyOf(request)
  let computed: Buffer | undefined
  return {
    organizationId: request.caller?.organizationId ?? '',
    route: `${route.method} ${route.path}`,
    key,
    get fingerprint() {
      computed ??= fingerprint(fingerprintKey, JSON.stringify([request.params, request.query]), body)
      return computed
    },
  }
}

/** Reads the key from its header, or from the alias that other services use. */
function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  const own = readKeyHeader(request, 'x-idempotency-key')
  const alias = readKeyHeader(request, 'idempotency-key')
  if (own !== undefined && alias !== undefined && own !== alias)
    throw badField('idempotency-key', 'must be the same as x-idempotency-key, or be left out')
  return own ?? alias
}

/** Reads a header once. Node joins the values of a repeated one, which would look like one key. */
function readKeyHeader({ headers, raw }: FastifyRequest, name: string): string | undefined {
  let key = headers[name] as string | undefined
  if (key === undefined) return undefined
  if (key.includes(', ')) {
    const values = raw.rawHeaders.filter((_, at) => at % 2 === 1 && raw.rawHeaders[at - 1]?.toLowerCase() === name)
    if (new Set(values).size > 1) throw badField(name, 'must be given only once')
    key = values[0] ?? ''
  }
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) throw badField(name, 'must have 1 to 255 printable characters')
  return key
}

function requestKeyOf({ organizationId, route, key, fingerprint: content }: IdempotentRequest): string {
  return JSON.stringify([organizationId, route, key, content.toString('hex')])
}

function bodyOf(request: FastifyRequest): unknown {
  if (request.body instanceof UnreadableBody) throw request.body.refusal
  if (Buffer.isBuffer(request.body)) return readJson(request.body)
  return request.body ?? {}
}

function sealAnswer(text: string, request: IdempotentRequest, key: AnswerKey | undefined) {
  if (!key) return { answer: text, sealedAnswer: null }
  const { dataKeyId, organizationId: dataKeyOrganizationId } = key
  return { answer: null, sealedAnswer: key.seal(placeOf(request), text), dataKeyId, dataKeyOrganizationId }
}

async function createReplay(
  stored: StoredAnswer,
  request: IdempotentRequest,
  options: HandlerOptions,
): Promise<Replay> {
  if (stored.sealedAnswer === null) return new Replay(stored.status, stored.answer)
  const { dataKeyOrganizationId, dataKeyId, sealedAnswer } = stored
  const answer = await options.openAnswer(dataKeyOrganizationId, dataKeyId, placeOf(request), sealedAnswer)
  if (answer === undefined)
    throw new Refusal(
      'CONFLICT',
      'The customer of the first answer was erased, so it cannot be repeated; use a new x-idempotency-key',
    )
  return new Replay(stored.status, answer)
}

function placeOf({ organizationId, route, key }: IdempotentRequest) {
  return { table: 'idempotency_keys', row: JSON.stringify([organizationId, route, key]), column: 'answer' }
}

function withoutFields(answer: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !fields.includes(name)))
}

/** Completes the stored answer with fields of the body, which is the same as that of the first request. */
function withEchoes(replay: Replay, { echoes }: Route, request: FastifyRequest): Replay {
  if (echoes.length === 0) return replay
  const body = Object.entries(bodyOf(request) as object).filter(
    ([name, value]) => echoes.includes(name) && Object.keys(value as object).length > 0,
  )
  if (body.length === 0) return replay
  return new Replay(replay.status, JSON.stringify({ ...JSON.parse(replay.answer), ...Object.fromEntries(body) }))
}

const emptyBody = { type: 'object', additionalProperties: false, properties: {} }

function orRefuse<Value>(result: Validated<unknown>): Value {
  if (result.ok) return result.value as Value
  throw badFields(result.problems)
}

function requireDeclared(name: string, checked: Validated<unknown>): void {
  if (!checked.ok)
    throw new Error(`the answer of ${name} does not match its schema: ${JSON.stringify(checked.problems)}`)
}
