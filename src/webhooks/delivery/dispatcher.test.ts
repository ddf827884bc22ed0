import { setImmediate as tick } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type DispatchSteps, dispatch } from './dispatcher.ts'

/** Dispatches numbers from a store in memory, and records each step. */
function start(count: number, more: Partial<DispatchSteps<number, number>> = {}) {
  const waiting = new Set(Array.from({ length: count }, (_, at) => at))
  const seen = { sent: [] as number[], maxConcurrent: 0, maxInFlight: 0, batches: [] as number[][], sending: 0 }
  const steps: DispatchSteps<number, number> = {
    keyOf: String,
    read: async (inFlight, limit) => {
      seen.maxInFlight = Math.max(seen.maxInFlight, inFlight.length)
      await tick()
      return [...waiting].filter((item) => !inFlight.includes(String(item))).slice(0, limit)
    },
    send: async (item) => {
      seen.sending += 1
      seen.maxConcurrent = Math.max(seen.maxConcurrent, seen.sending)
      await tick()
      seen.sending -= 1
      seen.sent.push(item)
      return item
    },
    record: async (results) => {
      await tick()
      await tick()
      seen.batches.push([...results])
      for (const item of results) waiting.delete(item)
      return true
    },
    concurrency: () => 8,
    shouldStop: () => false,
    ...more,
  }
  return { seen, waiting, done: dispatch(steps) }
}

test('everything is sent once and recorded, within the concurrency limit, in batches', async () => {
  const { seen, waiting, done } = start(1_000)
  await done
  expect(waiting.size).toBe(0)
  expect(seen.sent.sort((a, b) => a - b)).toEqual(Array.from({ length: 1_000 }, (_, at) => at))
  expect(seen.maxConcurrent).toBe(8)
  expect(seen.maxInFlight).toBeLessThanOrEqual(512 + 64)
  expect(seen.batches.length).toBeLessThan(500)
})

test('without items the dispatcher ends at once', async () => {
  await start(0).done
})

test('after a stop the dispatcher sends nothing more and records what it sent', async () => {
  let isStopping = false
  const { seen, done } = start(1_000, { shouldStop: () => isStopping })
  await tick()
  await tick()
  await tick()
  isStopping = true
  const before = seen.sent.length + seen.sending
  await done
  expect(seen.sent.length).toBeLessThanOrEqual(before + 8)
  expect(seen.batches.flat().sort()).toEqual(seen.sent.sort())
})

test('the dispatcher ends when a record stops it or an item cannot be tried', async () => {
  const refused = start(100, { concurrency: () => 1, record: async () => false })
  await refused.done
  expect(refused.seen.sent.length).toBeLessThanOrEqual(8)
  const untried = start(100, { concurrency: () => 1, send: async () => undefined })
  await untried.done
  expect(untried.waiting.size).toBe(100)
})

test.each(['read', 'send', 'record'] as const)(
  'a fault of %s is thrown after the running steps have ended',
  async (step) => {
    const fault = async () => {
      await tick()
      throw new Error(step)
    }
    const { seen, done } = start(50, { [step]: fault })
    await expect(done).rejects.toThrow(step)
    expect(seen.sending).toBe(0)
  },
)
