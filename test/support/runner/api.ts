import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { afterAll } from 'vitest'
import { type App, buildApp } from '../../../src/app.ts'
import { packageVersion } from '../../../src/commands/version.ts'
import { type Config, readConfig } from '../../../src/config.ts'
import type { Worker } from '../../../src/db/work.ts'
import { openDeploymentSecret } from '../../../src/encryption/deployment-secrets.ts'
import { createLocalMasterKeys } from '../../../src/encryption/master-keys.ts'
import { createLogger } from '../../../src/http/log.ts'
import { buildOpenapi } from '../../../src/http/openapi/openapi.ts'
import type { Api } from '../../../src/wiring/api.ts'
import type { TestChains } from '../chains/local-chains.ts'
import { makeSigner, type TestSigner } from '../secrets/signer.ts'
import type { AnswerTo, ErrorFields, UnknownBody } from './answers.ts'
import { makeDatabase, type TestDatabase } from './database.ts'
import { contractOf } from './prism.ts'

/** An answer of the service; its body is that of the operation, or an error body. */
export type Answer<Body = UnknownBody> = { status: number; headers: Headers; body: Body & ErrorFields }

type AnswerOf<Method extends string, Path extends string> = Promise<Answer<AnswerTo<Method, Path>>>

export type TestApi = Calls & {
  app: App
  server: Api['server']
  routes: Api['routes']
  database: TestDatabase
  /** Seals in the background from the first start of a worker on. */
  signer: TestSigner
  baseUrl: string
  apiKey: string
  /** The secret that the keys of the deployment derive from. */
  secret: Buffer
  /** All log lines of the service so far. */
  logs: string[]
  /** The same calls through another address, such as a proxy in front of the service. */
  through(baseUrl: string, onExchange: OnExchange): Calls
}

export type Calls = {
  get<Path extends string>(path: Path, options?: CallOptions): AnswerOf<'GET', Path>
  post<Path extends string>(path: Path, body?: unknown, options?: CallOptions): AnswerOf<'POST', Path>
  delete<Path extends string>(path: Path, options?: CallOptions): AnswerOf<'DELETE', Path>
  call<Method extends string, Path extends string>(
    method: Method,
    path: Path,
    options?: CallOptions & { body?: unknown; rawBody?: Exclude<SentBody, undefined> },
  ): AnswerOf<Method, Path>
}

export type CallOptions = { apiKey?: string | null; headers?: Record<string, string> }

/** A request with its answer, for observers such as Prism. */
export type Exchange = { method: string; path: string; headers: Record<string, string>; body: SentBody; answer: Answer }
export type SentBody = string | Uint8Array | ReadableStream | undefined
type OnExchange = (exchange: Exchange) => void | Promise<void>

/** In-process tests simulate the sandbox's bank in memory, unless they ask for files. Production knows no such setting. */
export function simulatedBank({ SVC_ENVIRONMENT }: Record<string, string | undefined>): Record<string, string> {
  return SVC_ENVIRONMENT === 'production' ? {} : { SVC_SANDBOX_BANK: 'memory' }
}

export const testMasterKey = Buffer.alloc(32, 7)

/**
 * The real service on a real port and a database of its own, stopped when the test file ends. Every call is also shown
 * to Prism, which fails the test when the answer is not what the OpenAPI document says; PRISM=off leaves that out.
 */
