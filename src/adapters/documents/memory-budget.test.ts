import { expect, test } from 'vitest'
import { createMemoryBudget } from './memory-budget.ts'

/** Requests memory in the given order and reports which requests were admitted. A wish names its organization. */
function enter(totalBytes: number, ...wishes: [organizationId: string, bytes: number][]) {
  const budget = createMemoryBudget(totalBytes)
  const inside = new Map<number, () => void>()
  for (const [at, wish] of wishes.entries()) void budget.take(...wish).then((release) => inside.set(at, release))
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    whoIsInside: async () => {
      await settle()
      return [...inside.keys()].sort()
    },
    leave: (who: number) => {
      inside.get(who)?.()
      inside.delete(who)
    },
  }
}

test('as many requests as fit are admitted, and the next one when memory is free', async () => {
  const { whoIsInside, leave } = enter(100, ['a', 60], ['b', 40], ['c', 50], ['d', 50])
  expect(await whoIsInside()).toEqual([0, 1])
  leave(1)
  expect(await whoIsInside()).toEqual([0])
  leave(0)
  expect(await whoIsInside()).toEqual([2, 3])
})

test('no request overtakes one that waits for room', async () => {
  const { whoIsInside, leave } = enter(100, ['a', 60], ['b', 90], ['c', 10])
  expect(await whoIsInside()).toEqual([0])
  leave(0)
  expect(await whoIsInside()).toEqual([1, 2])
})

test('a request that never fits is admitted alone', async () => {
  const { whoIsInside, leave } = enter(100, ['a', 10], ['b', 500], ['c', 10])
  expect(await whoIsInside()).toEqual([0])
  leave(0)
  expect(await whoIsInside()).toEqual([1])
  leave(1)
  expect(await whoIsInside()).toEqual([2])
})

test('one organization leaves half of the memory to another', async () => {
  const { whoIsInside, leave } = enter(100, ['a', 50], ['a', 50], ['a', 50], ['b', 50], ['b', 10])
  expect(await whoIsInside()).toEqual([0, 3])
  leave(0)
  expect(await whoIsInside()).toEqual([1, 3])
  leave(3)
  expect(await whoIsInside()).toEqual([1, 4])
})
