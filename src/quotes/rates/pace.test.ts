import { expect, test } from 'vitest'
import { isDue, pollDelayMs } from './pace.ts'

const minute = 60_000

// biome-ignore format: a table is read by column
test.each([
  // failures  pace         random  waits
  [0,          15 * minute, 0.9,    15 * minute],
  [1,          15 * minute, 0,      minute],
  [1,          15 * minute, 1,      minute / 2],
  [2,          15 * minute, 0,      2 * minute],
  [4,          15 * minute, 0.5,    6 * minute],
  [5,          15 * minute, 0,      15 * minute],
  [2_000,      15 * minute, 1,      7.5 * minute],
  [0,          0,           0.5,    0],
  [3,          0,           0.5,    0],
])('after %i failures a source with a pace of %i ms and random %d waits %i ms', (failures, everyMs, random, waits) => {
  expect(pollDelayMs(failures, everyMs, () => random)).toBe(waits)
})

test.each([
  [1_000, 500, 1_499, false],
  [1_000, 500, 1_500, true],
  [1_000, 500, 999, true],
])('polled at %i with a delay of %i ms, at %i it is due: %s', (atMs, waitMs, nowMs, due) => {
  expect(isDue({ atMs, waitMs }, nowMs)).toBe(due)
})
