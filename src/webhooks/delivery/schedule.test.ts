import { expect, test } from 'vitest'
import { newId } from '../../lib/ids.ts'
import { nextDelayMs, readRetryAfter } from './schedule.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

// biome-ignore format: a table is read by column
test.each([
  // attempts made   next attempt after
  [1,                5 * second],
  [2,                5 * minute],
  [3,               30 * minute],
  [4,                2 * hour],
  [5,                5 * hour],
  [6,               10 * hour],
  [7,               14 * hour],
  [8,               20 * hour],
  [9,               24 * hour],
])('after %i attempts the next follows %i ms later, or up to a tenth more', (made, delay) => {
  const waits = Array.from({ length: 200 }, () => nextDelayMs(made, newId(), undefined) ?? 0)
  for (const wait of waits) {
    expect(wait).toBeGreaterThanOrEqual(delay)
    expect(wait).toBeLessThanOrEqual(delay * 1.1)
  }
  expect(new Set(waits).size).toBeGreaterThan(50)
})

test('the tenth attempt is the last', () => {
  expect(nextDelayMs(10, newId(), undefined)).toBeUndefined()
  expect(nextDelayMs(10, newId(), minute)).toBeUndefined()
})

test('the delay of a delivery is always the same', () => {
  const deliveryId = newId()
  expect(nextDelayMs(3, deliveryId, undefined)).toBe(nextDelayMs(3, deliveryId, undefined))
})

test.each([
  ['less than planned', second, 5 * second],
  ['more than planned', hour, hour],
  ['more than a day', 100 * hour, 24 * hour],
])('a receiver that requests %s', (_, requested, least) => {
  const wait = nextDelayMs(1, newId(), requested) ?? 0
  expect(wait).toBeGreaterThanOrEqual(least)
  expect(wait).toBeLessThanOrEqual(least * 1.1)
})

const now = Date.parse('2025-11-21T10:00:00Z')
// biome-ignore format: a table is read by column
test.each([
  ['120',                                120 * second],
  ['0',                                  0],
  ['Fri, 21 Nov 2025 10:02:00 GMT',      2 * minute],
  ['Fri, 21 Nov 2025 09:00:00 GMT',      0],
  ['-1',                                 undefined],
  ['1.5',                                undefined],
  ['1e9',                                undefined],
  ['99999999999',                        99_999_999_999 * second],
  ['2025-11-21T10:02:00Z',               undefined],
  ['Fri, 99 Nov 2025 10:02:00 GMT',      undefined],
  ['soon',                               undefined],
  ['',                                   undefined],
  [undefined,                            undefined],
])('Retry-After: %s is %s ms', (header, wait) => {
  expect(readRetryAfter(header, now)).toBe(wait)
})
