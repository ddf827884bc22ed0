import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { afterAll } from 'vitest'
import type { Route } from '../../../src/http/route.ts'
import type { Calls, Exchange, TestApi } from './api.ts'
import { makeFolder } from './folder.ts'

/** Prism implements OpenAPI independently: it checks our document and our answers. */
const cli = createRequire(import.meta.url).resolve('@stoplight/prism-cli/package.json')

export type Violation = { where: string[]; message: string }
export type Seen = { method: string; path: string; status: number; violations: Violation[] }

/** Calls through a Prism proxy, and its findings. */
export type PrismApi = Calls & { baseUrl: string; seen: Seen[]; violations(): string[] }

/**
 * Starts Prism's own program as a proxy, with the document that the service serves. `upstream` replaces the service
 * behind it. Prism reads and rewrites bodies, so malformed JSON and bodies over 10 MB cannot be sent this way.
 */
export async function startPrism(api: TestApi, upstream = api.baseUrl): Promise<PrismApi> {
  // Production rejects plain http, unless a trusted proxy reports that the caller used https.
  const served = await fetch(`${api.baseUrl}/openapi.json`, { headers: { 'x-forwarded-proto': 'https' } })
  const { folder, remove } = await makeFolder()
  const file = path.join(folder, 'openapi.json')
  await writeFile(file, await served.text())
  const program = path.join(path.dirname(cli), 'dist', 'index.js')
  const args = ['proxy', file, upstream, '--host', '127.0.0.1', '--port', '0', '--no-cors']
  const child = fork(program, args, { silent: true, execArgv: ['--import', endsWithItsParent] })
  const ended = once(child, 'exit')
  afterAll(async () => {
    child.kill()
    await ended
    await remove()
  })
  const baseUrl = await waitForAddress(child, ended)
  const seen: Seen[] = []
  const calls = api.through(baseUrl, ({ method, path, answer }) => {
    seen.push({ method, path, status: answer.status, violations: readViolations(answer.headers.get('sl-violations')) })
  })
  return { ...calls, baseUrl, seen, violations: () => seen.flatMap(sayWhatCounts) }
}

// A file that fails while it loads never gets to its afterAll, and would leave Prism behind.
const endsWithItsParent = `data:text/javascript,process.on('disconnect', () => process.exit())`

async function waitForAddress(child: ChildProcess, ended: Promise<unknown>): Promise<string> {
  const complaints: string[] = []
  child.stderr?.on('data', (text) => complaints.push(String(text)))
  return new Promise((resolve, reject) => {
    // Reading goes on after the start: a full pipe would stop Prism.
    createInterface(child.stdout as Readable).on('line', (line) => {
      const address = /Prism is listening on (http:\/\/[\d.:]+)/.exec(line)?.[1]
      if (address) resolve(address)
    })
    ended.then(() => reject(new Error(`Prism did not start:\n${complaints.join('')}`)))
  })
}

function readViolations(header: string | null): Violation[] {
  if (header === null) return []
  // Past 8 KB Prism cuts its list short, which is no longer JSON.
  if (!header.startsWith('[')) return [{ where: ['response'], message: header }]
  const list = JSON.parse(header) as { location: string[]; message: string }[]
  return list.map(({ location, message }) => ({ where: location, message }))
}

const nowhere = 'Selected route not found'
const isAccepted = (status: number) => status >= 200 && status < 300

/** A wrong answer always counts; a request that the document forbids counts when the service accepted it. */
function sayWhatCounts({ method, path, status, violations }: Seen): string[] {
  return violations
    .filter((each) => each.where[0] === 'response' || isAccepted(status))
    .filter((each) => each.message !== nowhere || !isOutsideTheDocument(method, path))
    .map((each) => `${method} ${path} -> ${status}: ${each.where.join('.')}: ${each.message}`)
}

