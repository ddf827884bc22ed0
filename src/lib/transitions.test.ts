import { expect, test } from 'vitest'
import { canMove, movesFrom, type Transitions } from './transitions.ts'

type DoorStatus = 'OPEN' | 'CLOSED' | 'LOCKED' | 'REMOVED'

const doorMoves = {
  close: { from: ['OPEN'], to: 'CLOSED' },
  open: { from: ['CLOSED'], to: 'OPEN' },
  lock: { from: ['CLOSED'], to: 'LOCKED' },
  unlock: { from: ['LOCKED'], to: 'CLOSED' },
  remove: { from: ['OPEN', 'CLOSED'], to: 'REMOVED' },
} as const satisfies Transitions<DoorStatus>

// biome-ignore format: a table is read by column
test.each([
  // move      status      allowed
  ['close',    'OPEN',     true],
  ['close',    'CLOSED',   false],
  ['lock',     'CLOSED',   true],
  ['lock',     'OPEN',     false],
  ['remove',   'OPEN',     true],
  ['remove',   'CLOSED',   true],
  ['remove',   'LOCKED',   false],
  ['open',     'REMOVED',  false],
] as const)('the move %s from %s is %s', (move, status, allowed) => {
  expect(canMove(doorMoves, move, status)).toBe(allowed)
})

// biome-ignore format: a table is read by column
test.each([
  // status    moves
  ['OPEN',     ['close', 'remove']],
  ['CLOSED',   ['open', 'lock', 'remove']],
  ['LOCKED',   ['unlock']],
  ['REMOVED',  []],
] as const)('%s leaves the moves %j', (status, moves) => {
  expect(movesFrom(doorMoves, status)).toEqual(moves)
})

test('a status read from the database as the full union is accepted', () => {
  const stored = 'CLOSED' as DoorStatus
  expect(canMove(doorMoves, 'open', stored)).toBe(true)
})

test('misspelt names do not compile', () => {
  // @ts-expect-error this status is not in the union
  const wrongTable = { close: { from: ['AJAR'], to: 'CLOSED' } } as const satisfies Transitions<DoorStatus>
  // @ts-expect-error this status is not in the table
  expect(canMove(doorMoves, 'close', 'AJAR')).toBe(false)
  // @ts-expect-error this move is not in the table
  expect(() => canMove(doorMoves, 'slam', 'OPEN')).toThrow(TypeError)
  expect(wrongTable).toBeDefined()
})