export async function startApi(
  settings: Record<string, string> = {},
  more: {
    database?: TestDatabase
    chains?: Pick<TestChains, 'control' | 'settings'>
  } = {},
): Promise<TestApi> {
  const database = more.database ?? (await makeDatabase())
  const config: Config = readConfig(
    { PORT: '0', ...simulatedBank(settings), ...more.chains?.settings, ...settings },
    process.cwd(),
  )
  const logs: string[] = []
  const sink = new Writable({
    write: (line, _encoding, done) => {
      logs.push(String(line))
      done()
    },
  })
  const log = createLogger('info', sink)
  const masterKeys = { current: testMasterKey, previous: [] }
  const version = packageVersion()
  const localChains = more.chains?.control
  const shared = { config, version, log, masterKeys, localChains }
  const built = await buildApp({ ...shared, database: database.app, checkAnswers: true })
  const { rpcUrls } = config.chains.networks.SOLANA
  const nodes = rpcUrls.length > 0 ? { SVC_SOLANA_RPC_URLS: rpcUrls.join(',') } : {}
  const signer = makeSigner(database, nodes, config.environment)
  const workers = new Set<Worker>()
  const startWorker = async (): Promise<Worker> => {
    signer.start()
    const worker = await built.startWorker()
    workers.add(worker)
    return worker
  }
  const app = { ...built, startWorker, verify: verifySealed(built) }
  const api = await app.buildApi()
  await api.server.listen({ host: '127.0.0.1', port: 0 })
  const baseUrl = `http://127.0.0.1:${(api.server.server.address() as AddressInfo).port}`
  app.processState.baseUrl = baseUrl
  const { apiKey } = await app.credentials.createFullKey('Test')
  afterAll(async () => {
    // One that a file forgot would poll a closed database for as long as the files after it run.
    for (const worker of workers) await worker.stop()
    await api.server.close()
    await signer.stop()
    await app.close()
  })
  let contract: ReturnType<typeof contractOf> | undefined
  const check: OnExchange = async (exchange) => {
    if (process.env.PRISM === 'off') return
    contract ??= contractOf(api.routes, () => buildOpenapi(api.routes, { version, baseUrl }))
    const checkExchange = await contract
    checkExchange(exchange)
  }
  const through: TestApi['through'] = (address, onExchange) => makeCalls(address, apiKey, onExchange)
  const { server, routes } = api
  const keys = createLocalMasterKeys(testMasterKey, [])
  const secret = await openDeploymentSecret(app.database, keys, 'deployment')
  return { app, server, routes, database, signer, baseUrl, apiKey, secret, logs, through, ...through(baseUrl, check) }
}

/** Seals the audit log first: without a worker nothing does, and after a minute that is a violation. */
function verifySealed({ audit, database, verify }: Pick<App, 'audit' | 'database' | 'verify'>): App['verify'] {
  return async (onResult) => {
    const sealer = audit.sealerJob(database, 30_000)
    while ((await sealer.runBatch()) > 0);
    await sealer.release?.()
    return verify(onResult)
  }
}

/** The same service, called with another key. */
export function actingWith(api: TestApi, apiKey: string): TestApi {
  const call: Calls['call'] = (method, path, options = {}) => api.call(method, path, { apiKey, ...options })
  return {
    ...api,
    apiKey,
    call,
    get: (path, options) => call('GET', path, options),
    delete: (path, options) => call('DELETE', path, options),
    post: (path, body, options) => call('POST', path, { ...options, body }),
  }
}

/** Creates an API key and expects it to be shown. */
export async function createKey(api: Calls, body: object, options: CallOptions = {}) {
  const answer = await api.post('/api-keys', body, options)
  const { apiKey } = answer.body
  if (apiKey === undefined) throw new Error(`no key was created: ${answer.status} ${answer.body.message}`)
  return { ...answer.body, apiKey }
}

type Sent = CallOptions & { body?: unknown; rawBody?: Exclude<SentBody, undefined> }

function makeCalls(baseUrl: string, ownKey: string, onExchange: OnExchange): Calls {
  const call = async (method: string, path: string, options: Sent = {}): Promise<Answer<never>> => {
    const { apiKey = ownKey, body, rawBody } = options
    const headers = {
      ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    }
    const sent = body === undefined ? rawBody : JSON.stringify(body)
    const answer = await send(baseUrl + path, { method, headers, ...(sent === undefined ? {} : { body: sent }) })
    await onExchange({ method, path, headers, body: sent, answer })
    return answer
  }
  return {
    call,
    get: (path, options) => call('GET', path, options),
    delete: (path, options) => call('DELETE', path, options),
    post: (path, body, options) => call('POST', path, { ...options, body }),
  }
}

/** Reads the body as any type: the service under test checks its answers against the schemas behind the types. */
async function send(address: string, request: RequestInit): Promise<Answer<never>> {
  const response = await fetch(address, { redirect: 'manual', duplex: 'half', ...request } as RequestInit)
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const body = (isJson && text ? JSON.parse(text) : text) as never
  return { status: response.status, headers: response.headers, body }
}
