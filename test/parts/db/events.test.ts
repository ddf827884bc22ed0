import { spawn } from 'node:child_process'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type Database, isDatabaseUnavailable, type Queryable, type Tx } from '../../../src/db/database.ts'
import { eventChecks } from '../../../src/db/outbox/checks.ts'
import { appendEvent, appendEvents } from '../../../src/db/outbox/events.ts'
import { createSequencerJob } from '../../../src/db/outbox/sequencer.ts'
import { verify } from '../../../src/db/verify.ts'
import { LeaseLost } from '../../../src/db/work.ts'
import { startWorker } from '../../../src/db/workers/worker.ts'
import { newestApiVersion } from '../../../src/http/versions.ts'
import { eventApiVersion } from '../../../src/lib/event-types.ts'
import { newId } from '../../../src/lib/ids.ts'
import { asTx } from '../../support/db/as-tx.ts'
import { makeDatabase, openForTest, type TestDatabase } from '../../support/runner/database.ts'

const leaseMs = 500
type Stamped = { organizationId: string; eventId: string; resourceId: string; version: number; sequence: string | null }

const readAll = (database: Queryable) =>
  database.query<Stamped>({
    text: `select organization_id as "organizationId", event_id as "eventId", resource_id as "resourceId",
                  resource_version as version, sequence from svc.events order by organization_id, sequence`,
  })

const readAfter = (database: Queryable, organizationId: string, column: string, cursor: string) =>
  database.query<{ eventId: string; cursor: string }>({
    text: `select event_id as "eventId", ${column}::text as cursor from svc.events
            where organization_id = $1 and ${column} > $2 order by ${column} limit 20`,
    values: [organizationId, cursor],
  })

const tell = (tx: Tx, organizationId: string, resourceId = newId(), resourceVersion = 1) =>
  appendEvent(tx, { organizationId, type: 'customer.updated', resourceId, resourceVersion, data: { a: 1 } })

/** Pseudo-random numbers: the same for the same seed. */
function makeRandom(state: number): (below: number) => number {
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** A sequencer in a separate process, which prints a line for each batch. */
function startHolder(app: TestDatabase['app']) {
  const file = (name: string) => JSON.stringify(path.join(import.meta.dirname, '..', '..', '..', 'src', 'db', name))
  const code = `
    import { openDatabase } from ${file('database.ts')}
    import { createSequencerJob } from ${file('outbox/sequencer.ts')}
    const job = createSequencerJob(openDatabase(JSON.parse(process.argv[1])), ${leaseMs})
    for (;;) {
      if ((await job.runBatch()) > 0) console.log('sequenced')
      await new Promise((resolve) => setTimeout(resolve, 5))
    }`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, JSON.stringify(app)])
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, hasStamped: new Promise((resolve) => child.stdout.once('data', resolve)) }
}

/** Resources as a capability stores them: the version increments under the row lock. */
async function makeThings(random: (below: number) => number) {
  const { owner, app } = await makeDatabase()
  const asOwner = openForTest({ connection: owner })
  const table = 'create table svc.things (thing_id text primary key, version int not null default 0)'
  await asOwner.query({ text: `${table}; grant select, insert, update on svc.things to svc_app` })
  const database = openForTest({ ...app, connections: 16 })
  const organizationIds = [newId(), newId(), newId()]
  const things = organizationIds.flatMap((organizationId) =>
    Array.from({ length: 4 }, () => ({ organizationId, thingId: newId() })),
  )
  const thingIds = things.map((thing) => thing.thingId)
  await database.query({ text: 'insert into svc.things (thing_id) select unnest($1::text[])', values: [thingIds] })
  /** Changes some resources in one database transaction, waits, and sometimes rolls back. */
  const change = async (): Promise<string[]> => {
    const chosen = things.filter(() => random(things.length) < 2) // in one order, to avoid deadlocks
    const [isMistake, pauseMs] = [random(4) === 0, random(20)]
    const work = database.inTx(async (tx) => {
      const events = []
      for (const { organizationId, thingId } of chosen) {
        const [thing] = await tx.query<{ version: number }>({
          text: 'update svc.things set version = version + 1 where thing_id = $1 returning version',
          values: [thingId],
        })
        const change = { resourceId: thingId, resourceVersion: thing?.version ?? 0, data: { thingId } }
        events.push({ organizationId, type: 'deposit.updated' as const, ...change })
      }
      const eventIds = await appendEvents(tx, events)
      await sleep(pauseMs)
      if (isMistake) throw new Error('changed my mind')
      return eventIds
    })
    return isMistake ? work.catch(() => []) : work
  }
  return { app, database, organizationIds, change }
}

