import { expect, test } from 'vitest'
import { createMemoryBudget } from './memory-budget.ts'

/** Requests memory in the given order and reports which requests were admitted. */
function enter(totalBytes: number, ...wishes: number[]) {
  const budget = createMemoryBudget(totalBytes)
  const inside = new Map<number, () => void>()
  for (const [at, bytes] of wishes.entries()) void budget.take(bytes).then((release) => inside.set(at, release))
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
  const { whoIsInside, leave } = enter(100, 60, 40, 50, 50)
  expect(await whoIsInside()).toEqual([0, 1])
  leave(1)
  expect(await whoIsInside()).toEqual([0])
  leave(0)
  expect(await whoIsInside()).toEqual([2, 3])
})

test('no request overtakes another', async () => {
  const { whoIsInside, leave } = enter(100, 60, 90, 10)
  expect(await whoIsInside()).toEqual([0])
  leave(0)
  expect(await whoIsInside()).toEqual([1, 2])
})

test('a request that never fits is admitted alone', async () => {
  const { whoIsInside, leave } = enter(100, 10, 500, 10)
  expect(await whoIsInside()).toEqual([0])
  leave(0)
  expect(await whoIsInside()).toEqual([1])
  leave(1)
  expect(await whoIsInside()).toEqual([2])
})
