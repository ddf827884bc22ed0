import { lookup as lookUpOnSystem, Resolver } from 'node:dns/promises'
import { buildConnector, type Dispatcher, Pool } from 'undici'
import {
  type Allowed,
  cacheUrlChecks,
  type EgressPolicy,
  EgressRefused,
  guardConnections,
  type Lookup,
  lookUpInDns,
  policyName,
} from './egress-guard.ts'

export type OutboundRequest = {
  url: string
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
  policy: EgressPolicy
  /** Calls of different lanes share no connection to a host, so that they never wait for each other. */
  lane?: string
  /** Covers the time from the call to the last byte of the answer. */
  timeoutMs?: number
  /** A longer answer is cut here. */
  maxAnswerBytes?: number
}

export type FailureKind =
  | 'refused' // by the egress guard
  | 'invalid request'
  | 'unavailable' // too many hosts at once, or this process is stopping
  | 'unreachable' // no address, no connection, or no TLS that can be trusted
  | 'timeout'
  | 'reset'
  | 'invalid answer'

/** `mayHaveArrived` is false only when nothing of the request was sent; true means that the outcome is unknown. */
export type OutboundFailure = { ok: false; kind: FailureKind; message: string; mayHaveArrived: boolean }

export type OutboundAnswer =
  | { ok: true; status: number; headers: Readonly<Record<string, string>>; body: Buffer; truncated: boolean }
  | OutboundFailure

export type OutboundHttp = { send(request: OutboundRequest): Promise<OutboundAnswer>; close(): Promise<void> }

export type OutboundOptions = {
  connectTimeoutMs?: number
  connectionsPerOrigin?: number
  /** The most hosts with open connections, counted per lane. A new one replaces the least recently used idle one. */
  maxOrigins?: number
  lookup?: Lookup
  buildConnector?: typeof buildConnector
}

type Destination = { pool: Pool; running: number; waiting: Set<() => void>; lastUse: number }

/** Makes every outgoing HTTP call of the service, to addresses that the egress guard allows. */
export function createOutboundHttp(options: OutboundOptions = {}): OutboundHttp {
  const { connectionsPerOrigin = 16, maxOrigins = 256 } = options
  const lookUpForTenant = options.lookup ?? lookUpInDns(new Resolver({ timeout: 1_000, tries: 2 }))
  const lookUpForOperator = options.lookup ?? ((hostname: string) => lookUpOnSystem(hostname, { all: true }))
  const check = cacheUrlChecks()
  const destinations = new Map<string, Destination>()
  let uses = 0
  let isClosed = false

  function findDestination({ url, origin }: Allowed, { policy, lane = '' }: OutboundRequest): Destination | undefined {
    // Policies share no connections.
    const key = `${policyName(policy)} ${origin} ${lane}`
    const found = destinations.get(key) ?? createDestination(key, url, policy)
    if (!found) return undefined
    uses += 1
    found.lastUse = uses
    return found
  }

  function createDestination(key: string, url: URL, policy: EgressPolicy): Destination | undefined {
    if (destinations.size >= maxOrigins) {
      const unused = findUnused(destinations)
      if (!unused) return undefined
      destinations.delete(unused[0])
      void unused[1].pool.close()
    }
    const lookUp = policy.kind === 'tenant' ? lookUpForTenant : lookUpForOperator
    const connect = createConnector(url, policy, lookUp, options)
    const pool = new Pool(url.origin, { ...poolOptions, connections: connectionsPerOrigin, connect })
    const created: Destination = { pool, running: 0, waiting: new Set(), lastUse: 0 }
    destinations.set(key, created)
    return created
  }

  async function send(request: OutboundRequest): Promise<OutboundAnswer> {
    const { method, headers = {}, body = null, policy, timeoutMs = 15_000, maxAnswerBytes = 65_536 } = request
    const checked = check(request.url, policy)
    if (!checked.ok) return fail('refused', `The URL ${checked.reason}`)
    if (Object.keys(headers).some((name) => framingHeader.test(name))) return invalidRequest
    const destination = isClosed ? undefined : findDestination(checked, request)
    if (!destination) return noMoreCalls

    const exchange = new Exchange(timeoutMs, maxAnswerBytes)
    const { path } = checked
    const start = () => {
      destination.running += 1
      destination.pool.dispatch({ path, method, headers, body }, exchange)
    }
    // Calls wait here instead of in undici's queue, which would still connect for requests that have timed out.
    if (destination.running < connectionsPerOrigin) start()
    else destination.waiting.add(start)
    const answer = await exchange.answer
    if (!destination.waiting.delete(start)) {
      destination.running -= 1
      const [next] = destination.waiting
      if (next && destination.waiting.delete(next)) next()
    }
    return answer
  }

  return {
    send,
    /** Waits for the running calls, each of which has a time-out. */
    close: async () => {
      isClosed = true
      await Promise.all([...destinations.values()].map(({ pool }) => pool.close()))
      destinations.clear()
    },
  }
}