test('every committed event is sequenced without a gap, while writers roll back, wait, race or are killed', async () => {
  const seed = Date.now() % 2 ** 32
  const { app, database, organizationIds, change } = await makeThings(makeRandom(seed))
  const holder = startHolder(app)
  const committed = new Set<string>()
  while (committed.size === 0) for (const eventId of await change()) committed.add(eventId)
  await holder.hasStamped
  const errors: unknown[] = []
  const onError = (_job: string, error: unknown) => errors.push(error)
  const workers = [1, 2].map(() => startWorker([createSequencerJob(openForTest(app), leaseMs)], { onError }))
  let isOver = false
  const seen = organizationIds.map(async (organizationId) => {
    const eventIds: string[] = []
    for (let cursor = '0'; ; ) {
      const wasOver = isOver
      const rows = await readAfter(database, organizationId, 'sequence', cursor)
      eventIds.push(...rows.map((row) => row.eventId))
      cursor = rows.at(-1)?.cursor ?? cursor
      if (wasOver && rows.length === 0) return eventIds
      await sleep(5)
    }
  })
  const write = async () => {
    for (let turn = 0; turn < 50; turn++) for (const eventId of await change()) committed.add(eventId)
  }
  const writing = Promise.all(Array.from({ length: 8 }, write))
  await sleep(200)
  holder.child.kill('SIGKILL')
  await writing
  const unsequenced = async () => (await readAll(database)).filter((event) => event.sequence === null)
  await expect.poll(unsequenced, { message: `seed ${seed}` }).toEqual([])
  isOver = true
  const all = await readAll(database)
  expect(new Set(all.map((event) => event.eventId)), `seed ${seed}`).toEqual(committed)
  expect(all.length).toBeGreaterThan(300)
  const fence = `select fence::int from svc.duties where duty = 'sequence events'`
  const [duty] = await database.query<{ fence: number }>({ text: fence })
  expect(duty?.fence).toBeGreaterThanOrEqual(2) // the killed sequencer held it, another took over
  for (const [place, organizationId] of organizationIds.entries()) {
    const own = all.filter((event) => event.organizationId === organizationId)
    expect(own.map((event) => event.sequence)).toEqual(own.map((_, at) => String(at + 1)))
    expect(await seen[place], `seed ${seed}`).toEqual(own.map((event) => event.eventId))
    for (const thingId of new Set(own.map((event) => event.resourceId))) {
      const versions = own.filter((event) => event.resourceId === thingId).map((event) => event.version)
      expect(versions, `seed ${seed}`).toEqual(versions.map((_, at) => at + 1))
    }
  }
  expect(await verify(database, eventChecks)).toMatchObject({ ok: true })
  await Promise.all(workers.map((worker) => worker.stop()))
  // On a busy machine this process may be too slow for so short a lease, and lose its connection.
  expect(errors.filter((error) => !isDatabaseUnavailable(error))).toEqual([])
})

test.each(['position', 'created_at', 'sequence'])(
  'only the sequence is a safe cursor when an earlier event commits late: %s',
  async (column) => {
    const { app } = await makeDatabase()
    const database = openForTest(app)
    const job = createSequencerJob(database, leaseMs)
    const [organizationId, seen] = [newId(), [] as string[]]
    let cursor = column === 'created_at' ? '-infinity' : '0'
    const poll = async () => {
      await job.runBatch()
      for (const row of await readAfter(database, organizationId, column, cursor)) {
        seen.push(row.eventId)
        cursor = row.cursor
      }
    }
    const [slow, quick] = await database.inTx(async (tx) => {
      const slow = await tell(tx, organizationId)
      const quick = await database.inTx((other) => tell(other, organizationId))
      await poll()
      return [slow, quick]
    })
    await poll()
    // Control: with any other cursor a reader misses an event that was inserted earlier and committed later.
    expect(seen).toEqual(column === 'sequence' ? [quick, slow] : [quick])
  },
)

