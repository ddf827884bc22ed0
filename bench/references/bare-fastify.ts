import type { AddressInfo } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'

export type BareRoute = {
  method: 'GET' | 'POST'
  path: string
  body?: TSchema
  status: number
  schema: TSchema
  answer: object
}

/**
 * Serves routes on plain Fastify: it validates with the same schemas and serializes the same answer, but has no
 * credential, limit, log, metric or database. The floor below which no HTTP layer of ours can fall.
 */
export async function startBareFastify(routes: readonly BareRoute[]) {
  const server = fastify()
  for (const { method, path, body, status, schema, answer } of routes) {
    server.route({
      method,
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      schema: { ...(body ? { body } : {}), response: { [status]: schema } },
      handler: async (_request, reply) => reply.code(status).send(answer),
    })
  }
  return listen(server)
}

/** Sends the same bytes to every request: what an answer of this size costs when nothing has to be read or written. */
export function startBareBytes(bytes: Buffer) {
  const server = fastify()
  server.get('/*', async (_request, reply) => reply.type('application/json; charset=utf-8').send(bytes))
  return listen(server)
}

async function listen(server: FastifyInstance) {
  await server.listen({ host: '127.0.0.1', port: 0 })
  return {
    baseUrl: `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    stop: () => server.close(),
  }
}
