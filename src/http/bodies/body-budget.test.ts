import { expect, test } from 'vitest'
import { BodyBudget } from './body-budget.ts'

const megabyte = 1024 * 1024
const limit = 256 * megabyte

/** Bodies of organizations, by name. A refused one tells why. */
function open(budget: BodyBudget) {
  const bodies = new Map<string, { grow(megabytes: number): void; arrived(): void; release(): void }>()
  const refused: string[] = []
  return {
    refused,
    grow: (name: string, megabytes: number): string => {
      const made = bodies.get(name) ?? budget.open(name.slice(0, 1), () => refused.push(name))
      bodies.set(name, made)
      try {
        made.grow(megabytes * megabyte)
        return 'taken'
      } catch (error) {
        return (error as Error).message
      }
    },
    arrived: (name: string) => bodies.get(name)?.arrived(),
    release: (name: string) => bodies.get(name)?.release(),
  }
}

test('an organization holds half of the budget, and the refusal says that it is its own doing', () => {
  const { grow, refused } = open(new BodyBudget(limit))
  expect(grow('a1', 85)).toBe('taken')
  expect(grow('a2', 43)).toBe('taken')
  expect(grow('a2', 44)).toMatch(/^Too many of your large requests/)
  expect(grow('b1', 99)).toBe('taken')
  expect(refused).toEqual([])
})

test('stalled bodies of two organizations give way to a third, the longest silent of the largest first', () => {
  const { grow, refused } = open(new BodyBudget(limit))
  for (const [name, megabytes] of [
    ['a1', 60],
    ['a2', 65],
    ['b1', 60],
    ['b2', 68],
  ] as const)
    grow(name, megabytes)
  expect(grow('c1', 85)).toBe('taken')
  expect(refused).toEqual(['b1', 'a1'])
  expect(grow('c2', 10)).toBe('taken')
  expect(refused).toEqual(['b1', 'a1'])
})

test('a body that has arrived gives way to none, and no body gives way to an owner that holds as much', () => {
  const budget = new BodyBudget(limit)
  const { grow, arrived, refused } = open(budget)
  for (const name of ['a1', 'b1']) {
    grow(name, 100)
    arrived(name)
  }
  grow('c1', 50)
  expect(grow('d1', 40)).toBe('taken')
  expect(refused).toEqual(['c1'])
  expect(grow('e1', 90)).toMatch(/^The server is processing too many large requests/)
  expect(budget.used).toBe(240 * megabyte)
})

test('a body that gave way or was released counts for nothing, once', () => {
  const budget = new BodyBudget(limit)
  const { grow, release, refused } = open(budget)
  grow('a1', 100)
  grow('b1', 100)
  grow('c1', 80)
  expect(refused).toEqual(['a1'])
  for (const name of ['a1', 'b1', 'c1', 'c1']) release(name)
  expect(budget.used).toBe(0)
})

test('an announced body is refused early only when bodies that have arrived leave no room for it', () => {
  const budget = new BodyBudget(limit)
  const { grow, arrived } = open(budget)
  grow('a1', 100)
  grow('b1', 100)
  for (const megabytes of [85, 100]) expect(() => budget.requireRoom('c', megabytes * megabyte)).not.toThrow()
  expect(() => budget.requireRoom('a', 85 * megabyte)).toThrow(/^Too many of your large requests/)
  for (const name of ['a1', 'b1']) arrived(name)
  expect(() => budget.requireRoom('c', 56 * megabyte)).not.toThrow()
  expect(() => budget.requireRoom('c', 57 * megabyte)).toThrow(/^The server is processing/)
})

// biome-ignore format: a table is read by column
test.each([
  // megabytes  stalled  others, announced                 gives way
  [128,         85,      { b1: 85 },                       ['a1']],
  [256,         100,     { b1: 100, c1: 100 },             ['a1']],
  [256,         100,     { b1: 90, c1: 100 },              ['a1']],
  [256,         85,      { b1: 85, c1: 85 },               []],
])('within %i MB, a stalled body of %i MB and others of %j: %j gives way', (megabytes, stalled, others, expected) => {
  const budget = new BodyBudget(megabytes * megabyte)
  const { grow, refused } = open(budget)
  grow('a1', stalled)
  for (const [name, size] of Object.entries(others)) {
    budget.requireRoom(name.slice(0, 1), size * megabyte)
    for (let at = 1; at <= size; at++) expect([name, at, grow(name, at)]).toEqual([name, at, 'taken'])
  }
  expect(refused).toEqual(expected)
})

test('the smallest budget still takes the largest body', () => {
  const { grow } = open(new BodyBudget(105_000_000))
  expect(grow('a1', 100)).toBe('taken')
})
