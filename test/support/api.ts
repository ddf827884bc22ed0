import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { afterAll } from 'vitest'
import { type App, buildApp } from '../../src/app.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { makeLogger } from '../../src/http/log.ts'
import { makeDatabase, type TestDatabase } from './database.ts'

export type Answer = { status: number; headers: Headers; body: Record<string, never> & { error?: string } }

export type TestApi = {
  app: App
  database: TestDatabase
  baseUrl: string
  apiKey: string
  /** Everything the service has logged so far. */
  logs: string[]
  get(path: string, options?: CallOptions): Promise<Answer>
  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer>
  delete(path: string, options?: CallOptions): Promise<Answer>
  call(
    method: string,
    path: string,
    options?: CallOptions & { body?: unknown; rawBody?: string | Uint8Array | ReadableStream },
  ): Promise<Answer>
}

export type CallOptions = { apiKey?: string | null; headers?: Record<string, string> }

export const testMasterKey = Buffer.alloc(32, 7)

/** The real service on a real port and a database of its own, stopped when the test file ends. */
export async function startApi(
  settings: Record<string, string> = {},
  more: { database?: TestDatabase } = {},
): Promise<TestApi> {
  const database = more.database ?? (await makeDatabase())
  const config: Config = readConfig({ PORT: '0', ...settings }, process.cwd())
  const logs: string[] = []
  const sink = new Writable({
    write: (line, _encoding, done) => {
      logs.push(String(line))
      done()
    },
  })
  const log = makeLogger('info', sink)
  const app = await buildApp({ config, log, masterKey: testMasterKey, database: database.app, checkAnswers: true })
  let baseUrl = ''
  const api = await app.buildApi(() => baseUrl)
  await api.server.listen({ host: '127.0.0.1', port: 0 })
  baseUrl = `http://127.0.0.1:${(api.server.server.address() as AddressInfo).port}`
  const { apiKey } = await app.organizations.createFullKey('Test')
  afterAll(async () => {
    await api.server.close()
    await app.close()
  })
  const call: TestApi['call'] = (method, path, options = {}) => send(baseUrl, apiKey, method, path, options)
  return {
    app,
    database,
    baseUrl,
    apiKey,
    logs,
    call,
    get: (path, options) => call('GET', path, options),
    delete: (path, options) => call('DELETE', path, options),
    post: (path, body, options) => call('POST', path, { ...options, body }),
  }
}

type Sent = CallOptions & { body?: unknown; rawBody?: string | Uint8Array | ReadableStream }

async function send(baseUrl: string, ownKey: string, method: string, path: string, options: Sent): Promise<Answer> {
  const { apiKey = ownKey, body, rawBody, headers } = options
  const response = await fetch(baseUrl + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(rawBody === undefined ? {} : { body: rawBody, duplex: 'half' }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, body: isJson && text ? JSON.parse(text) : text }
}
