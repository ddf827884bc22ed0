import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type DispatchSteps, dispatch } from './dispatcher.ts'

/** A store of numbers to send, and what was seen while they were. */
function start(count: number, more: Partial<DispatchSteps<number, number>> = {}) {
  const waiting = new Set(Array.from({ length: count }, (_, at) => at))
  const seen = { sent: [] as number[], mostAtOnce: 0, mostInHand: 0, writes: [] as number[][], running: 0 }
  const steps: DispatchSteps<number, number> = {
    keyOf: String,
    read: async (inHand, most) => {
      seen.mostInHand = Math.max(seen.mostInHand, inHand.length)
      await turn()
      return [...waiting].filter((item) => !inHand.includes(String(item))).slice(0, most)
    },
    send: async (item) => {
      seen.running += 1
      seen.mostAtOnce = Math.max(seen.mostAtOnce, seen.running)
      await turn()
      seen.running -= 1
      seen.sent.push(item)
      return item
    },
    write: async (results) => {
      await turn()
      await turn()
      seen.writes.push([...results])
      for (const item of results) waiting.delete(item)
      return true
    },
    width: () => 8,
    shouldStop: () => false,
    ...more,
  }
  return { seen, waiting, done: dispatch(steps) }
}

test('everything is sent once and recorded, never more at once than allowed, many in one record', async () => {
  const { seen, waiting, done } = start(1_000)
  await done
  expect(waiting.size).toBe(0)
  expect(seen.sent.sort((a, b) => a - b)).toEqual(Array.from({ length: 1_000 }, (_, at) => at))
  expect(seen.mostAtOnce).toBe(8)
  expect(seen.mostInHand).toBeLessThanOrEqual(512 + 64)
  expect(seen.writes.length).toBeLessThan(500)
})

test('nothing to do is done at once', async () => {
  await start(0).done
})

test('when somebody says stop nothing new is sent, and what was sent is recorded', async () => {
  let isStopping = false
  const { seen, done } = start(1_000, { shouldStop: () => isStopping })
  await turn()
  await turn()
  await turn()
  isStopping = true
  const before = seen.sent.length + seen.running
  await done
  expect(seen.sent.length).toBeLessThanOrEqual(before + 8)
  expect(seen.writes.flat().sort()).toEqual(seen.sent.sort())
})

test('a record that says stop, or an item that could not be tried, ends it', async () => {
  const refused = start(100, { width: () => 1, write: async () => false })
  await refused.done
  expect(refused.seen.sent.length).toBeLessThanOrEqual(8)
  const untried = start(100, { width: () => 1, send: async () => undefined })
  await untried.done
  expect(untried.waiting.size).toBe(100)
})

test.each(['read', 'send', 'write'] as const)(
  'a fault of %s is told after what is under way has ended',
  async (step) => {
    const fault = async () => {
      await turn()
      throw new Error(step)
    }
    const { seen, done } = start(50, { [step]: fault })
    await expect(done).rejects.toThrow(step)
    expect(seen.running).toBe(0)
  },
)
