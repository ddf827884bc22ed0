import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { LongText } from '../../lib/long-text.ts'
import { JsonBodyReader } from './json-body.ts'

function read(bytes: Buffer, cuts: readonly number[]): unknown {
  const reader = new JsonBodyReader()
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length]
  for (let at = 1; at < places.length; at++) reader.push(bytes.subarray(places[at - 1], places[at]))
  return reader.finish()
}

/** Replaces long texts by plain strings. */
function plain(value: unknown): unknown {
  if (value instanceof LongText) return JSON.parse(`"${Buffer.concat([...value.pieces]).toString()}"`)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, plain(inside)]))
}

const storable = fc.string({ unit: 'binary' }).filter((each) => each.isWellFormed() && !each.includes('\0'))
const text = fc.oneof(fc.string(), storable, fc.constantFrom('"', '\\', '\\"', '{"', ']}', '', '\n'))
const longText = fc
  .tuple(text, fc.integer({ min: 65_000, max: 66_500 }))
  .map(([seed, size]) => `${seed}x`.repeat(size).slice(0, size))
/** JSON.parse of Node 24 may read an escaped name of one character as the backslash alone, after another such name. */
const isMisread = (name: string) => name.length === 1 && JSON.stringify(name).length > 3
const tree = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 5 }),
  object: fc.dictionary(
    text.filter((name) => name !== '__proto__' && !isMisread(name)),
    tie('value'),
    { maxKeys: 5 },
  ),
})).value

test('a body cut into any chunks reads like JSON.parse', () => {
  fc.assert(
    fc.property(tree, fc.array(fc.nat(), { maxLength: 20 }), fc.boolean(), (value, cuts, isPretty) => {
      const bytes = Buffer.from(JSON.stringify(value, null, isPretty ? 2 : 0))
      fc.pre(bytes.toString() === JSON.stringify(value, null, isPretty ? 2 : 0))
      expect(
        read(
          bytes,
          cuts.map((cut) => cut % (bytes.length + 1)),
        ),
      ).toEqual(JSON.parse(bytes.toString()))
    }),
    { numRuns: 3_000 },
  )
})

test('long strings around the limit are read byte for byte, in any chunks', () => {
  fc.assert(
    fc.property(longText, longText, fc.array(fc.nat(), { maxLength: 6 }), (first, second, cuts) => {
      fc.pre(first.isWellFormed() && second.isWellFormed() && !`${first}${second}`.includes('\0'))
      const value = { before: 1, first, between: ['a', second], after: 'end' }
      const bytes = Buffer.from(JSON.stringify(value))
      expect(
        plain(
          read(
            bytes,
            cuts.map((cut) => cut % bytes.length),
          ),
        ),
      ).toEqual(value)
    }),
    { numRuns: 60 },
  )
})

test.each([
  ['{"a": "b', /not valid JSON at line 1, column 7$/],
  ['{"a": "b\\"}', /not valid JSON/],
  ['{"a": 1', /not valid JSON at line 1, column 8$/],
  ['{"a": 1}}', /not valid JSON at line 1, column 9$/],
  ['{"a": "\\u0000"}', /^a must not contain the character NUL/],
  ['{"a": [{"b": "\\ud800"}]}', /^a\[0\]\.b must be valid Unicode text/],
])('%s is refused', (json, message) => {
  expect(() => read(Buffer.from(json), [3])).toThrow(message)
})

test('the place of an error is found in one pass, however many long texts precede it', () => {
  const long = JSON.stringify('x'.repeat(70_000))
  const searches = [2, 12].map((count) => {
    const includes = vi.spyOn(String.prototype, 'includes')
    const indexOf = vi.spyOn(String.prototype, 'indexOf')
    try {
      const bytes = Buffer.from(`[1,\n${`${long},`.repeat(count)}x]`)
      expect(() => read(bytes, [])).toThrow(new RegExp(`line 2, column ${count * 70_003 + 1}$`))
      return includes.mock.calls.length + indexOf.mock.calls.length
    } finally {
      vi.restoreAllMocks()
    }
  })
  expect(searches[1]).toBe(searches[0])
})

/** Lists of lists, in 64 KB chunks, until the reader refuses. */
function readLists(values: number): { taken: number; outcome: unknown } {
  const reader = new JsonBodyReader()
  const thousand = `[${Array.from({ length: 999 }, () => '[]').join()}]`
  const bytes = Buffer.from(`[${Array.from({ length: values / 1_000 }, () => thousand).join()}]`)
  let taken = 0
  try {
    for (; taken < bytes.length; taken += 65_536) reader.push(bytes.subarray(taken, taken + 65_536))
    return { taken, outcome: reader.finish() }
  } catch (error) {
    return { taken, outcome: (error as Error).message }
  }
}

test('a body has a bounded number of values, and one beyond it is refused before it has arrived and been parsed', () => {
  expect(readLists(20_000).outcome).toHaveLength(20)
  const { taken, outcome } = readLists(1_000_000)
  expect(outcome).toBe('body has too many values; send at most 50000 in one request')
  expect(taken).toBeLessThan(500_000)
})

test.each([
  ['commas', (count: number) => `[${Array.from({ length: count / 1_000 }, () => `[${'1,'.repeat(999)}1]`).join()}]`],
  ['fields', (count: number) => `[${Array.from({ length: count }, () => '{"a":1}').join()}]`],
  ['nested lists', (count: number) => `[${Array.from({ length: count / 10 }, () => '[[[[[[[[[[]]]]]]]]]]').join()}]`],
])('more than 50,000 values are refused, written as %s', (_how, write) => {
  expect(() => read(Buffer.from(write(60_000)), [])).toThrow(/^body has too many values/)
})

test('commas and brackets inside of texts are no values', () => {
  const text = '[,{'.repeat(20_000)
  expect(read(Buffer.from(JSON.stringify([text])), [30_000])).toEqual([text])
})

test('many short strings create no object each', () => {
  const reader = new JsonBodyReader()
  const thousand = `[${Array.from({ length: 1_000 }, () => '""').join()}]`
  const bytes = Buffer.from(`[${Array.from({ length: 49 }, () => thousand).join()}]`)
  const before = process.memoryUsage().heapUsed
  for (let at = 0; at < bytes.length; at += 65_536) reader.push(bytes.subarray(at, at + 65_536))
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(1_000_000)
  expect(reader.finish()).toHaveLength(49)
})
