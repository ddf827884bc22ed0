import { expect, test } from 'vitest'
import { dutiesJob } from '../../../src/db/duties.ts'
import { claimWork, type Job, LeaseLost, requireFence, type WorkTable } from '../../../src/db/work.ts'
import { allDue, anyDue, dueIn, isDue } from '../../../src/db/workers/due.ts'
import { advanceDueTogether } from '../../../src/db/workers/sets.ts'
import { startWorker } from '../../../src/db/workers/worker.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

const parcels: WorkTable = { table: 'svc.parcels', key: ['parcel'], dueBy: 'business time' }

/** A work table as a capability would have it. */
async function makeParcels(count: number) {
  const { owner, app } = await makeDatabase()
  const asOwner = openForTest({ connection: owner })
  await asOwner.query({
    text: `create table svc.parcels (parcel int primary key, due_at timestamptz, lease_until timestamptz,
             fence bigint not null default 0, sent int not null default 0)`,
  })
  await asOwner.query({ text: 'grant select, insert, update on svc.parcels to svc_app' })
  const database = openForTest({ ...app, connections: 16 })
  await database.query({
    text: 'insert into svc.parcels (parcel, due_at) select n, svc.now() from generate_series(1, $1::int) n',
    values: [count],
  })
  const claim = (limit: number, leaseMs = 30_000) =>
    claimWork<{ parcel: number }>(database, parcels, { limit, leaseMs })
  const finish = async ({ parcel, fence }: { parcel: number; fence: string }) =>
    requireFence(
      await database.query({
        text: `update svc.parcels set sent = sent + 1, due_at = null, lease_until = null
                where parcel = $1 and fence = $2 returning parcel`,
        values: [parcel, fence],
      }),
    )
  return { database, claim, finish, app }
}

test('sixteen concurrent workers never claim the same row', async () => {
  const { claim } = await makeParcels(200)
  const batches = await Promise.all(Array.from({ length: 16 }, () => claim(20)))
  const claimed = batches.flat().map((row) => row.parcel)
  expect(new Set(claimed).size).toBe(claimed.length)
  expect(claimed.length).toBeLessThanOrEqual(200)
  expect(claimed.length + (await claim(200)).length).toBe(200)
  expect(await claim(10)).toEqual([])
})

test('after a lease ends another worker takes over, and the late first one writes nothing', async () => {
  const { claim, finish, database } = await makeParcels(1)
  const [sleeper] = await claim(1, 100)
  expect(await claim(1)).toEqual([])
  let successor: Awaited<ReturnType<typeof claim>> = []
  await expect
    .poll(async () => {
      successor = await claim(1)
      return successor.length
    })
    .toBe(1)
  await expect(finish(sleeper!)).rejects.toThrow(LeaseLost)
  await finish(successor[0]!)
  expect(await database.query({ text: 'select sent, fence from svc.parcels' })).toEqual([{ sent: 1, fence: '2' }])
})

test('work is due by business time: advancing the clock brings it forward', async () => {
  const { claim, database } = await makeParcels(1)
  await database.query({ text: `update svc.parcels set due_at = svc.now() + interval '1 day'` })
  expect(await claim(1)).toEqual([])
  await database.query({ text: `update svc.clock set ahead = interval '25 hours'` })
  expect(await claim(1)).toHaveLength(1)
})

test('a worker polls at once when woken, drains on stop and survives a failing batch', async () => {
  const { claim, finish, database } = await makeParcels(0)
  const errors: unknown[] = []
  let isFirst = true
  const job: Job = {
    name: 'parcels',
    runBatch: async () => {
      if (isFirst) {
        isFirst = false
        throw new Error('the van broke down')
      }
      const rows = await claim(10)
      for (const row of rows) await finish(row)
      return rows.length
    },
  }
  // The poll interval is a minute: only the wake-up can make the work happen in time.
  const worker = startWorker([job], { pollMs: 60_000, onError: (_job, error) => errors.push(error) })
  await database.query({
    text: 'insert into svc.parcels (parcel, due_at) select n, svc.now() from generate_series(1, 35) n',
  })
  const unsent = async () =>
    (await database.query<{ count: string }>({ text: 'select count(*) from svc.parcels where sent <> 1' }))[0]?.count
  await expect
    .poll(async () => {
      worker.wake()
      return unsent()
    })
    .toBe('0')
  await worker.stop()
  expect(errors).toHaveLength(1)
})

