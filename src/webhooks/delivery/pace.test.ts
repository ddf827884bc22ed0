import { expect, test } from 'vitest'
import { createPace, pauseAfter } from './pace.ts'

// biome-ignore format: a table is read by column
test.each([
  // perSecond  answer took  pause after the answer
  [50,          0,           20],
  [50,          5,           15],
  [50,          10,          10],
  [50,          40,          40],
  [50,          900,         900],
  [50,          15_000,      1_000],
  [1,           10,          990],
] as const)('at most %s a second, after an answer of %s ms, pauses %s ms', (perSecond, answerMs, pauseMs) => {
  const pace = createPace(perSecond)
  expect(pace.delayMs(1_000)).toBe(0)
  pace.answered(1_000, 1_000 + answerMs)
  expect(pace.delayMs(1_000 + answerMs)).toBe(pauseMs)
  expect(pace.delayMs(1_000 + answerMs + pauseMs)).toBe(0)
})

test('a failed replay pauses all others, for as long as the endpoint asks within an hour', () => {
  expect([undefined, 1_000, 60_000, 86_400_000].map(pauseAfter)).toEqual([5_000, 5_000, 60_000, 3_600_000])
})
