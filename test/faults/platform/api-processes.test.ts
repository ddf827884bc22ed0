import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import type { BodyOf } from '../../support/runner/answers.ts'
import { startApi, testMasterKey } from '../../support/runner/api.ts'
import { makeFolder } from '../../support/runner/folder.ts'
import { prompt } from '../../support/runner/patience.ts'
import {
  childrenOf,
  freePort,
  makeDataFolder,
  startServe,
  svc,
  untilFileEnds,
  urlOf,
} from '../../support/runner/process.ts'

/** `svc serve` with two API processes behind one port. The requests of a connection reach one process. */
const publicLimit = 20
const { folder, remove } = await makeFolder('svc processes ')
afterAll(remove)
const untilEnd = untilFileEnds()
const { apiKey, database } = await startApi({ SVC_RATE_LIMIT_SANDBOX: '0' })
const metricsPort = await freePort()
const settings = {
  SVC_RATE_LIMIT_SANDBOX: '0',
  SVC_RATE_LIMIT_PUBLIC: String(publicLimit),
  SVC_METRICS_PORT: String(metricsPort),
  SVC_PROCESSES: '2',
  DATABASE_URL: urlOf(database.owner),
  SVC_DATA_DIR: folder,
  SVC_MASTER_KEY: testMasterKey.toString('base64'),
  PORT: '0',
}
const { process: service, baseUrl } = await startServe(settings, untilEnd)
const supervisor = () => childrenOf(service.child.pid ?? 0)[0] ?? 0

type Answer = { status: number; body: string; requestId: string }
type Call = { method?: string; key?: string; headers?: Record<string, string>; body?: object }

async function ask(agent: Agent | false, path: string, call: Call = {}): Promise<Answer> {
  const { method = 'GET', key = apiKey, body } = call
  const requestId = newId()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-request-id': requestId }
  const sent = send(agent, path, { method, headers: { ...headers, ...call.headers } })
  sent.end(body && JSON.stringify(body))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode ?? 0, body: await text(answer), requestId }
}

function send(agent: Agent | false, path: string, options: RequestOptions): ClientRequest {
  const url = new URL(path, baseUrl)
  return request(url, { agent, ...options })
}

/** Begins a request for a key: the service has its head, and waits for its body. */
function beginKey(url: URL, agent: Agent | false = false): { sent: ClientRequest; finish(): void } {
  const body = JSON.stringify({ name: 'Last', scopes: ['organizations:read'] })
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
    expect: '100-continue',
  }
  const sent = request(url, { agent, method: 'POST', headers })
  sent.flushHeaders()
  return { sent, finish: () => void sent.end(body) }
}

/** Whether the next supervisor could have this port: it takes none that another process listens on. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}

/** The number of the process that logged this request. */
async function processOf(requestId: string): Promise<number> {
  const [line] = await service.prints(new RegExp(`^.*"requestId":"${requestId}".*$`, 'm'))
  return (JSON.parse(line) as { process: number }).process
}

/** Opens connections until there is one to each process. */
async function connectToBoth(): Promise<[Agent, Agent]> {
  const found = new Map<number, Agent>()
  untilEnd(() => {
    for (const agent of found.values()) agent.destroy()
  })
  for (let tries = 0; tries < 20; tries += 1) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { status, requestId } = await ask(agent, '/organizations')
    expect(status).toBe(200)
    found.set(await processOf(requestId), agent)
    const [first, second] = [found.get(1), found.get(2)]
    if (first && second) return [first, second]
  }
  throw new Error(`only these processes answered: ${[...found.keys()]}`)
}