/** The documentation page and its icon are not part of the API; HEAD is GET without its body, by HTTP itself. */
function isOutsideTheDocument(method: string, path: string): boolean {
  return method === 'HEAD' || /^\/(docs(\/|$)|favicon\.ico$)/.test(path)
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

/** The same findings by Prism inside the test's own process, for many calls: without its proxy, which costs 4 ms each. */
export async function watchCalls(api: TestApi, document: object): Promise<PrismApi> {
  const judge = await loadJudge(document)
  const seen: Seen[] = []
  const calls = api.through(api.baseUrl, (exchange) => {
    const { method, path, answer } = exchange
    seen.push({ method, path, status: answer.status, violations: judge(exchange) })
  })
  return { ...calls, baseUrl: api.baseUrl, seen, violations: () => seen.flatMap(sayWhatCounts) }
}

/** Throws when an exchange violates the document. */
export async function loadContract(document: object): Promise<(exchange: Exchange) => void> {
  const judge = await loadJudge(document)
  return (exchange) => {
    const { method, path, answer } = exchange
    const counted = sayWhatCounts({ method, path, status: answer.status, violations: judge(exchange) })
    if (counted.length > 0) throw new Error(`The OpenAPI document says otherwise:\n${counted.join('\n')}`)
  }
}

const contracts = new Map<string, ReturnType<typeof loadContract>>()

/** The contract of the same routes with the same schemas, read once: building the document takes longer than a call. */
export function contractOf(routes: readonly Route[], build: () => object): ReturnType<typeof loadContract> {
  const parts = ({ method, path, params, query, headers, body, answer }: Route) =>
    [method, path, ...[params, query, headers, body, answer.schema].map(numberOf)].join(' ')
  const key = routes.map(parts).join()
  const contract = contracts.get(key) ?? loadContract(build())
  contracts.set(key, contract)
  return contract
}

const numbers = new WeakMap<object, number>()
const numbersByText = new Map<string, number>()

/** Numbers schemas: equal ones alike. Most are the same object in every service. */
function numberOf(schema: object | undefined): number {
  if (!schema) return 0
  const known = numbers.get(schema)
  if (known !== undefined) return known
  const text = JSON.stringify(schema)
  const number = numbersByText.get(text) ?? numbersByText.size + 1
  numbersByText.set(text, number)
  numbers.set(schema, number)
  return number
}

type Judge = (exchange: Exchange) => Violation[]

/**
 * Prism inside the test's own process. A proxy would cost every test file 0.9 s and 4 ms a call, and could
 * not carry hostile bodies; this sees each exchange after it happened, for 0.45 s a worker and 0.4 ms a call.
 */
export function loadJudge(document: object): Promise<Judge> {
  // The address differs in every file; nothing here depends on it.
  const text = JSON.stringify({ ...document, servers: [] })
  const judge = judges.get(text) ?? readDocument(text)
  judges.set(text, judge)
  return judge
}

/** By document: the files of one worker mostly serve the same. */
const judges = new Map<string, Promise<Judge>>()

async function readDocument(text: string): Promise<Judge> {
  const { validator, router, operations } = loadLibrary()
  const resources = shareSchemas(await operations.getHttpOperationsFromSpec(JSON.parse(text)))
  // Prism's router scores and sorts every operation: those of another length or with other words cannot match.
  const byLength = Map.groupBy(resources, (each) => lengthOf(each.path))
  return ({ method, path, headers, body, answer }) => {
    const { status } = answer
    const input = readInput(method, path, headers, body)
    const output = { statusCode: status, headers: Object.fromEntries(answer.headers), body: answer.body }
    const alike = byLength.get(lengthOf(input.url.path))?.filter((each) => isAlike(each.path, input.url.path))
    const found = router.default({ resources: alike?.length ? alike : resources, input })
    const violations: Violation[] = []
    if (found._tag === 'Left') violations.push({ where: ['request'], message: nowhere })
    else {
      const resource = found.right
      violations.push(...problems('response', validator.validateOutput({ resource, element: output })))
      // Prism itself breaks on addresses that the service refuses, such as /%zz.
      if (isAccepted(status)) {
        violations.push(...problems('request', validator.validateSecurity({ resource, element: input })))
        if (input.body !== unread)
          violations.push(...problems('request', validator.validateInput({ resource, element: input })))
      }
    }
    return violations
  }
}

/**
 * Replaces equal schemas by one object. Prism compiles each schema object once, and most answers of one status have equal
 * schemas: this saves a compilation for each operation and status.
 */
function shareSchemas<Value>(value: Value, shared = new Map<string, unknown>()): Value {
  if (typeof value !== 'object' || value === null) return value
  for (const [name, inner] of Object.entries(value)) {
    if ((name === 'schema' || name === '__bundled__') && typeof inner === 'object') {
      // Prism gives each copy an id of its own.
      const text = JSON.stringify(inner, (key, each) => (key === 'x-stoplight' ? undefined : each))
      const first = shared.get(text) ?? inner
      shared.set(text, first)
      Object.assign(value, { [name]: first })
    } else shareSchemas(inner, shared)
  }
  return value
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

const lengthOf = (path: string) => path.split('/').length

/** Tells whether each word of a path of the document is in the called path of the same length. Prism decodes some. */
function isAlike(path: string, called: string): boolean {
  if (called.includes('%')) return true
  const parts = called.split('/')
  return path.split('/').every((part, at) => part.includes('{') || part === parts[at])
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