/** Finds the idle destination that was used the longest ago. */
function findUnused(destinations: ReadonlyMap<string, Destination>): [string, Destination] | undefined {
  const idle = [...destinations].filter(([, { running, waiting }]) => running + waiting.size === 0)
  return idle.sort(([, one], [, other]) => one.lastUse - other.lastUse)[0]
}

const poolOptions = {
  pipelining: 1,
  // Each connection resolves its name, so even a busy connection must end to notice a changed address.
  clientTtl: 300_000,
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 30_000,
  maxHeaderSize: 16_384,
  // Exchange has one time-out for the whole call.
  headersTimeout: 0,
  bodyTimeout: 0,
  allowH2: false,
  // Otherwise an environment variable chooses the parser.
  useMilo: false,
} as const

function createConnector(url: URL, policy: EgressPolicy, lookUp: Lookup, options: OutboundOptions) {
  const { lookup, mayConnectTo } = guardConnections(url, policy, lookUp)
  const connect = (options.buildConnector ?? buildConnector)({
    lookup,
    timeout: options.connectTimeoutMs ?? 5_000,
    autoSelectFamily: true,
    allowH2: false,
    // Each connection verifies the certificate, regardless of NODE_TLS_REJECT_UNAUTHORIZED.
    rejectUnauthorized: true,
    maxCachedSessions: 0,
  })
  const connectChecked: buildConnector.connector = (target, callback) =>
    mayConnectTo(target.hostname) ? connect(target, callback) : callback(new EgressRefused(), null)
  return connectChecked
}

const noBytes = Buffer.alloc(0)

/** One request and its single outcome: a whole answer, an answer cut at the limit, or a failure. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #outcome = Promise.withResolvers<OutboundAnswer>()
  readonly answer = this.#outcome.promise
  readonly #timer: NodeJS.Timeout
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false
  #status = 0
  #headers: Readonly<Record<string, string>> = {}
  #roomBytes: number

  constructor(timeoutMs: number, maxAnswerBytes: number) {
    this.#roomBytes = maxAnswerBytes
    const giveUp = () => this.#end(fail('timeout', `No complete response within ${timeoutMs} ms`, !!this.#controller))
    this.#timer = setTimeout(giveUp, timeoutMs)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The call timed out during the connect: aborting here sends nothing.
    if (this.#isOver) controller.abort(new Error('over'))
    else this.#controller = controller
  }

  onResponseStart(_: unknown, status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void {
    // Interim answers (RFC 9110, section 15.2) may precede the final one.
    this.#status = status
    const read: Record<string, string> = {}
    for (const name in headers) {
      const value = headers[name] ?? ''
      read[name] = typeof value === 'string' ? value : value.join(', ')
    }
    this.#headers = read
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#chunks.push(chunk.subarray(0, this.#roomBytes))
    this.#roomBytes -= chunk.length
    if (this.#roomBytes < 0) this.#end(this.#makeAnswer(true))
  }

  onResponseEnd(): void {
    this.#controller = undefined
    this.#end(this.#makeAnswer(false))
  }

  onResponseError(_: unknown, error: Error): void {
    this.#end(describeFailure(error, !!this.#controller))
  }

  #makeAnswer(truncated: boolean): OutboundAnswer {
    const body = this.#chunks.length === 0 ? noBytes : Buffer.concat(this.#chunks)
    return { ok: true, status: this.#status, headers: this.#headers, body, truncated }
  }

  #end(answer: OutboundAnswer): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#outcome.resolve(answer)
    // Destroys the connection unless the answer has been read to its end.
    this.#controller?.abort(new Error('over'))
  }
}

// These headers frame the message or choose its receiver. undici writes them itself, and refuses line ends in all other
// names and values.
const framingHeader =
  /^(?:host|connection|content-length|transfer-encoding|keep-alive|upgrade|expect|te|trailer|proxy-.*)$/i

function fail(kind: FailureKind, message: string, mayHaveArrived = false): OutboundFailure {
  return { ok: false, kind, message, mayHaveArrived }
}

const invalidRequest = fail('invalid request', 'The request has a method or a header that cannot be sent')
const noMoreCalls = fail('unavailable', 'No more calls can be made at this moment')

/** Describes a failure for a tenant: with an error code at most, never an address, a header or a stack. */
function describeFailure(error: Error & { code?: string }, mayHaveArrived: boolean): OutboundFailure {
  const { code = 'unknown', message } = error
  if (error instanceof EgressRefused) return fail('refused', 'The host has an address that may not be called')
  if (code === 'UND_ERR_INVALID_ARG') return invalidRequest
  if (!mayHaveArrived) {
    const isClosed = code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED'
    return isClosed ? noMoreCalls : fail('unreachable', `No trusted connection could be made (${code})`)
  }
  const isCut = /^(?:UND_ERR_SOCKET|E[A-Z]+)$/.test(code) && !message.startsWith('bad ')
  if (!isCut) return fail('invalid answer', 'The answer is not valid HTTP', true)
  return fail('reset', 'The connection ended before the answer did', true)
}