test('both processes answer, and each scrape shows the metrics of both', async () => {
  await connectToBoth()
  expect(childrenOf(supervisor())).toHaveLength(2)
  const ofOperations = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  for (const metrics of [(await ask(false, '/metrics')).body, ofOperations]) {
    const counts = metrics.match(/^svc_http_request_seconds_count\{.*route="\/organizations".*$/gm) ?? []
    expect(counts.map((line) => /process="(\d)"/.exec(line)?.[1]).sort()).toEqual(['1', '2'])
    // A sum over the processes counts what each of them holds, and what the deployment has once.
    expect(metrics.match(/^svc_event_streams\{process="[12]"\} 0$/gm)).toHaveLength(2)
    expect(metrics.match(/^svc_transactions_stuck.*$/gm)).toEqual(['svc_transactions_stuck 0'])
    expect(metrics.match(/^svc_verifications_waiting\{.*$/gm)?.filter((line) => line.includes('process='))).toEqual([])
    const heads = metrics.match(/^# TYPE \S+/gm) ?? []
    expect(heads).toHaveLength(new Set(heads).size)
  }
  expect((await fetch(`http://127.0.0.1:${metricsPort}/readyz`)).status).toBe(200)
})

test('an idempotency key that both processes get runs once', async () => {
  const agents = await connectToBoth()
  const headers = { 'idempotency-key': newId() }
  const body = { name: 'Once', scopes: ['organizations:read'] }
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, at) => ask(agents[at % 2 ? 0 : 1], '/api-keys', { method: 'POST', headers, body })),
  )
  // A request that meets one in progress is told to try again.
  expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
  for (const agent of agents) answers.push(await ask(agent, '/api-keys', { method: 'POST', headers, body }))
  const made = answers.filter(({ status }) => status === 201)
  const ids = made.map((answer) => (JSON.parse(answer.body) as BodyOf<'POST /api-keys'>).apiKeyId)
  expect(ids.length).toBeGreaterThan(2)
  expect(new Set(ids).size).toBe(1)
})

test('a key that one process revokes is refused by both', async () => {
  const [first, second] = await connectToBoth()
  const body = { name: 'Doomed', scopes: ['organizations:read'] }
  const made = await ask(first, '/api-keys', { method: 'POST', body })
  const doomed = JSON.parse(made.body) as BodyOf<'POST /api-keys'> & { apiKey: string }
  for (const agent of [first, second])
    expect((await ask(agent, '/organizations', { key: doomed.apiKey })).status).toBe(200)
  await ask(first, `/api-keys/${doomed.apiKeyId}`, { method: 'DELETE' })
  for (const agent of [first, second]) {
    const status = async () => (await ask(agent, '/organizations', { key: doomed.apiKey })).status
    await expect.poll(status, prompt).toBe(401)
  }
})

test('the limit of an address is not larger with two processes', async () => {
  const before = performance.now()
  const answers = await Promise.all(Array.from({ length: 4 * publicLimit }, () => ask(false, '/version')))
  const statuses = answers.map(({ status }) => status)
  const passed = statuses.filter((status) => status === 200).length
  const trickled = Math.ceil((publicLimit * (performance.now() - before)) / 60_000)
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
  expect(passed).toBeLessThanOrEqual(publicLimit + 2 * trickled)
})

test('after a process is killed, no connection is refused, and another process takes its place', async () => {
  const [first] = await connectToBoth()
  const before = childrenOf(supervisor())
  const failures: string[] = []
  let isOver = false
  const callers = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const answer = await ask(false, '/organizations').catch((error: NodeJS.ErrnoException) => error)
      if (answer instanceof Error) failures.push(answer.code ?? answer.message)
      else expect(answer.status).toBe(200)
    }
  })
  process.kill(before[1] ?? 0, 'SIGKILL')
  const [line] = await service.prints(/^.*an API process ended and is restarted.*$/m)
  expect(JSON.parse(line)).toMatchObject({ level: 'warn', process: 2, pid: before[1], signal: 'SIGKILL' })
  const countStarts = () => service.output().split('"process":2,"msg":"an API process is listening"').length - 1
  await expect.poll(countStarts).toBe(2)
  isOver = true
  await Promise.all(callers)
  // The connections of the killed process were reset; a few, which it was handed while it died.
  expect(failures.filter((code) => code !== 'ECONNRESET')).toEqual([])
  expect((await ask(first, '/organizations')).status).toBe(200)
  await connectToBoth()
  expect(childrenOf(supervisor())).not.toContain(before[1])
})

