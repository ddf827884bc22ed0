import { type Hex, NodeError } from '../../lib/chains/node-error.ts'
import type { OutboundHttp } from '../outbound-http.ts'

export type RpcCall = { method: string; params: readonly unknown[] }

/** An error object of JSON-RPC: the node has read the request and refused it, or a call reverted. */
export class RpcError extends Error {
  readonly code: number
  readonly data: Hex | undefined
  constructor(code: number, message: string, data?: Hex) {
    super(message)
    this.name = 'RpcError'
    this.code = code
    this.data = data
  }
}

/** A node that did not answer properly. `mayHaveArrived` is false only when nothing of the request was sent. */
export class Unanswered extends NodeError {
  readonly mayHaveArrived: boolean
  constructor(message: string, mayHaveArrived: boolean) {
    super('unavailable', message)
    this.mayHaveArrived = mayHaveArrived
  }
}

/** One node behind one address. */
export type Endpoint = {
  /** Its place in the settings. The address itself may hold a key, and appears in no message. */
  name: string
  request(method: string, params: readonly unknown[]): Promise<unknown>
  /** Sends calls together, in requests that nodes take; throws the first error of an item. */
  batch(calls: readonly RpcCall[]): Promise<unknown[]>
  /** Like `batch`, but an item's error stands in its place. Throws only when a whole request failed. */
  batchEach(calls: readonly RpcCall[]): Promise<unknown[]>
  /** True while the node has failed lately: others are asked first. */
  isResting(): boolean
}

export type EndpointOptions = {
  name: string
  url: string
  /** Calls of two lanes share no connection. */
  lane: string
  timeoutMs: number
  /** The question by which a node tells its chain, and the answer that it must give before it is believed. */
  identity: { method: string; what: string; expected: string }
  /** Reads integers beyond 2^53 exactly, as `bigint`. Networks that write quantities as text do not need it. */
  hasNumbers?: boolean
}

// A block of a busy network has some megabytes of receipts.
const maxAnswerBytes = 64 * 1024 * 1024
/** Public nodes refuse a request with more calls than some hundred. */
const mostCalls = 100
const restMs = 5_000
const chainCheckMs = 60_000

export function createEndpoint(http: OutboundHttp, options: EndpointOptions): Endpoint {
  const { name, url, lane, timeoutMs, identity, hasNumbers = false } = options
  let restUntil = 0
  let chainKnownUntil = 0
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const post = async (body: unknown): Promise<unknown> => {
    const policy = { kind: 'operator' } as const
    const sent = { url, method: 'POST' as const, headers, body: JSON.stringify(body), policy, lane, timeoutMs }
    const answer = await http.send({ ...sent, maxAnswerBytes })
    const fail = (why: string, mayHaveArrived = true) => {
      restUntil = performance.now() + restMs
      chainKnownUntil = 0
      return new Unanswered(`${name}: ${why}`, mayHaveArrived)
    }
    if (!answer.ok) throw fail(answer.message, answer.mayHaveArrived)
    // A gateway refuses with these before a node sees the request.
    if (answer.status === 429) throw fail('HTTP status 429', false)
    if (answer.truncated) throw fail(`the answer is longer than ${maxAnswerBytes} bytes`)
    const parsed = parse(answer.body, hasNumbers)
    if (parsed === undefined) throw fail(`HTTP status ${answer.status}, no JSON`)
    restUntil = 0
    return parsed
  }
  const call = async (calls: readonly RpcCall[]): Promise<unknown[]> => {
    const bodies = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    const parsed = await post(bodies.length === 1 ? bodies[0] : bodies)
    return readAnswers(name, parsed, calls.length)
  }
  const callAll = async (calls: readonly RpcCall[]): Promise<unknown[]> => {
    const answers = await call(calls)
    const failed = answers.find((answer) => answer instanceof Error)
    if (failed) throw failed
    return answers
  }
  /** A node of another network has other money under the same addresses, so each node is asked for its chain. */
  const requireChain = async (): Promise<void> => {
    if (performance.now() < chainKnownUntil) return
    const { method, what, expected } = identity
    const [answered] = await callAll([{ method, params: [] }])
    if (answered !== expected) {
      restUntil = performance.now() + restMs
      throw new NodeError('wrong chain', `${name}: reports ${what} ${String(answered)} instead of ${expected}`)
    }
    chainKnownUntil = performance.now() + chainCheckMs
  }
  const inRequests = async (calls: readonly RpcCall[], ask: typeof call): Promise<unknown[]> => {
    await requireChain()
    const answers: unknown[] = []
    for (let at = 0; at < calls.length; at += mostCalls) answers.push(...(await ask(calls.slice(at, at + mostCalls))))
    return answers
  }
  const batch = (calls: readonly RpcCall[]) => inRequests(calls, callAll)
  return {
    name,
    batch,
    batchEach: (calls) => inRequests(calls, call),
    request: async (method, params) => (await batch([{ method, params }]))[0],
    isResting: () => performance.now() < restUntil,
  }
}

/** A number too long to be exact. Only then are all values read one by one, which takes five times as long. */
const longNumber = /[:,[\s]-?\d{16}/

function parse(body: Buffer, hasNumbers: boolean): unknown {
  try {
    const text = body.toString('utf8')
    const parsed: unknown = hasNumbers && longNumber.test(text) ? JSON.parse(text, readExactly) : JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined
  } catch {
    return undefined
  }
}

/** Keeps every digit of an integer that a JavaScript number cannot hold. */
function readExactly(_key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  const isInexact = typeof value === 'number' && !Number.isSafeInteger(value)
  return isInexact && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value
}

type RawAnswer = { id?: unknown; result?: unknown; error?: { code?: unknown; message?: unknown; data?: unknown } }

/**
 * Brings the answers of a batch into the order of its calls; an error stands in the place of its call. A node may answer a
 * whole batch with one error.
 */
function readAnswers(name: string, parsed: unknown, count: number): unknown[] {
  const list = (Array.isArray(parsed) ? parsed : [parsed]) as RawAnswer[]
  const whole = Array.isArray(parsed) || count === 1 ? undefined : list[0]?.error
  if (whole) throw readError(whole)
  const byId = new Map(list.map((answer) => [answer?.id, answer]))
  return Array.from({ length: count }, (_, id) => {
    // A node that could not read the request answers without its id.
    const answer = byId.get(id) ?? (count === 1 ? list[0] : undefined)
    if (answer?.error) return readError(answer.error)
    if (!answer || answer.id !== id || answer.result === undefined)
      return new Unanswered(`${name}: an answer without a result`, true)
    return answer.result
  })
}

function readError({ code, message, data }: NonNullable<RawAnswer['error']>): RpcError {
  // Some nodes nest the data of a revert.
  const found = typeof data === 'object' && data !== null && 'data' in data ? data.data : data
  const revert = typeof found === 'string' && /^0x[0-9a-f]*$/i.test(found) ? (found as Hex) : undefined
  return new RpcError(typeof code === 'number' ? code : 0, String(message ?? 'no message').slice(0, 300), revert)
}
