import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { clientConfig, type Queryable } from '../../../src/db/database.ts'
import { bumpRevision, pollRevisions } from '../../../src/db/revisions.ts'
import { asTx } from '../../support/db/as-tx.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'
import { first } from '../../support/runner/first.ts'

type Options = Partial<Parameters<typeof pollRevisions>[1]>

/** A poller, its notifications so far, and another process that makes changes. */
async function start({
  through = (database: Queryable) => database,
  ...options
}: Options & { through?: Through } = {}) {
  const { app, owner } = await makeDatabase()
  const told: string[] = []
  const staleCalls: unknown[] = []
  const poller = pollRevisions(through(openForTest(app)), {
    onChange: (name) => told.push(name),
    onStale: (error) => staleCalls.push(error),
    ...options,
  })
  onTestFinished(() => poller.stop())
  await poller.started
  const other = openForTest(app)
  const raise = (name: 'credentials' | 'data keys') => other.inTx((tx) => bumpRevision(tx, name))
  return { poller, told, staleCalls, raise, owner, other }
}
type Through = (database: Queryable) => Queryable

async function connect(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

test('the poller reports each name once at the start, and then only changes', async () => {
  const { poller, told, staleCalls } = await start({ everyMs: 20 })
  await expect.poll(poller.isFresh).toBe(true)
  await sleep(200)
  expect(told.sort()).toEqual(['credentials', 'data keys', 'rates', 'watch list'])
  expect(staleCalls).toEqual([])
})

test('the poller reports a change by name after its commit, and not before', async () => {
  const { told, raise, other } = await start()
  told.length = 0
  await other.inTx(async (tx) => {
    await bumpRevision(tx, 'credentials')
    await sleep(700)
    expect(told).toEqual([])
  })
  await expect.poll(() => told).toEqual(['credentials'])
  await raise('data keys')
  await raise('data keys')
  await expect.poll(() => told).toContain('data keys')
})

test('a failed database transaction changes no revision', async () => {
  const { told, other } = await start({ everyMs: 20 })
  told.length = 0
  const failing = other.inTx(async (tx) => {
    await bumpRevision(tx, 'credentials')
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  await sleep(100)
  expect(told).toEqual([])
})

test('a revision without a row is an error', async () => {
  const { other, owner } = await start()
  await openForTest({ connection: owner }).query({ text: `delete from svc.revisions where name = 'data keys'` })
  await expect(bumpRevision(asTx(other), 'data keys')).rejects.toThrow('svc.revisions has lost its row "data keys"')
})

test('while the database is down the poller is stale, reports that once, and then catches up', async () => {
  const { poller, told, staleCalls, raise, owner } = await start({ everyMs: 50 })
  const superuser = inject('superuser')
  const admin = await connect(clientConfig({ connection: superuser }))
  const name = 'url' in owner ? new URL(owner.url).pathname.slice(1) : owner.database
  await admin.query(`alter database ${name} with allow_connections false`)
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  await expect.poll(poller.isFresh).toBe(false)
  await expect.poll(() => staleCalls.length).toBe(1)
  await sleep(300)
  expect(staleCalls).toEqual([expect.any(Error)])
  told.length = 0

  await admin.query(`alter database ${name} with allow_connections true`)
  await raise('data keys')
  await expect.poll(poller.isFresh).toBe(true)
  await expect.poll(() => told).toEqual(['data keys'])
  expect(staleCalls).toHaveLength(1)
})

test('a database that does not answer makes the poller stale, with one open query', async () => {
  const { poller, staleCalls, owner } = await start({ everyMs: 20 })
  const locker = await connect(clientConfig({ connection: owner }))
  await locker.query('begin')
  await locker.query('lock table svc.revisions in access exclusive mode')
  await expect.poll(poller.isFresh).toBe(false)
  const { rows } = await locker.query(
    `select count(*)::int as open from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  expect(rows).toEqual([{ open: 1 }])
  await expect.poll(() => staleCalls).toEqual([undefined])
  await locker.query('rollback')
  await expect.poll(poller.isFresh).toBe(true)
})

test('after a blocked event loop the poller is stale until its next poll', async () => {
  const { poller } = await start()
  await expect.poll(poller.isFresh).toBe(true)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_050)
  expect(poller.isFresh()).toBe(false)
  await expect.poll(poller.isFresh).toBe(true)
})

test('a failed change listener is retried, and until then the poller is stale', async () => {
  let isBroken = true
  const told: string[] = []
  const { poller } = await start({
    everyMs: 20,
    onChange: (name) => {
      if (isBroken) throw new Error('cannot forget')
      told.push(name)
    },
    onStale: () => {
      throw new Error('a listener that fails')
    },
  })
  await sleep(100)
  expect(poller.isFresh()).toBe(false)
  isBroken = false
  await expect.poll(poller.isFresh).toBe(true)
  expect(told.sort()).toEqual(['credentials', 'data keys', 'rates', 'watch list'])
})

test('a poller rests while no process commits, and misses no commit: not even one after the start of a poll', async () => {
  let polls = 0
  let answer = Promise.resolve()
  const counting: Through = (database) => ({
    query: async <Row extends pg.QueryResultRow>(statement: Parameters<Queryable['query']>[0]) => {
      polls += 1
      const rows = await database.query<Row>(statement)
      await answer
      return rows
    },
  })
  const { poller, told, staleCalls, raise } = await start({ everyMs: 20, neededForMs: 0, through: counting })
  poller.rest()
  await sleep(100)
  const rested = polls
  await sleep(200)
  expect(polls).toBe(rested)

  // A poll is under way, and has read the rows, when another process commits.
  const answers = Promise.withResolvers<void>()
  answer = answers.promise
  poller.look()
  await expect.poll(() => polls).toBe(rested + 1)
  await sleep(50)
  told.length = 0
  await raise('credentials')
  poller.look()
  poller.rest()
  answers.resolve()
  await expect.poll(() => told).toEqual(['credentials'])

  const resting = setInterval(poller.rest, 20)
  await sleep(1_100)
  expect(poller.isFresh()).toBe(false)
  await expect.poll(poller.isFresh).toBe(true)
  clearInterval(resting)
  expect(staleCalls).toEqual([])
})

test('databaseNow follows the database, regardless of the local clock and the delay of the answer', async () => {
  const hourMs = 3_600_000
  let delaysMs = { before: 0, after: 0 }
  const onSlowServerAheadOfUs: Through = (database) => ({
    query: async <Row extends pg.QueryResultRow>(statement: Parameters<Queryable['query']>[0]) => {
      const askedAt = Date.now()
      await sleep(200)
      const rows = await database.query<Row>(statement)
      await sleep(200)
      const readAt = first(rows).now as number
      delaysMs = { before: readAt - askedAt, after: Date.now() - readAt }
      return rows.map((row) => ({ ...row, now: (row.now as number) + hourMs }))
    },
  })
  const { poller } = await start({ through: onSlowServerAheadOfUs })
  // It cannot know which way took longer: a busy machine may hold up one of the two.
  const unknownMs = Math.abs(delaysMs.before - delaysMs.after) / 2
  expect(delaysMs.after).toBeGreaterThan(190)
  expect(Math.abs(poller.databaseNow() - (Date.now() + hourMs))).toBeLessThan(unknownMs + 100)
})

test('a stopped poller makes no queries and is stale', async () => {
  let asked = 0
  const counting: Through = (database) => ({
    query: (statement) => {
      asked += 1
      return database.query(statement)
    },
  })
  const { poller } = await start({ everyMs: 10, through: counting })
  await poller.stop()
  const before = asked
  await sleep(60)
  expect(asked).toBe(before)
  expect(poller.isFresh()).toBe(false)
})