test('a machine without room for a process ends no other, and starts it once there is room', async () => {
  await connectToBoth()
  const limitFiles = (most: string) => execFileSync('prlimit', [`--pid=${supervisor()}`, `--nofile=${most}:`])
  limitFiles('3')
  process.kill(childrenOf(supervisor())[0] ?? 0, 'SIGKILL')
  await service.prints(/"code":null,"signal":null,.*an API process ended and is restarted/)
  limitFiles('1000')
  await expect.poll(() => childrenOf(supervisor())).toHaveLength(2)
  await expect.poll(() => connectToBoth().then(() => 'both answer', String)).toBe('both answer')
})

test('a process that hangs is killed, and another takes its place', async () => {
  await connectToBoth()
  const hung = childrenOf(supervisor())[0] ?? 0
  process.kill(hung, 'SIGSTOP')
  const [line] = await service.prints(/^.*an API process does not answer and is killed.*$/m)
  expect(JSON.parse(line)).toMatchObject({ level: 'warn', pid: hung })
  await expect.poll(() => childrenOf(supervisor()).filter((pid) => pid !== hung)).toHaveLength(2)
  await expect.poll(() => connectToBoth().then(() => 'both answer', String)).toBe('both answer')
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(false, '/organizations')))
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
})

test('after the supervisor is killed, its ports are free at once, and begun requests are answered', async () => {
  const ports = [await freePort(), await freePort()] as const
  const named = { PORT: String(ports[0]), SVC_METRICS_PORT: String(ports[1]) }
  const killed = await startServe({ ...settings, ...named, SVC_DRAIN_DELAY_MS: '600000' })
  const [killedPid = 0] = childrenOf(killed.process.child.pid ?? 0)
  const { sent, finish } = beginKey(new URL('/api-keys', killed.baseUrl))
  await once(sent, 'continue')
  process.kill(killedPid, 'SIGKILL')
  for (const port of ports) await expect.poll(() => isFree(port)).toBe(true)
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>
  finish()
  expect((await answered)[0].statusCode).toBe(201)
  // Resolves when no process holds its output any more.
  await killed.process.exited
})

test('a stop answers the requests that have begun at each process, and ends all of them', async () => {
  const agents = await connectToBoth()
  const pids = childrenOf(supervisor())
  const begun = agents.map((agent) => beginKey(new URL('/api-keys', baseUrl), agent))
  await Promise.all(begun.map(({ sent }) => once(sent, 'continue')))
  service.child.kill('SIGTERM')
  for (const number of [1, 2]) await service.prints(new RegExp(`"process":${number},[^\n]*"msg":"stopping"`))
  const answers = begun.map(({ sent, finish }) => {
    finish()
    return once(sent, 'response') as Promise<[IncomingMessage]>
  })
  for (const [answer] of await Promise.all(answers)) expect(answer.statusCode).toBe(201)
  expect(await service.exited).toBe(0)
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

test('a start that fails says why once, and ends', async () => {
  const url = `postgres://svc@127.0.0.1:${await freePort()}/svc`
  const own = { DATABASE_URL: url, SVC_DATA_DIR: await makeDataFolder(), PORT: '0' }
  const refused = svc(['serve'], { ...own, SVC_PROCESSES: '2' })
  expect(await refused.exited).toBe(1)
  expect(refused.output().match(/No database answers/g)).toHaveLength(1)
  expect(refused.output()).toContain('The API could not start, for the reason above')
})

test('the sandbox in one process refuses to be several', async () => {
  const refused = svc(['dev'], { SVC_DATA_DIR: await makeDataFolder(), SVC_PROCESSES: '2' })
  expect(await refused.exited).toBe(1)
  expect(refused.output()).toContain('SVC_PROCESSES is for "svc serve"')
})

test('several processes share the embedded database that their supervisor starts', async () => {
  const dataFolder = await makeDataFolder()
  const embedded = svc(['serve'], { SVC_DATA_DIR: dataFolder, SVC_PROCESSES: '2', PORT: '0' })
  const [, address] = await embedded.prints(/"baseUrl":"([^"]+)","processes":2/)
  expect(embedded.output().match(/migrated the database schema/g)).toHaveLength(1)
  expect((await fetch(`${address}/readyz`)).status).toBe(200)
  embedded.child.kill('SIGINT')
  expect(await embedded.exited).toBe(0)
  expect(embedded.output()).not.toMatch(/"level":"(warn|error)"/)
})
