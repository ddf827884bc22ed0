import { setTimeout } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { appendEvent } from '../../../src/db/outbox/events.ts'
import { newId } from '../../../src/lib/ids.ts'
import type { BodyOf } from '../../support/runner/answers.ts'
import { startApi, testMasterKey } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'
import { first } from '../../support/runner/first.ts'
import { makeFolder } from '../../support/runner/folder.ts'
import { prompt } from '../../support/runner/patience.ts'
import { freePort, killAtOnce, startServe, svc, untilFileEnds, urlOf } from '../../support/runner/process.ts'

/** One API in this process and one in another, on the same database with the same master key. */
const shared = { SVC_LEASE_MS: '500', SVC_RATE_LIMIT_SANDBOX: '0' }
const { folder, remove } = await makeFolder('svc two ')
afterAll(remove)
const untilEnd = untilFileEnds()
const here = await startApi(shared)
const { apiKey, database } = here
const settings = {
  ...shared,
  DATABASE_URL: urlOf(database.owner),
  SVC_DATA_DIR: folder,
  SVC_MASTER_KEY: testMasterKey.toString('base64'),
  PORT: '0',
}
const there = await startServe(settings, untilEnd)
const apis = [here, there] as const

const get = (at: 0 | 1, path: string, key = apiKey) =>
  fetch(`${apis[at].baseUrl}${path}`, { headers: { authorization: `Bearer ${key}` } })

test('after one process revokes a key, the other rejects it and its tokens within about a second', async () => {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'Doomed', scopes: ['organizations:read'] })
  const created = await fetch(`${apis[0].baseUrl}/api-keys`, { method: 'POST', headers, body })
  const doomed = (await created.json()) as BodyOf<'POST /api-keys'> & { apiKey: string }
  const exchanged = await fetch(`${apis[0].baseUrl}/auth/token`, {
    method: 'POST',
    headers: { authorization: `Bearer ${doomed.apiKey}` },
  })
  const { access_token } = (await exchanged.json()) as BodyOf<'POST /auth/token'>
  // Cached in the other process.
  for (const credential of [doomed.apiKey, access_token])
    expect((await get(1, '/organizations', credential)).status).toBe(200)
  await fetch(`${apis[0].baseUrl}/api-keys/${doomed.apiKeyId}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${apiKey}` },
  })
  for (const credential of [doomed.apiKey, access_token]) {
    await expect.poll(async () => (await get(1, '/organizations', credential)).status, prompt).toBe(401)
  }
})

test('every process accepts a new signing key from its first token on', async () => {
  const tokenFromFirst = async () => {
    const response = await fetch(`${apis[0].baseUrl}/auth/token`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
    })
    return ((await response.json()) as BodyOf<'POST /auth/token'>).access_token
  }
  const keyIdOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid as string
  const before = await tokenFromFirst()
  expect(await svc(['keys', 'rotate'], settings).exited).toBe(0)
  let isRenewed = false
  while (!isRenewed) {
    const token = await tokenFromFirst()
    isRenewed = keyIdOf(token) !== keyIdOf(before)
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await get(1, '/organizations', token)).status),
    )
    expect(statuses).toEqual(Array.from({ length: 8 }, () => 200))
    await setTimeout(20)
  }
  expect((await get(1, '/organizations', before)).status).toBe(200)
})

test('two processes share one rate limit', async () => {
  const { organizationId } = await here.app.organizations.create({
    name: 'Limited',
    tier: 'BUILDER',
    parentOrganizationId: null,
  })
  await here.app.organizations.setTerms(organizationId, { requestsPerMinute: 120 })
  const limited = (await here.app.credentials.createFullKey('Limited', organizationId)).apiKey
  const before = performance.now()
  const statuses = await Promise.all(
    Array.from({ length: 240 }, async (_, at) => (await get(at % 2 ? 0 : 1, '/organizations', limited)).status),
  )
  const passed = statuses.filter((status) => status === 200).length
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
  const trickled = (2 * (performance.now() - before)) / 1_000
  expect(passed).toBeLessThan(160 + trickled)
  expect(passed).toBeGreaterThan(90)
})

test('an operator sets limits on the command line; invalid ones are refused and change nothing', async () => {
  const { organizationId } = await here.app.organizations.create({
    name: 'On the command line',
    tier: 'BUILDER',
    parentOrganizationId: null,
  })
  const set = (...flags: string[]) => svc(['organizations', 'set', organizationId, ...flags], settings)
  const limited = set('--guarantee-per-transaction', '25000', '--guarantee-per-organization', '500000.50')
  expect(await limited.exited).toBe(0)
  expect(await set('--guarantee-window', '86400', '--requests-per-minute', '0').exited).toBe(0)
  for (const flags of [
    ['--guarantee-window', '299'],
    ['--guarantee-per-transaction', '1.234'],
    ['--guarantee-per-organization', 'many'],
  ])
    expect([flags, await set(...flags).exited]).toEqual([flags, 2])
  const { apiKey: key } = await here.app.credentials.createFullKey('On the command line', organizationId)
  const { limits } = (await here.get(`/organizations/${organizationId}`, { apiKey: key })).body
  expect(limits).toMatchObject({
    requestsPerMinute: 0,
    guaranteedUSDAmountPerTransaction: '25000',
    guaranteedUSDAmountPerOrganization: '500000.50',
    guaranteeWindowSeconds: 86_400,
  })
})

test('when the worker that sequences events is killed, another takes over without a gap', async () => {
  const db = openForTest(database.app)
  const { organizationId } = first((await here.get('/organizations')).body.organizations)
  const workers = [svc(['worker'], settings), svc(['worker'], settings)]
  await Promise.all(workers.map((worker) => worker.prints(/the worker is running/)))
  const append = (count: number) =>
    db.inTx(async (tx) => {
      for (let at = 0; at < count; at++) {
        const event = {
          organizationId,
          type: 'customer.created' as const,
          resourceId: newId(),
          resourceVersion: 1,
          data: {},
        }
        await appendEvent(tx, event)
      }
    })
  /** Counts the appended events. Others, such as those about keys, may lie between them, but no gap. */
  const appended = async () => {
    const { events } = (await (await get(0, '/events?pageSize=100')).json()) as BodyOf<'GET /events'>
    const sequences = events.map((event) => Number(event.sequence)).reverse()
    expect(sequences).toEqual(sequences.map((_, at) => at + 1))
    return events.filter(({ type }) => type === 'customer.created').length
  }
  await append(20)
  await expect.poll(appended).toBe(20)
  for (const [at, worker] of [...workers].entries()) {
    await killAtOnce(worker)
    if (at === 1) svc(['worker'], settings)
    await append(20)
    await expect.poll(appended).toBe(40 + at * 20)
  }
})

test('a worker serves its health and metrics on its own port', async () => {
  const port = await freePort()
  const worker = svc(['worker'], { ...settings, SVC_METRICS_PORT: String(port) })
  await worker.prints(/the worker is running/)
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
  expect(await (await get('/readyz')).json()).toEqual({ status: 'ready', concerns: [] })
  expect(await (await get('/metrics')).text()).toMatch(/svc_job_failures_total/)
  expect((await get('/organizations')).status).toBe(404)
  worker.child.kill('SIGTERM')
  expect(await worker.exited).toBe(0)
})
