import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { toExactJson } from './exact-json.ts'
import type { Faults } from './faults.ts'
import { RpcError } from './rpc-error.ts'

export type NodeFront = { call(method: string, params: unknown[]): Promise<unknown>; faults: Faults }

const longestBody = 5 * 1024 * 1024
const longestBatch = 1_000
const localNames = ['127.0.0.1', 'localhost', '[::1]']

/**
 * Serves every network on one port, each at its own path. Only programs of this machine reach it: requests with the name
 * of another host are refused, because a web page could otherwise reach it through a name that points here.
 */
export function createFrontServer(fronts: Readonly<Record<string, NodeFront>>): Server {
  const byPath = new Map(Object.entries(fronts).map(([network, front]) => [`/${network.toLowerCase()}`, front]))
  return createServer({ keepAliveTimeout: 30_000 }, (request, response) => {
    serve(byPath, request, response).catch(() => response.destroy())
  })
}

async function serve(
  fronts: Map<string, NodeFront>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { host = '', origin } = request.headers
  if (!isLocal(host) || (origin !== undefined && !isLocal(origin.replace(/^https?:\/\//, '')))) {
    return answer(response, 403, { error: 'this node serves only this machine' })
  }
  const front = fronts.get(request.url ?? '')
  if (!front) return answer(response, 404, { error: `paths are ${[...fronts.keys()].join(', ')}` })
  if (request.method !== 'POST') return answer(response, 405, { error: 'send JSON-RPC with POST' })
  const body = await readBody(request)
  if (body === undefined) return answer(response, 413, { error: 'the body is longer than 5 MB' })
  if (front.faults.takes('down')) return void response.destroy()
  if (front.faults.takes('rate_limited')) return answer(response, 429, { error: 'too many requests' })
  if (front.faults.takes('slow')) await setTimeout(front.faults.slowMs, undefined, { ref: false })
  answer(response, 200, await answerBody(front, body))
}

function isLocal(host: string): boolean {
  return localNames.includes(host.replace(/:\d+$/, ''))
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length
    // The rest is read and thrown away, so that the connection stays usable.
    if (length <= longestBody) parts.push(part)
  }
  return length > longestBody ? undefined : Buffer.concat(parts).toString()
}

async function answerBody(front: NodeFront, body: string): Promise<unknown> {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    return failure(null, new RpcError('parse error', -32_700))
  }
  if (!Array.isArray(parsed)) return answerOne(front, parsed)
  if (parsed.length === 0) return failure(null, new RpcError('empty batch', -32_600))
  if (parsed.length > longestBatch) return failure(null, new RpcError('batch too large', -32_600))
  return Promise.all(parsed.map((each) => answerOne(front, each)))
}

async function answerOne(front: NodeFront, request: unknown): Promise<unknown> {
  const { id = null, method, params = [] } = (request ?? {}) as { id?: unknown; method?: unknown; params?: unknown }
  if (typeof method !== 'string' || !Array.isArray(params)) {
    return failure(id, new RpcError('invalid request', -32_600))
  }
  try {
    return { jsonrpc: '2.0', id, result: await front.call(method, params) }
  } catch (error) {
    return failure(id, error instanceof RpcError ? error : new RpcError(String(error), -32_603))
  }
}

function failure(id: unknown, { code, message, data }: RpcError): unknown {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } }
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  const text = toExactJson(body)
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text)
}

const portsToTry = 50

/** Listens on a port of this machine; on the next free one if it may move. Returns the port. */
export async function listen(server: Server, { port, mayMove }: { port: number; mayMove: boolean }): Promise<number> {
  for (let number = port; ; number++) {
    const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      server.once('error', resolve)
      server.listen(number, '127.0.0.1', () => {
        server.off('error', resolve)
        resolve(undefined)
      })
    })
    if (!error) return (server.address() as AddressInfo).port
    if (error.code !== 'EADDRINUSE' || !mayMove || number >= port + portsToTry) throw error
  }
}
