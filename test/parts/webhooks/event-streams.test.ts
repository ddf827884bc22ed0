import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import type { Queryable, Statement } from '../../../src/db/database.ts'
import { appendEvents, type NewEvent } from '../../../src/db/outbox/events.ts'
import { createSequencerJob } from '../../../src/db/outbox/sequencer.ts'
import { createEventStreamService, type StreamLimits } from '../../../src/events/stream.ts'
import { type Caller, scopes } from '../../../src/lib/caller.ts'
import { newId } from '../../../src/lib/ids.ts'
import { asTx } from '../../support/db/as-tx.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

/** The cost of a stream and the ways it ends, with limits that the test sets. */
async function start(limits: Partial<StreamLimits> = {}) {
  const { app } = await makeDatabase()
  const real = openForTest(app)
  const sequencer = createSequencerJob(real, 60_000)
  const statements: string[] = []
  const faults = { at: 'nowhere' }
  const database: Queryable = {
    query: async <Row extends object>(statement: Statement) => {
      statements.push(statement.name ?? '')
      if (statement.name?.startsWith(faults.at)) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
      return real.query<Row>(statement)
    },
  }
  const errors: unknown[] = []
  const streams = createEventStreamService({
    database,
    cursorKey: Buffer.alloc(32),
    openData: async () => [],
    onError: (error) => errors.push(error),
    limits: { pollMs: 20, checkMs: 20, ...limits },
  })
  onTestFinished(() => streams.stop())
  const organizationId = newId()
  const caller: Caller = {
    organizationId,
    organizationIds: [organizationId],
    tiers: new Map(),
    apiKeyId: '',
    scopes: new Set(scopes),
    requestsPerMinute: 0,
    isToken: false,
    isReviewer: false,
  }
  const happen = async (count: number, size = 10) => {
    const event = (): NewEvent => ({
      organizationId,
      type: 'deposit.created',
      resourceId: newId(),
      resourceVersion: 1,
      data: { text: 'x'.repeat(size) },
    })
    await appendEvents(asTx(real), Array.from({ length: count }, event))
    while ((await sequencer.runBatch()) > 0);
  }
  const access = { isLost: false }
  const open = (from: 'beginning' | 'end' = 'end') =>
    streams.open(caller, async () => (access.isLost ? undefined : caller), { from })
  const reads = () => statements.filter((name) => name.startsWith('list events after')).length
  return { streams, open, happen, reads, statements, faults, errors, access, caller }
}

/** Reads everything that arrives. */
function take(stream: Readable) {
  const texts: string[] = []
  stream.setEncoding('utf8').on('data', (text: string) => texts.push(text))
  const all = () => texts.join('')
  return { all, count: () => all().split('\ndata: ').length - 1, ended: once(stream, 'close') }
}

test('one query for new events serves all readers', async () => {
  const { open, happen, reads, statements } = await start()
  const listeners = (await Promise.all(Array.from({ length: 40 }, () => open()))).map(take)
  await expect.poll(() => listeners.every(({ all }) => all().includes('caught up'))).toBe(true)
  statements.length = 0
  await happen(7)
  await expect.poll(() => listeners.map(({ count }) => count())).toEqual(listeners.map(() => 7))
  expect(reads()).toBe(1)
})

test('a process that stops ends its streams with a closing comment', async () => {
  const { open, streams } = await start()
  const listener = take(await open())
  streams.stop()
  await listener.ended
  expect(listener.all()).toMatch(/: come again\n\n$/)
  expect(streams.count()).toBe(0)
})

test('a stalled reader costs almost no reads, delays no other reader and is disconnected', async () => {
  const { open, happen, reads, streams } = await start({ stalledMs: 1_000, eventsPerRead: 10 })
  await happen(1_000, 2_000)
  const slow = await open('beginning')
  slow.read(0) // it starts to read, and then stalls
  const closed = once(slow, 'close') // on a busy machine this may precede the end of the quick reader
  await expect.poll(() => slow.readableLength).toBeGreaterThan(0)
  const quick = take(await open('beginning'))
  await expect.poll(quick.count).toBe(1_000)
  expect(slow.readableLength).toBeLessThan(200_000)
  expect(reads()).toBeLessThan(1_000 / 10 + 12)
  await closed
  expect(slow.readableEnded).toBe(false)
  await happen(1)
  await expect.poll(quick.count).toBe(1_001)
  expect(streams.count()).toBe(1)
})

test('a reader that lost access gets no more events, whether it is reading or stalled', async () => {
  const { open, happen, access } = await start({ eventsPerRead: 10 })
  await happen(1_000, 2_000)
  const slow = await open('beginning')
  slow.read(0)
  const listener = take(await open())
  await expect.poll(() => listener.all()).toContain('caught up')
  access.isLost = true
  await Promise.all([listener.ended, once(slow, 'close')])
  expect([listener.count(), slow.readableEnded]).toEqual([0, false])
})

test('a reader that lost access gets no event between two checks of it', async () => {
  const { open, happen, access, streams } = await start({ checkMs: 60_000 })
  const listener = take(await open())
  await expect.poll(() => listener.all()).toContain('caught up')
  access.isLost = true
  await happen(1)
  await expect.poll(() => listener.all()).toMatch(/: come again\n\n$/)
  await listener.ended
  expect([listener.count(), streams.count()]).toEqual([0, 0])
})

test('a quiet stream sends heartbeats with the current id', async () => {
  const { open } = await start({ heartbeatMs: 50 })
  const listener = take(await open())
  await expect.poll(() => listener.all().match(/: still here\nid: [\w-]+\n\n/g)?.length).toBeGreaterThan(1)
})

test('a database outage delays events and loses none', async () => {
  const { open, happen, faults, errors, reads } = await start()
  const listener = take(await open())
  await expect.poll(() => listener.all()).toContain('caught up')
  faults.at = 'read event heads'
  await happen(3)
  await expect.poll(() => errors.length).toBeGreaterThan(1)
  faults.at = 'list events after'
  await expect.poll(reads).toBeGreaterThan(1)
  faults.at = 'nowhere'
  await expect.poll(listener.count).toBe(3)
})

test('a process limits its streams in total and per organization', async () => {
  const { open, streams, caller } = await start({ streams: 3, streamsPerOrganization: 2 })
  const [first] = await Promise.all([open(), open()])
  await expect(open()).rejects.toMatchObject({ code: 'RATE_LIMITED', headers: { 'retry-after': '5' } })
  const other = () => {
    const organizationId = newId()
    return streams.open({ ...caller, organizationId, organizationIds: [organizationId] }, async () => caller, {})
  }
  await other()
  await expect(other()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '5' } })
  first?.destroy()
  await expect.poll(streams.count).toBe(2)
  await other()
})
