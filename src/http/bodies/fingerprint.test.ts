import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LongText } from '../../lib/long-text.ts'
import { fingerprint } from './fingerprint.ts'

const key = Buffer.alloc(32, 7)
const print = (body: unknown, path = '[{},{}]') => fingerprint(key, path, body).toString('hex')

/** Writes a value with the names of its objects in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, item]) => [name, reversed(item)])
      .reverse(),
  )
}

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown)

test('the order of names does not matter, and every other difference does', () => {
  fc.assert(
    fc.property(json, json, (one, other) => {
      expect(print(reversed(one))).toBe(print(one))
      expect(print(one) === print(other)).toBe(isSame(one, other))
    }),
  )
})

function isSame(one: unknown, other: unknown): boolean {
  try {
    expect(one).toEqual(other)
    return true
  } catch {
    return false
  }
}

test.each<[unknown, unknown]>([
  [{ a: 1 }, { a: '1' }],
  [{ a: null }, {}],
  [[['object', 0]], [{}]],
  [['list', 1], [['list', 1]]],
  [[[1], 2], [[1, 2]]],
  [{ a: { b: 1 }, c: 2 }, { a: { b: 1, c: 2 } }],
  ['', null],
])('%j and %j have different fingerprints', (one, other) => {
  expect(print(one)).not.toBe(print(other))
})

test('the path counts', () => {
  expect(print({}, '[{"id":"1"},{}]')).not.toBe(print({}, '[{"id":"2"},{}]'))
})

test('each value of a long body counts', () => {
  const body = Array.from({ length: 3_000 }, (_, number) => ({ number }))
  const changed = (at: number) => body.map((each, place) => (place === at ? { number: -1 } : each))
  const prints = [body, ...[0, 511, 512, 1_500, 2_999].map(changed), body.slice(1)].map((each) => print(each))
  expect(new Set(prints).size).toBe(prints.length)
})

test('the content and the place of a long text count', () => {
  const text = (content: string) => new LongText([Buffer.from(content)])
  const bodies = [
    { a: text('one'), b: 'x' },
    { a: text('two'), b: 'x' },
    { a: text('one'), b: 'y' },
    { b: text('one'), a: 'x' },
    { a: 'one', b: 'x' },
  ]
  expect(new Set(bodies.map((each) => print(each))).size).toBe(bodies.length)
})
