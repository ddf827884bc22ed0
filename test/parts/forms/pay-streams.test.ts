import type { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPayStreams } from '../../../src/forms/pay/streams.ts'
import type { Transfer } from '../../../src/transactions/timeline/transfer.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const ids = ['019aa0c2-7c00-7000-8000-000000000001', '019aa0c2-7c00-7000-8000-000000000002'] as const
const transferOf = (transactionId: string, more: Partial<Transfer> = {}): Transfer => ({
  organizationId: 'organization',
  linkVersion: 1,
  transactionId,
  status: 'AWAITING_TRANSFER',
  asset: 'EUR',
  method: 'SEPA',
  amount: '10000',
  received: '0',
  seen: '0',
  confirmations: null,
  instructions: JSON.stringify({ type: 'fiat', transferMessage: 'SVC7K2MPQ4WX8RTB' }),
  refundStatus: null,
  refundAmount: null,
  expiresAt: new Date(Date.now() + 3_600_000),
  now: new Date(),
  ...more,
})

/** Streams over transfers that a test changes, with every read. */
function openStreams() {
  const reads: (readonly string[])[] = []
  const errors: unknown[] = []
  const changed = new Map<string, Partial<Transfer>>()
  const expiresAt = new Date(Date.now() + 3_600_000)
  const state = { isAway: false }
  let drawings = 0
  const transferNow = (id: string): Transfer => {
    const transfer = transferOf(id, { expiresAt, ...changed.get(id) })
    const { instructions } = transfer
    // Only a drawing reads the instructions.
    return Object.defineProperty(transfer, 'instructions', {
      get: () => {
        drawings += 1
        return instructions
      },
    })
  }
  const streams = createPayStreams({
    readTransfers: async (transactionIds) => {
      reads.push(transactionIds)
      if (state.isAway) throw new Error('away')
      return transactionIds.map(transferNow)
    },
    onError: (error) => errors.push(error),
  })
  const open = (id: string, source = '192.0.2.1', lastId = '') => {
    const stream = streams.open(transferNow(id), { source, locale: 'en', lastId })
    const heard: string[] = []
    stream.on('data', (chunk: Buffer) => heard.push(chunk.toString()))
    stream.on('error', () => {})
    return { stream, heard }
  }
  return { streams, reads, errors, changed, state, open, drawn: () => drawings }
}

const gone = async (stream: Readable) => {
  stream.destroy()
  await vi.advanceTimersByTimeAsync(0)
}

test('without an open page nothing is read, and one statement a second serves all of them', async () => {
  const { reads, open, streams } = openStreams()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(reads).toEqual([])
  const pages = [open(ids[0]), open(ids[0]), open(ids[1])]
  await vi.advanceTimersByTimeAsync(2_500)
  expect(reads.length).toBe(3)
  expect(reads.at(-1)?.toSorted()).toEqual(ids)
  for (const { stream } of pages) await gone(stream)
  expect(streams.count()).toBe(0)
  const before = reads.length
  await vi.advanceTimersByTimeAsync(60_000)
  expect(reads.length).toBe(before)
  const { stream } = open(ids[0])
  await vi.advanceTimersByTimeAsync(1_500)
  expect(reads.length).toBe(before + 2)
  await gone(stream)
})

test('a page hears each change once, continues where it was, and ends with its transaction', async () => {
  const { changed, open, streams } = openStreams()
  const page = open(ids[0])
  const news = (heard: readonly string[]) => heard.join('').match(/^data: .*$/gm) ?? []
  await vi.advanceTimersByTimeAsync(5_000)
  expect(news(page.heard)).toHaveLength(1)
  changed.set(ids[0], { received: '4000' })
  await vi.advanceTimersByTimeAsync(3_000)
  expect(news(page.heard)[1]).toContain('Received €40.00 of €100.00, still due €60.00')
  const lastId = page.heard
    .join('')
    .match(/^id: (.*)$/gm)
    ?.at(-1)
    ?.slice(4)
  const again = open(ids[0], '192.0.2.1', lastId)
  await vi.advanceTimersByTimeAsync(1_000)
  // It has the state, and is told the time that is left.
  expect(news(again.heard)).toEqual([
    expect.stringMatching(/^data: \{"parts":\{\},"status":"AWAITING_TRANSFER","secondsLeft":3\d{3},"isOver":false\}$/),
  ])
  changed.set(ids[0], { status: 'COMPLETED', received: '10000' })
  await vi.advanceTimersByTimeAsync(2_000)
  for (const { heard, stream } of [page, again]) {
    expect(news(heard).at(-1)).toContain('"isOver":true')
    expect(stream.readableEnded).toBe(true)
  }
  expect(streams.count()).toBe(0)
})

