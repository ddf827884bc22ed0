import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../db/database.ts'
import { runOnce, type StoredAnswer } from '../db/idempotency.ts'
import type { Caller } from '../lib/caller.ts'
import { badField, badFields } from '../lib/refusal.ts'
import { fingerprint } from './fingerprint.ts'
import { honoursIdempotencyKey, type Request, type Route } from './route.ts'
import { compileSchema, readQuery, type Validated } from './validate.ts'

export type HandlerOptions = { database: Database; fingerprintKey: Buffer; checkAnswers: boolean }

const nobody: Caller = {
  organizationId: '',
  organizationIds: [],
  apiKeyId: '',
  scopes: new Set(),
  requestsPerMinute: 0,
  isToken: false,
}

/** Ends the request with the first answer to its key. */
class Replay extends Error {
  readonly stored: StoredAnswer
  constructor(stored: StoredAnswer) {
    super('replay')
    this.stored = stored
  }
}

/** Turns a declared route into a handler: path and query are checked first, the body when the handler asks for it. */
export function makeHandler(route: Route, options: HandlerOptions) {
  const checkParams = compileSchema(route.params)
  const checkQuery = compileSchema(route.query)
  const checkBody = compileSchema(route.body ?? noBody)
  const checkAnswer = compileSchema(route.answer.schema)
  const name = `${route.method} ${route.path}`

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const params = orRefuse(checkParams(request.params))
    const query = orRefuse(checkQuery(orRefuse(readQuery(route.query, request.query as Record<string, unknown>))))
    const looked = { atBody: false, atKey: false }
    const readBody = () => {
      looked.atBody = true
      return orRefuse(checkBody(request.body ?? {}))
    }
    const once: Request<unknown, unknown, unknown>['once'] = (effect) => {
      looked.atKey = true
      return runEffect(route, request, options, effect)
    }
    const { caller = nobody, id: requestId, ip: address, claimedClientId } = request
    const handled = { caller, params, query, readBody, once, requestId, address, claimedClientId }
    try {
      if (route.body === undefined) readBody()
      const answer = await route.handle(handled)
      if (!looked.atBody) throw new Error(`${name} did not look at its body`)
      if (honoursIdempotencyKey(route) && !looked.atKey) throw new Error(`${name} does not honour an idempotency key`)
      if (options.checkAnswers) requireDeclared(name, checkAnswer(JSON.parse(JSON.stringify(answer))))
      reply.code(route.answer.status).type(route.answer.mediaType ?? 'application/json; charset=utf-8')
      return route.answer.mediaType ? answer : JSON.stringify(answer)
    } catch (error) {
      if (!(error instanceof Replay)) throw error
      reply.code(error.stored.status).type('application/json; charset=utf-8').header('idempotent-replayed', 'true')
      return error.stored.answer
    }
  }
}

async function runEffect<Answer>(
  route: Route,
  request: FastifyRequest,
  { database, fingerprintKey }: HandlerOptions,
  effect: Parameters<Request<unknown, unknown, unknown>['once']>[0],
): Promise<Answer> {
  const key = request.headers['x-idempotency-key']
  if (key === undefined) return database.transaction(effect) as Promise<Answer>
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw badField('x-idempotency-key', 'must have 1 to 255 printable characters')
  }
  const same = {
    organizationId: request.caller?.organizationId ?? '',
    route: `${route.method} ${route.path}`,
    key,
    fingerprint: fingerprint(fingerprintKey, request.url, request.body),
  }
  const outcome = await runOnce(database, same, effect, (answer) => ({
    status: route.answer.status,
    answer: JSON.stringify(withoutSecrets(answer as object, route.secrets)),
  }))
  if (outcome.isReplay) throw new Replay(outcome.stored)
  return outcome.result as Answer
}

function withoutSecrets(answer: object, secrets: readonly string[]): object {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !secrets.includes(name)))
}

const noBody = { type: 'object', additionalProperties: false, properties: {} }

function orRefuse<Value>(result: Validated<unknown>): Value {
  if (result.ok) return result.value as Value
  throw badFields(result.problems)
}

function requireDeclared(name: string, checked: Validated<unknown>): void {
  if (!checked.ok) throw new Error(`${name} answers what it does not declare: ${JSON.stringify(checked.problems)}`)
}
