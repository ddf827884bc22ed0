import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

function fill(...waiting: string[]) {
  const turns = createTurns<string>()
  for (const each of waiting) turns.add(each.slice(0, 1), each)
  return turns
}

function takeAll(turns: ReturnType<typeof fill>, mayStart: (organizationId: string) => boolean = () => true) {
  const taken: string[] = []
  for (let next = turns.next(mayStart); next; next = turns.next(mayStart)) taken.push(next.taken)
  return taken.join(' ')
}

test.each([
  // waiting, in order of arrival                taken
  [['a1', 'a2', 'a3', 'a4', 'b1'], 'a1 b1 a2 a3 a4'],
  [['a1', 'a2', 'b1', 'b2', 'c1'], 'a1 b1 c1 a2 b2'],
  [['b1', 'a1', 'b2', 'a2', 'b3'], 'b1 a1 b2 a2 b3'],
  [[], ''],
])('%j is taken in turns: %s', (waiting, expected) => {
  expect(takeAll(fill(...waiting))).toBe(expected)
})

test('an organization that arrives late waits for one turn, not for the line of another', () => {
  const turns = fill('a1', 'a2', 'a3')
  expect(turns.next(() => true)?.taken).toBe('a1')
  turns.add('b', 'b1')
  expect(takeAll(turns)).toBe('a2 b1 a3')
})

test('an organization that may not start is passed over and keeps its place', () => {
  const turns = fill('a1', 'a2', 'b1', 'b2')
  expect(takeAll(turns, (organizationId) => organizationId === 'b')).toBe('b1 b2')
  expect(takeAll(turns)).toBe('a1 a2')
})

test('everything that waits can be taken away', () => {
  const turns = fill('a1', 'b1', 'a2')
  expect(turns.empty().sort()).toEqual(['a1', 'a2', 'b1'])
  expect(takeAll(turns)).toBe('')
})
