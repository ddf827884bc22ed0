import { expect, test } from 'vitest'
import {
  type CuttingProxy,
  seededRandom,
  startCuttingProxy,
  startDatabaseProxy,
} from '../../support/faults/cutting-proxy.ts'
import type { BodyOf } from '../../support/runner/answers.ts'
import { startApi, type TestApi } from '../../support/runner/api.ts'
import { makeDatabase, openForTest, type TestDatabase } from '../../support/runner/database.ts'
import { playRounds, roundsTimeoutMs, seed } from '../../support/runner/form.ts'

const callers = 16
const callsEach = 25

/** The client's own history: acknowledged requests, and requests with an unknown outcome. */
type History = { acknowledged: Map<string, string>; unknown: Set<string> }

async function makeKeys(api: TestApi, baseUrl: string, prefix: string): Promise<History> {
  const history: History = { acknowledged: new Map(), unknown: new Set() }
  const createOne = async (name: string) => {
    try {
      const response = await call(baseUrl, api.apiKey, name)
      if (response.status === 201)
        history.acknowledged.set(name, ((await response.json()) as BodyOf<'POST /api-keys'>).apiKeyId)
      else history.unknown.add(name) // 503 and 409 do not say whether the request was committed
    } catch {
      history.unknown.add(name)
    }
  }
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let at = 0; at < callsEach; at++) await createOne(`${prefix} ${caller}-${at}`)
    }),
  )
  return history
}

function call(baseUrl: string, apiKey: string, name: string, idempotencyKey = name): Promise<Response> {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    'x-idempotency-key': idempotencyKey,
  }
  return fetch(`${baseUrl}/api-keys`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name, scopes: ['quotes:read'] }),
  })
}

async function countByName(database: TestDatabase, prefix: string): Promise<Map<string, number>> {
  const rows = await openForTest({ connection: database.owner }).query<{ name: string; count: number }>({
    text: `select name, count(*)::int as count from svc.api_keys where name like $1 group by name`,
    values: [`${prefix}%`],
  })
  return new Map(rows.map((row) => [row.name, row.count]))
}

/** Makes room for the keys of the next round: an organization can have 1,000, and create as many within 24 hours. */
const revokeAll = (database: TestDatabase, prefix: string) =>
  openForTest({ connection: database.owner }).query({
    text: `update svc.api_keys set revoked_at = clock_timestamp(), created_at = created_at - interval '25 hours'
            where name like $1`,
    values: [`${prefix}%`],
  })

/** An acknowledged request is in the database; an unknown one, retried with its key, is there exactly once. */
async function settle(
  api: TestApi,
  { acknowledged, unknown }: History,
  proxy: CuttingProxy,
  prefix: string,
): Promise<void> {
  expect(proxy.cuts(), `seed ${seed}: nothing was cut`).toBeGreaterThan(0)
  proxy.setRate(0)
  const before = await countByName(api.database, prefix)
  for (const name of acknowledged.keys()) expect([name, before.get(name)], `seed ${seed}`).toEqual([name, 1])
  for (const name of unknown) {
    await expect.poll(async () => (await call(api.baseUrl, api.apiKey, name)).status).toBe(201)
  }
  const after = await countByName(api.database, prefix)
  expect(after.size).toBe(callers * callsEach)
  expect(
    [...after.values()].filter((count) => count !== 1),
    `seed ${seed}`,
  ).toEqual([])
}

test(
  'replies lost between client and API lose no acknowledged request and duplicate no unknown one',
  async () => {
    const api = await startApi({ SVC_RATE_LIMIT_SANDBOX: '0' })
    const { hostname, port } = new URL(api.baseUrl)
    const proxy = await startCuttingProxy({ host: hostname, port: Number(port) }, seededRandom(seed))
    await playRounds({ short: 1, full: 50 }, async (round) => {
      const prefix = `client ${round}:`
      proxy.setRate(0.02)
      const history = await makeKeys(api, `http://127.0.0.1:${proxy.port}`, prefix)
      const wereCommitted = await countByName(api.database, prefix)
      const doubled = [...history.unknown].filter((name) => wereCommitted.has(name))
      // Why keys matter: most requests with an unknown outcome were committed.
      expect(doubled.length, `seed ${seed}`).toBeGreaterThan(0)
      await settle(api, history, proxy, prefix)

      // Negative control: a retry with a new key duplicates exactly those.
      for (const name of doubled) await call(api.baseUrl, api.apiKey, name, `${name} under a new key`)
      const counts = await countByName(api.database, prefix)
      for (const name of doubled) expect([name, counts.get(name)]).toEqual([name, 2])
      await revokeAll(api.database, prefix)
    })
    await proxy.close()
  },
  roundsTimeoutMs,
)

test(
  'replies lost between API and database lose no acknowledged request and duplicate no unknown one',
  async () => {
    const database = await makeDatabase()
    const { proxy, connection } = await startDatabaseProxy(database.app.connection, seededRandom(seed))
    const app = { ...database.app, connection }
    const api = await startApi({ SVC_RATE_LIMIT_SANDBOX: '0' }, { database: { ...database, app } })
    await playRounds({ short: 1, full: 50 }, async (round) => {
      const prefix = `database ${round}:`
      proxy.setRate(0.02)
      await settle(api, await makeKeys(api, api.baseUrl, prefix), proxy, prefix)
      await revokeAll(api.database, prefix)
    })
    await proxy.close()
  },
  roundsTimeoutMs,
)
