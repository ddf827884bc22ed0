import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll } from 'vitest'
import type { Calls, Exchange, TestApi } from './api.ts'

/** Prism is somebody else's reading of OpenAPI: it judges our document and our answers without our help. */
const cli = createRequire(import.meta.url).resolve('@stoplight/prism-cli/package.json')

export type Violation = { where: string[]; message: string }
export type Seen = { method: string; path: string; status: number; violations: Violation[] }

/** Calls by way of a Prism proxy, and what it found. */
export type PrismApi = Calls & { baseUrl: string; seen: Seen[]; violations(): string[] }

/**
 * Starts Prism's own program as a proxy, with the document that the service serves. `upstream` replaces the service
 * behind it. Prism reads and rewrites bodies, so malformed JSON and bodies over 10 MB cannot be sent this way.
 */
export async function startPrism(api: TestApi, upstream = api.baseUrl): Promise<PrismApi> {
  const program = path.join(path.dirname(cli), 'dist', 'index.js')
  const args = ['proxy', `${api.baseUrl}/openapi.json`, upstream, '--host', '127.0.0.1', '--port', '0', '--no-cors']
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  afterAll(async () => {
    child.kill()
    await ended
  })
  const lines = createInterface(child.stdout)
  const baseUrl = await new Promise<string>((resolve, reject) => {
    // Listening goes on after the start: a full pipe would stop Prism.
    lines.on('line', (line) => {
      const address = /Prism is listening on (http:\/\/[\d.:]+)/.exec(line)?.[1]
      if (address) resolve(address)
    })
    ended.then(() => reject(new Error('Prism ended before it listened')))
  })
  const seen: Seen[] = []
  const calls = api.through(baseUrl, ({ method, path, answer }) => {
    seen.push({ method, path, status: answer.status, violations: readViolations(answer.headers.get('sl-violations')) })
  })
  return { ...calls, baseUrl, seen, violations: () => seen.flatMap(sayWhatCounts) }
}

function readViolations(header: string | null): Violation[] {
  if (header === null) return []
  // Past 8 KB Prism cuts its list short, which is no longer JSON.
  if (!header.startsWith('[')) return [{ where: ['response'], message: header }]
  const list = JSON.parse(header) as { location: string[]; message: string }[]
  return list.map(({ location, message }) => ({ where: location, message }))
}

/** A wrong answer always counts; a request that the document forbids counts when the service accepted it. */
function sayWhatCounts({ method, path, status, violations }: Seen): string[] {
  const isAccepted = status >= 200 && status < 300
  const isDocumentedNowhere = (each: Violation) => each.message === 'Selected route not found'
  return violations
    .filter((each) => each.where[0] === 'response' || isAccepted)
    .filter((each) => !isDocumentedNowhere(each) || !isOutsideTheDocument(method, path))
    .map((each) => `${method} ${path} -> ${status}: ${each.where.join('.')}: ${each.message}`)
}

/** The readable page about the interface is no part of it; HEAD is GET without its body, by HTTP itself. */
function isOutsideTheDocument(method: string, path: string): boolean {
  return method === 'HEAD' || /^\/docs(\/|$)/.test(path)
}

type Either<Value> = { _tag: 'Right'; right: Value } | { _tag: 'Left'; left: unknown }
type Diagnostic = { path?: string[]; message: string }
type Operation = { method: string; path: string }
type Check = (about: { resource: Operation; element: unknown }) => Either<unknown>
type Library = {
  validator: { validateInput: Check; validateOutput: Check; validateSecurity: Check }
  router: { default(wanted: { resources: Operation[]; input: unknown }): Either<Operation> }
  operations: { getHttpOperationsFromSpec(document: object): Promise<Operation[]> }
}

/**
 * The same judge inside the test's own process. A proxy would cost every test file 0.9 s and 4 ms a call, and could
 * not carry hostile bodies; this sees each exchange after it happened, for 0.35 s a file and well under 1 ms a call.
 */
export async function loadContract(document: object): Promise<(exchange: Exchange) => void> {
  const { validator, router, operations } = loadLibrary()
  const resources = await operations.getHttpOperationsFromSpec(JSON.parse(JSON.stringify(document)))
  return ({ method, path, headers, body, answer }) => {
    const input = readInput(method, path, headers, body)
    const { status, headers: answered } = answer
    const output = { statusCode: status, headers: Object.fromEntries(answered), body: answer.body }
    const found = router.default({ resources, input })
    const violations: Violation[] = []
    if (found._tag === 'Left') violations.push({ where: ['request'], message: 'Selected route not found' })
    else {
      const about = { resource: found.right, element: input }
      violations.push(...problems('response', validator.validateOutput({ ...about, element: output })))
      violations.push(...problems('request', validator.validateSecurity(about)))
      if (input.body !== unread) violations.push(...problems('request', validator.validateInput(about)))
    }
    const counted = sayWhatCounts({ method, path, status, violations })
    if (counted.length > 0) throw new Error(`The OpenAPI document says otherwise:\n${counted.join('\n')}`)
  }
}

function loadLibrary(): Library {
  const load = createRequire(cli)
  return {
    // Not the package's front door: that also loads its mock data generators, for twice the time.
    validator: load('@stoplight/prism-http/dist/validator') as Library['validator'],
    router: load('@stoplight/prism-http/dist/router') as Library['router'],
    operations: load('@stoplight/prism-http/dist/utils/operations') as Library['operations'],
  }
}

const unread = Symbol('a body that cannot be read twice, or that is not JSON')

function readInput(method: string, address: string, headers: Record<string, string>, body: Exchange['body']) {
  const { pathname, searchParams } = new URL(address, 'http://service')
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return {
    method: method.toLowerCase(),
    url: { path: pathname, query: Object.fromEntries(searchParams) },
    headers: { ...Object.fromEntries(lowerCase), 'content-length': String(byteLength(body)) },
    body: parseBody(body),
  }
}

function byteLength(body: Exchange['body']): number {
  return typeof body === 'string' || body instanceof Uint8Array ? Buffer.byteLength(body) : 0
}

function parseBody(body: Exchange['body']): unknown {
  if (body === undefined || body === '') return null
  if (body instanceof ReadableStream) return unread
  try {
    return JSON.parse(Buffer.from(body as Uint8Array).toString())
  } catch {
    return unread
  }
}

function problems(side: 'request' | 'response', result: Either<unknown>): Violation[] {
  if (result._tag === 'Right') return []
  return [result.left].flat().map((each) => {
    const { path: inside = [], message } = each as Diagnostic
    return { where: [side, ...inside], message }
  })
}
