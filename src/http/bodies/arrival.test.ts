import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Pace, receive } from './arrival.ts'
import { readSignedBody } from './signed-body.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A body whose bytes are written one part for each second. Tells the size that was read, or why it was not. */
async function arriveIn(pace: Pace, bytesOfEachSecond: readonly number[]): Promise<unknown> {
  const stream = new PassThrough()
  let size = 0
  const { whole } = receive(stream as unknown as IncomingMessage, pace, (chunk) => {
    size += chunk.length
  })
  const outcome = whole.then(
    () => size,
    (error: Error) => error.message,
  )
  for (const bytes of bytesOfEachSecond) {
    if (bytes > 0) await new Promise((resolve) => stream.write(Buffer.alloc(bytes), resolve))
    await vi.advanceTimersByTimeAsync(1_000)
  }
  stream.end()
  return outcome
}

const pace = { bytesPerSecond: 10, windowMs: 5_000 }
const tooSlow = 'body arrives too slowly; send at least 10 bytes per second'
const times = <Value>(count: number, value: Value): Value[] => new Array<Value>(count).fill(value)

test.each([
  ['a body that keeps the pace for long', pace, times(60, 10), 600],
  ['a short one', pace, [1], 1],
  ['one that pauses within a window', pace, [50, 0, 0, 0, 0, 50], 100],
  ['one that trickles', pace, times(12, 8), tooSlow],
  ['one that stalls after a fast start', pace, [9_000, ...times(10, 0)], tooSlow],
  ['one that sends nothing', pace, times(6, 0), tooSlow],
  ['one that stalls where there is no limit', { ...pace, bytesPerSecond: 0 }, [1, ...times(60, 0)], 1],
] as const)('%s', async (_name, limits, bytes, outcome) => {
  expect(await arriveIn(limits, bytes)).toBe(outcome)
})

test('what the taker throws ends the reading, and the rest is discarded', async () => {
  const stream = new PassThrough()
  const { whole } = receive(stream as unknown as IncomingMessage, pace, () => {
    throw new Error('too much')
  })
  stream.write('a')
  await expect(whole).rejects.toThrow('too much')
  stream.end('the rest')
  await new Promise((resolve) => stream.once('end', resolve))
  expect(vi.getTimerCount()).toBe(0)
})

test('a caller that disconnects ends the reading', async () => {
  const stream = new PassThrough()
  const { whole } = receive(stream as unknown as IncomingMessage, pace, () => {})
  stream.destroy()
  await expect(whole).rejects.toThrow('The caller disconnected')
  expect(vi.getTimerCount()).toBe(0)
})

test('a signed body of an unknown caller keeps the pace, too', async () => {
  const stream = new PassThrough()
  const outcome = readSignedBody(stream as unknown as IncomingMessage, pace).then(
    String,
    (error: Error) => error.message,
  )
  stream.write('a')
  await vi.advanceTimersByTimeAsync(6_000)
  stream.end()
  expect(await outcome).toBe(tooSlow)
})