test('a worker finds work that another process commits, also when the commit comes long after the write', async () => {
  const { claim, finish, database, app } = await makeParcels(0)
  const other = openForTest(app)
  let looks = 0
  const job: Job = {
    name: 'parcels',
    due: dueIn(parcels),
    pollMs: 10,
    runBatch: async () => {
      looks += 1
      const rows = await claim(10)
      for (const row of rows) await finish(row)
      return rows.length
    },
  }
  const watchMs = { busy: 10, alert: 10, idle: 10 }
  const worker = startWorker([job], { database, watchMs, pollMs: 60_000, onError: () => {} })
  await expect.poll(() => looks).toBe(1)
  const sent = async () =>
    (await database.query<{ count: string }>({ text: 'select count(*) from svc.parcels where sent = 1' }))[0]?.count
  const insert = (parcel: number) => ({
    text: 'insert into svc.parcels (parcel, due_at) values ($1, svc.now())',
    values: [parcel],
  })
  await other.query(insert(1))
  await expect.poll(sent).toBe('1')
  const written = Promise.withResolvers<void>()
  const mayCommit = Promise.withResolvers<void>()
  const late = other.inTx(async (tx) => {
    await tx.query(insert(2))
    written.resolve()
    await mayCommit.promise
  })
  await written.promise
  // Another commit, which the worker has handled, lies between the write and its commit.
  await other.query(insert(3))
  await expect.poll(sent).toBe('2')
  mayCommit.resolve()
  await late
  await expect.poll(sent).toBe('3')
  await worker.stop()
  // About two for each wake-up: a worker without work does not look.
  expect(looks).toBeLessThan(20)
})

test('a condition of no parts is a condition: one job without any must not blind the worker for all others', async () => {
  const { database } = await makeParcels(0)
  const none = { column: 'parcel', values: [] }
  expect(await isDue(database, dueIn(parcels, none))).toBe(false)
  expect(await isDue(database, anyDue())).toBe(false)
  expect(await isDue(database, allDue())).toBe(true)
})

test('two workers do a duty once per period, and a worker that does not know the duty skips it', async () => {
  const { app } = await makeDatabase()
  const database = openForTest(app)
  let runs = 0
  const duty = { name: 'sweep', everyMs: 3_600_000, run: async () => ({ swept: ++runs }) }
  const jobs = await Promise.all([dutiesJob(database, [duty], 60_000), dutiesJob(database, [duty], 60_000)])
  const stranger = await dutiesJob(database, [{ ...duty, name: 'other', run: async () => undefined }], 60_000)
  expect(await stranger.runBatch()).toBe(1)
  expect(await stranger.runBatch()).toBe(0)
  const done = await Promise.all([...jobs, ...jobs].map((job) => job.runBatch()))
  expect(done.filter((count) => count === 1)).toHaveLength(1)
  expect(runs).toBe(1)
  const [row] = await database.query({ text: `select outcome, lease_until from svc.duties where duty = 'sweep'` })
  expect(row).toEqual({ outcome: { swept: 1 }, lease_until: null })
})

test('a duty that takes longer than its lease is not taken over while its worker lives', async () => {
  const { app } = await makeDatabase()
  const database = openForTest(app)
  let runs = 0
  let finish = () => {}
  const run = () => {
    runs += 1
    return new Promise<void>((resolve) => {
      finish = resolve
    })
  }
  const long = { name: 'long', everyMs: 3_600_000, run }
  const leaseMs = 3_000
  const [first, second] = await Promise.all([
    dutiesJob(database, [long], leaseMs),
    dutiesJob(database, [long], leaseMs),
  ])
  const lease = `select lease_until as at from svc.duties where duty = 'long'`
  const leasedUntil = async () => (await database.query<{ at: Date }>({ text: lease }))[0]?.at.getTime() ?? 0
  const running = first.runBatch()
  await expect.poll(() => runs).toBe(1)
  const claimedUntil = await leasedUntil()
  // Renewed again and again, and past the end of the first lease.
  await expect.poll(leasedUntil, { interval: 200 }).toBeGreaterThan(claimedUntil + leaseMs)
  expect(await second.runBatch()).toBe(0)
  finish()
  expect(await running).toBe(1)
  expect(runs).toBe(1)
})