test('a holder that lost its lease writes nothing', async () => {
  const { app } = await makeDatabase()
  const [database, organizationId] = [openForTest(app), newId()]
  const [sleeper, successor] = [createSequencerJob(database, 60_000), createSequencerJob(database, 60_000)]
  await tell(asTx(database), organizationId)
  expect(await sleeper.runBatch()).toBe(1)
  await tell(asTx(database), organizationId)
  expect(await successor.runBatch()).toBe(0)
  await database.query({ text: `update svc.duties set lease_until = clock_timestamp() - interval '1 second'` })
  expect(await successor.runBatch()).toBe(1)
  await tell(asTx(database), organizationId)
  await expect(sleeper.runBatch()).rejects.toThrow(LeaseLost)
  expect((await readAll(database)).map((event) => event.sequence)).toEqual(['1', '2', null])
  await sleeper.release?.() // it holds no lease, so it releases none
  expect(await successor.runBatch()).toBe(1)
  await successor.release?.()
  await tell(asTx(database), organizationId)
  expect(await sleeper.runBatch()).toBe(1)
})

test('a holder that stalls in the middle of a batch loses its connection after its lease', async () => {
  const { app } = await makeDatabase()
  const [database, organizationId] = [openForTest(app), newId()]
  await tell(asTx(database), organizationId)
  const [reached, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const stopping: Database = {
    ...openForTest(app),
    inTx: (work) =>
      database.inTx((tx) =>
        work(
          asTx({
            query: async (statement) => {
              if (statement.name === 'write event sequences') {
                reached.resolve()
                await stopped.promise
              }
              return tx.query(statement)
            },
          }),
        ),
      ),
  }
  const batch = createSequencerJob(stopping, leaseMs).runBatch()
  const outcome = batch.catch((error: unknown) => error)
  await reached.promise
  const successor = createSequencerJob(database, leaseMs)
  await expect.poll(() => successor.runBatch(), { timeout: leaseMs + 2_000 }).toBe(1)
  stopped.resolve()
  expect(await outcome).toBeInstanceOf(Error)
  expect((await readAll(database)).map((event) => event.sequence)).toEqual(['1'])
  expect(await verify(database, eventChecks)).toMatchObject({ ok: true })
})

test('a version has one event, in business time, and no process can rewrite it', async () => {
  const { app, owner } = await makeDatabase()
  const [database, organizationId, resourceId] = [openForTest(app), newId(), newId()]
  await database.query({ text: `update svc.clock set frozen_at = '2031-05-06T07:08:09Z'` })
  await tell(asTx(database), organizationId, resourceId)
  await expect(tell(asTx(database), organizationId, resourceId)).rejects.toThrow('events_once_per_version')
  await tell(asTx(database), newId(), resourceId)
  const sealed = { eventId: newId(), sealedData: Buffer.from([0, 255]), dataKeyId: newId() }
  await appendEvent(asTx(database), {
    organizationId,
    type: 'customer.created',
    resourceId,
    resourceVersion: 2,
    ...sealed,
  })
  const columns = 'created_at, api_version, data, sealed_data'
  const text = `select ${columns} from svc.events where organization_id = $1 order by position`
  const rows = await database.query({ text, values: [organizationId] })
  const common = { created_at: new Date('2031-05-06T07:08:09Z'), api_version: newestApiVersion }
  expect(eventApiVersion).toBe(newestApiVersion)
  expect(rows).toEqual([
    { ...common, data: '{"a":1}', sealed_data: null },
    { ...common, data: null, sealed_data: sealed.sealedData },
  ])
  await expect(database.query({ text: `update svc.events set data = '{}'` })).rejects.toThrow('permission denied')
  await expect(database.query({ text: 'delete from svc.events' })).rejects.toThrow('permission denied')
  await createSequencerJob(database, leaseMs).runBatch()
  expect(await verify(database, eventChecks)).toMatchObject({ ok: true })
  await openForTest({ connection: owner }).query({ text: 'update svc.events set sequence = sequence + 10' })
  expect((await verify(database, eventChecks)).checks.map((check) => check.ok)).toEqual([false, false, true, true])
})