const partsOf = (heard: readonly string[]) =>
  (heard.join('').match(/^data: \{.*$/gm) ?? []).map(
    (line) => JSON.parse(line.slice(6)).parts as Record<string, string>,
  )

test('a page that missed a change is told every part, also one that has nothing any more', async () => {
  for (const change of [{ status: 'CANCELLED' }, { status: 'EXPIRED' }, { seen: '10000' }] as Partial<Transfer>[]) {
    const { changed, open } = openStreams()
    const page = open(ids[0])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(partsOf(page.heard)[0]?.transfer).toContain('Payment details')
    const [, lastId = ''] = page.heard.join('').match(/^id: (.*)$/m) ?? []
    await gone(page.stream)
    changed.set(ids[0], change)
    const again = open(ids[0], '192.0.2.1', lastId)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(partsOf(again.heard)).toEqual([{ head: expect.any(String), progress: expect.any(String), transfer: '' }])
    await gone(again.stream)
  }
})

test('a page that cannot be drawn does not starve the others', async () => {
  const { changed, errors, open } = openStreams()
  const [broken, well] = [open(ids[0]), open(ids[1])]
  changed.set(ids[0], { received: '1', instructions: '{' })
  changed.set(ids[1], { received: '4000' })
  await vi.advanceTimersByTimeAsync(2_000)
  expect(partsOf(well.heard).at(-1)?.progress).toContain('Received €40.00')
  expect([broken.stream.destroyed, errors.length]).toEqual([true, 1])
  await gone(well.stream)
})

test('after the time to pay nothing is due', async () => {
  const { changed, open } = openStreams()
  changed.set(ids[0], { received: '4000', expiresAt: new Date() })
  const { heard, stream } = open(ids[0])
  await vi.advanceTimersByTimeAsync(0)
  expect(partsOf(heard)[0]).toMatchObject({ progress: '<p>Received €40.00 of €100.00</p>', transfer: '' })
  await gone(stream)
})

test('a page follows its refund to the end', async () => {
  const { changed, open } = openStreams()
  const refund = { refundAmount: '4000', status: 'FAILED' } as const
  changed.set(ids[0], { ...refund, refundStatus: 'PENDING' })
  const { heard, stream } = open(ids[0])
  await vi.advanceTimersByTimeAsync(2_000)
  expect(stream.readableEnded).toBe(false)
  changed.set(ids[0], { ...refund, refundStatus: 'COMPLETED' })
  await vi.advanceTimersByTimeAsync(2_000)
  expect(partsOf(heard).map(({ head }) => /€40\.00 [^<]*/.exec(head ?? '')?.[0])).toEqual([
    '€40.00 that you sent is on its way back to the account on file.',
    '€40.00 that you sent was returned.',
  ])
  expect(stream.readableEnded).toBe(true)
})

test('a page hears that it is up to date, keeps its place while the database is away, and comes again', async () => {
  const { errors, state, open } = openStreams()
  const { heard, stream } = open(ids[0])
  await vi.advanceTimersByTimeAsync(16_000)
  expect(
    heard
      .splice(0)
      .join('')
      .match(/^event: beat$/gm),
  ).toHaveLength(1)
  state.isAway = true
  await vi.advanceTimersByTimeAsync(60_000)
  // It is not up to date now: comments keep the connection.
  expect(heard.splice(0).join('')).toBe(': still here\n\n'.repeat(4))
  expect(errors.length).toBeGreaterThan(10)
  state.isAway = false
  await vi.advanceTimersByTimeAsync(10 * 60_000)
  expect(heard.join('')).toMatch(/: come again\n\n$/)
  expect(stream.readableEnded).toBe(true)
})

test('a transaction and a network have a limited number of open pages', async () => {
  const { open, streams } = openStreams()
  const pages = Array.from({ length: 10 }, (_, at) => open(ids[0], `192.0.2.${at}`))
  expect(() => open(ids[0], '198.51.100.1')).toThrow('Too many pages are open')
  const others = Array.from({ length: 20 }, (_, at) => open(`${ids[1].slice(0, -2)}${at + 10}`, '198.51.100.1'))
  expect(() => open(ids[1], '198.51.100.1')).toThrow('Too many pages are open')
  expect(streams.count()).toBe(30)
  await gone(pages[0]?.stream as Readable)
  pages.push(open(ids[0], '198.51.100.2'))
  for (const { stream } of [...pages, ...others]) await gone(stream)
  expect(streams.count()).toBe(0)
})

test('a page that takes nothing is disconnected', async () => {
  const { changed, streams } = openStreams()
  const stream = streams.open(transferOf(ids[0]), { source: '192.0.2.1', locale: 'en', lastId: '' })
  stream.on('error', () => {})
  for (let at = 0; at < 400 && streams.count() > 0; at++) {
    changed.set(ids[0], { received: String(at), seen: '1' })
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(streams.count()).toBe(0)
})

test('a stream that ends tells nothing more, and a page that does not take its end is disconnected', async () => {
  const { changed, streams } = openStreams()
  const errors: unknown[] = []
  const stream = streams.open(transferOf(ids[0]), { source: '192.0.2.1', locale: 'en', lastId: '' })
  stream.on('error', (error) => errors.push(error))
  streams.stop()
  expect(streams.count()).toBe(0)
  changed.set(ids[0], { received: '4000' })
  await vi.advanceTimersByTimeAsync(20_000)
  streams.stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect([errors, stream.destroyed]).toEqual([[], true])
})

test('a state is drawn when it changes, and not with every read', async () => {
  const { changed, open, drawn } = openStreams()
  const pages = [open(ids[0]), open(ids[0])]
  const before = drawn()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(drawn()).toBe(before)
  changed.set(ids[0], { received: '4000' })
  await vi.advanceTimersByTimeAsync(2_000)
  // Once for both pages.
  expect(drawn()).toBe(before + 1)
  for (const { stream } of pages) await gone(stream)
})
