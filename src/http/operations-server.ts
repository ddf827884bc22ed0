import { createServer, type Server } from 'node:http'
import type { ListenOptions } from 'node:net'
import type { HttpMetrics } from './metrics.ts'
import type { Readiness } from './operations.ts'

export type OperationsServerOptions = {
  listen: ListenOptions
  metrics: HttpMetrics
  readiness: Readiness
}

/**
 * Serves /metrics, /livez and /readyz on an internal port: for workers, and for APIs that are reachable from outside.
 */
export async function startOperationsServer({ listen, metrics, readiness }: OperationsServerOptions): Promise<Server> {
  const answers: Record<string, () => Promise<{ status: number; type: string; text: string }>> = {
    '/metrics': async () => ({ status: 200, type: metrics.mediaType, text: await metrics.render() }),
    '/livez': async () => json(200, { status: 'alive' }),
    '/readyz': async () => {
      const reason = await readiness.whyNotReady()
      if (reason) return json(503, { status: 'not ready', reason })
      return json(200, { status: 'ready', concerns: await readiness.findConcerns() })
    },
  }
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? ''
    const answer = Object.hasOwn(answers, path) && request.method === 'GET' ? answers[path] : undefined
    const answered = answer?.() ?? Promise.resolve(json(404, { status: 'not found' }))
    answered.then(
      ({ status, type, text }) => response.writeHead(status, { 'content-type': type }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(listen, resolve))
  return server
}

function json(status: number, body: object) {
  return { status, type: 'application/json; charset=utf-8', text: JSON.stringify(body) }
}
