import { expect, test } from 'vitest'
import type { Database, Queryable, Statement } from '../../../src/db/database.ts'
import { eventChecks } from '../../../src/db/outbox/checks.ts'
import { appendEvents } from '../../../src/db/outbox/events.ts'
import { createSequencerJob } from '../../../src/db/outbox/sequencer.ts'
import { verify } from '../../../src/db/verify.ts'
import type { Job } from '../../../src/db/work.ts'
import { createDueReader } from '../../../src/db/workers/due.ts'
import { newId } from '../../../src/lib/ids.ts'
import { asTx } from '../../support/db/as-tx.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

const organizationId = newId()
const inBatch = 200

const append = (database: Queryable, count: number, resourceId?: string) =>
  appendEvents(
    asTx(database),
    Array.from({ length: count }, () => ({
      organizationId,
      type: 'customer.updated' as const,
      resourceId: resourceId ?? newId(),
      resourceVersion: 1,
      data: {},
    })),
  )

async function sequence(database: Database, job: Job, batches: number): Promise<void> {
  for (let batch = 0; batch < batches; batch += 1) {
    await append(database, inBatch)
    expect(await job.runBatch()).toBe(inBatch)
  }
}

/** Counts the pages of index and table that a statement reads. */
async function countPages(database: Queryable, { text, values = [] }: Statement): Promise<number> {
  const [found] = await database.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>({
    text: `explain (analyze, buffers, format json) ${text}`,
    values,
  })
  const plan = found?.['QUERY PLAN'][0].Plan ?? {}
  return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)
}

/** Counts the pages that the look for work reads, and the reading of a batch with one event. */
async function countSequencerPages(database: Database, job: Job): Promise<{ look: number; batch: number }> {
  const counted = { look: 0, batch: 0 }
  const looking = {
    query: async (statement: Statement) => {
      counted.look = await countPages(database, statement)
      return []
    },
  }
  await createDueReader(looking as unknown as Queryable, [job.due ?? ''])()
  await append(database, 1)
  const counting: Database = {
    ...database,
    inTx: (work) =>
      database.inTx((tx) =>
        work(
          asTx({
            query: async (statement) => {
              if (statement.name === 'read unsequenced events') counted.batch = await countPages(tx, statement)
              return tx.query(statement)
            },
          }),
        ),
      ),
  }
  await job.release?.()
  expect(await createSequencerJob(counting, 60_000).runBatch()).toBe(1)
  return counted
}

test('a reader with an old snapshot does not make the sequencer read what is sequenced', async () => {
  const { app } = await makeDatabase()
  const database = openForTest(app)
  const job = createSequencerJob(database, 60_000)
  await openForTest(app).inTx(async (reader) => {
    await reader.query({ text: 'set transaction isolation level repeatable read' })
    await reader.query({ text: 'select count(*) from svc.events' })
    await sequence(database, job, 60)
    const pages = await countSequencerPages(database, job)
    // All 12,000 would be more than 300 pages of the table alone.
    expect(pages.look).toBeLessThan(100)
    expect(pages.batch).toBeLessThan(100)
    expect(await reader.query({ text: 'select event_id from svc.events' })).toEqual([])
  })
  expect(await verify(database, eventChecks)).toMatchObject({ ok: true })
})

test('an event whose position was taken long before its commit is sequenced', async () => {
  const { app, owner: connection } = await makeDatabase()
  const [database, owner, writer] = [openForTest(app), openForTest({ connection }), openForTest(app)]
  // The writer has taken its position, and has written nothing yet.
  await owner.query({
    text: `create function public.wait_for_lock() returns trigger language plpgsql as $$
           begin perform pg_advisory_xact_lock_shared(7); return new; end $$;
           create trigger wait before insert on svc.events
              for each row when (new.resource_id = 'slow') execute function public.wait_for_lock()`,
  })
  const job = createSequencerJob(database, 60_000)
  const slow = await openForTest(app).inTx(async (holder) => {
    await holder.query({ text: 'select pg_advisory_xact_lock(7)' })
    await sequence(database, job, 1)
    const writing = append(writer, 1, 'slow')
    const text = `select pid from pg_locks join pg_stat_activity using (pid)
                   where locktype = 'advisory' and not granted and datname = current_database()`
    await expect.poll(() => owner.query({ text })).toHaveLength(1)
    await sequence(database, job, 20)
    return { writing }
  })
  const [eventId] = await slow.writing
  expect(await job.runBatch()).toBe(1)
  const [last] = await database.query({ text: 'select event_id as id from svc.events order by sequence desc limit 1' })
  expect(last).toEqual({ id: eventId })
  // The horizon moves on once the writer has ended, and the database transactions of other tests that began before.
  const readHorizon = async () => {
    await sequence(database, job, 10)
    const [horizon] = await database.query<{ position: number }>({
      text: 'select position::int from svc.event_horizon',
    })
    return horizon?.position
  }
  await expect.poll(readHorizon).toBeGreaterThan(21 * inBatch)
  expect(await verify(database, eventChecks)).toMatchObject({ ok: true })
})

test('an event that waits below the horizon is a violation, and no process chooses its position', async () => {
  const { app, owner: connection } = await makeDatabase()
  const [database, owner] = [openForTest(app), openForTest({ connection })]
  const [eventId] = await append(database, 1)
  await owner.query({ text: 'update svc.event_horizon set position = 1' })
  const { checks } = await verify(database, eventChecks)
  const [violated, ...others] = checks.filter(({ ok }) => !ok)
  expect(violated?.violations).toEqual([
    `event ${eventId} of organization ${organizationId} waits below the horizon of the sequencer`,
  ])
  expect(others).toEqual([])
  const text = 'insert into svc.events (organization_id, position) values (gen_random_uuid(), 1)'
  await expect(database.query({ text })).rejects.toThrow('permission denied')
})

test('without its row the sequencer fails loudly, and a check finds what waits', async () => {
  const { app, owner: connection } = await makeDatabase()
  const [database, owner] = [openForTest(app), openForTest({ connection })]
  await append(database, 1)
  await owner.query({ text: 'delete from svc.event_horizon' })
  await expect(createSequencerJob(database, 60_000).runBatch()).rejects.toThrow('has lost its row')
  expect(await verify(database, eventChecks)).toMatchObject({ ok: false })
})
