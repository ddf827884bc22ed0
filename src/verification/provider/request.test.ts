import { expect, test } from 'vitest'
import { isOverdue, pauseMs } from './request.ts'

// biome-ignore format: a table is read by column
test.each([
  // state      requested at           asked at               overdue
  ['SENDING',   '2025-11-20T10:00:00', '2025-11-21T09:59:00', false],
  ['SENDING',   '2025-11-20T10:00:00', '2025-11-21T10:01:00', true],
  ['WAITING',   '2025-11-20T10:00:00', '2025-11-21T10:01:00', false],
  ['WAITING',   '2025-11-20T10:00:00', '2025-11-25T09:59:00', false], // a weekend in between
  ['WAITING',   '2025-11-20T10:00:00', '2025-11-25T10:01:00', true],
] as const)('%s since %s is at %s overdue: %s', (state, requestedAt, now, overdue) => {
  expect(isOverdue({ state, requestedAt: new Date(`${requestedAt}Z`) }, new Date(`${now}Z`))).toBe(overdue)
})

test('the polling delay grows up to an hour', () => {
  const pauses = Array.from({ length: 9 }, (_, at) => pauseMs(at + 1) / 1_000)
  expect(pauses).toEqual([2, 5, 15, 60, 300, 900, 3_600, 3_600, 3_600])
})
