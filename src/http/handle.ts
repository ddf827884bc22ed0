import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../lib/caller.ts'
import { badFields } from '../lib/refusal.ts'
import type { Route } from './route.ts'
import { compileSchema, readQuery } from './validate.ts'

const noCaller: Caller = { organizationId: '', apiKeyId: '', scopes: new Set() }

/** Turns a declared route into a handler: path and query are checked first, the body when the handler asks for it. */
export function makeHandler(route: Route, options: { checkAnswers: boolean }) {
  const checkParams = compileSchema(route.params)
  const checkQuery = compileSchema(route.query)
  const checkBody = compileSchema(route.body ?? noBody)
  const checkAnswer = compileSchema(route.answer.schema)

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const params = orRefuse(checkParams(request.params))
    const text = orRefuse(readQuery(route.query, request.query as Record<string, unknown>))
    const query = orRefuse(checkQuery(text))
    let bodyWasRead = false
    const readBody = () => {
      bodyWasRead = true
      return orRefuse(checkBody(request.body ?? {}))
    }
    if (route.body === undefined) readBody()
    const answer = await route.handle({
      caller: request.caller ?? noCaller,
      params,
      query,
      readBody,
      requestId: request.id,
    })
    if (!bodyWasRead) throw new Error(`${route.method} ${route.path} did not look at its body`)
    if (options.checkAnswers) {
      const checked = checkAnswer(JSON.parse(JSON.stringify(answer)))
      if (!checked.ok)
        throw new Error(
          `${route.method} ${route.path} answers what it does not declare: ${JSON.stringify(checked.problems)}`,
        )
    }
    reply.code(route.answer.status).type(route.answer.mediaType ?? 'application/json; charset=utf-8')
    return route.answer.mediaType ? answer : JSON.stringify(answer)
  }
}

const noBody = { type: 'object', additionalProperties: false, properties: {} }

function orRefuse<Value>(result: ReturnType<ReturnType<typeof compileSchema>>): Value {
  if (result.ok) return result.value as Value
  throw badFields(result.problems)
}
