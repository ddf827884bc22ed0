import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

type Call = { id: unknown; method: string; params: unknown[] }
export type Answer = { result?: unknown; error?: { code: number; message: string } }

/** Changes what the node behind it answers to one call. */
export type Lie = (call: Call, answer: Answer) => Answer

/** Public nodes take no more calls in a request. */
const mostCalls = 128
const tooMany = { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'batch too large' } }

/**
 * A node between the service and a real one. It passes calls on until a test makes it lie, hang or fail; the answers are
 * those of the real node, changed.
 */
export async function startLyingNode(realUrl: string) {
  let lie: Lie = (_, answer) => answer
  let isHanging = false
  let status = 200
  let calls = 0
  let mostTogether = mostCalls
  const handle = async (body: string): Promise<unknown> => {
    const calls: unknown = JSON.parse(body)
    if (Array.isArray(calls) && calls.length > mostTogether) return tooMany
    const response = await fetch(realUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const [asked, answered] = [JSON.parse(body), await response.json()] as [Call | Call[], (Answer & { id: unknown })[]]
    const change = (call: Call, answer: Answer) => {
      const { result, error } = lie(call, structuredClone(answer))
      return { jsonrpc: '2.0', id: call.id, ...(error ? { error } : { result }) }
    }
    if (!Array.isArray(asked)) return change(asked, answered as never)
    return asked.map((call) => change(call, answered.find(({ id }) => id === call.id) ?? {}))
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      calls += 1
      if (isHanging) return
      if (status !== 200) {
        response.writeHead(status).end()
        return
      }
      handle(Buffer.concat(chunks).toString())
        .then((answer) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)))
        .catch(() => response.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    calls: () => calls,
    /** Lets the node tell the truth again, or lie in this way. */
    lies: (how: Lie = (_, answer) => answer) => {
      lie = how
      isHanging = false
      status = 200
      mostTogether = mostCalls
    },
    refusesBatches: () => {
      mostTogether = 1
    },
    hangs: () => {
      isHanging = true
    },
    fails: (code: number) => {
      status = code
    },
  }
}

/** A lie about one method. */
export function about(method: string, change: (result: never, params: unknown[]) => unknown): Lie {
  return (call, answer) =>
    call.method === method && answer.result !== undefined
      ? { result: change(answer.result as never, call.params) }
      : answer
}