test('a duty that fails waits for its interval, keeps its error, and blocks no other duty', async () => {
  const { app } = await makeDatabase()
  const database = openForTest(app)
  const runs = { broken: 0, healthy: 0 }
  const broken = {
    name: 'broken',
    everyMs: 3_600_000,
    run: async () => {
      runs.broken += 1
      throw new Error('the statement took too long')
    },
  }
  const healthy = { name: 'healthy', everyMs: 3_600_000, run: async () => ({ healthy: ++runs.healthy }) }
  const job = await dutiesJob(database, [broken, healthy], 60_000)
  await database.query({ text: `update svc.duties set due_at = '2000-01-01' where duty = 'broken'` })
  const outcomes = [await job.runBatch().catch(String), await job.runBatch().catch(String), await job.runBatch()]
  expect(outcomes).toEqual(['Error: the statement took too long', 1, 0])
  expect(runs).toEqual({ broken: 1, healthy: 1 })
  const [row] = await database.query({
    text: `select failure, failed_at is not null as failed, finished_at, lease_until, due_at > now() as "isLater"
             from svc.duties where duty = 'broken'`,
  })
  const kept = { failure: 'the statement took too long', failed: true, finished_at: null, lease_until: null }
  expect(row).toEqual({ ...kept, isLater: true })
})

test('a duty that continues without a pause rests while its condition does not hold', async () => {
  const { database } = await makeParcels(2)
  let runs = 0
  const run = async () => {
    runs += 1
    await database.query({ text: 'update svc.parcels set due_at = null where parcel = $1', values: [runs] })
  }
  const job = await dutiesJob(
    database,
    [{ name: 'send parcels', everyMs: 3_600_000, due: dueIn(parcels), run, pauseMs: () => 0 }],
    30_000,
  )
  expect([await job.runBatch(), await job.runBatch(), await job.runBatch()]).toEqual([1, 1, 0])
  expect(runs).toBe(2)
  await database.query({ text: 'update svc.parcels set due_at = svc.now() where parcel = 2' })
  expect(await job.runBatch()).toBe(1)
})

test('a set that is rolled back is reported, and its rows are advanced alone while the lease lasts', async () => {
  const { claim, finish, database } = await makeParcels(3)
  const setFailures: unknown[] = []
  const failures: unknown[] = []
  const memory = { isDoubted: false }
  const sendDue = (leaseMs: number) =>
    advanceDueTogether({
      claim: () => claim(10, leaseMs),
      advanceTogether: async () => {
        throw new Error('one parcel is broken')
      },
      onSetFailure: (error) => setFailures.push(error),
      leaseMs,
      memory,
      advance: finish,
      postpone: async () => {},
      onFailure: (error) => failures.push(error),
    })
  const countSent = async () => (await database.query({ text: 'select from svc.parcels where sent = 1' })).length

  // The lease ends before the first of them: any worker may take them.
  expect(await sendDue(0)).toBe(3)
  expect(await countSent()).toBe(0)
  // The next batch forms no set, which might use up the lease again.
  expect(await sendDue(30_000)).toBe(3)
  expect(await countSent()).toBe(3)
  expect(setFailures).toHaveLength(1)
  await database.query({ text: 'update svc.parcels set due_at = svc.now(), sent = 0' })
  expect(await sendDue(30_000)).toBe(3)
  expect(await countSent()).toBe(3)
  expect([setFailures.length, failures.length]).toEqual([2, 0])
})
