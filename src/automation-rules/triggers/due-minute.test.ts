import { expect, test } from 'vitest'
import { parseCron } from './cron.ts'
import { latestDueMinute } from './due-minute.ts'

// biome-ignore format: a table is read by column
test.each([
  // schedule          due since               now                        stands for
  ['* * * * *',        '2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00Z'],
  ['* * * * *',        '2026-03-01T10:00:00Z', '2026-03-01T10:00:59.999Z', '2026-03-01T10:00:00Z'],
  ['* * * * *',        '2026-03-01T10:00:00Z', '2026-03-01T10:01:00.000Z', '2026-03-01T10:01:00Z'],
  ['* * * * *',        '2025-01-01T00:00:00Z', '2026-03-01T10:01:30.000Z', '2026-03-01T10:01:00Z'],
  ['*/15 * * * *',     '2026-03-01T10:00:00Z', '2026-03-01T10:44:00.000Z', '2026-03-01T10:30:00Z'],
  ['0 9 * * *',        '2026-03-01T09:00:00Z', '2026-03-04T08:59:59.000Z', '2026-03-03T09:00:00Z'],
  ['0-59 9 * * *',     '2026-03-01T09:00:00Z', '2026-03-04T08:59:59.000Z', '2026-03-03T09:59:00Z'],
  ['0 9 1 * *',        '2026-01-01T09:00:00Z', '2026-03-31T09:00:00.000Z', '2026-03-01T09:00:00Z'],
  ['0 0 29 2 *',       '2024-02-29T00:00:00Z', '2027-12-31T00:00:00.000Z', '2024-02-29T00:00:00Z'],
  ['0 0 29 2 *',       '2024-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z', '2028-02-29T00:00:00Z'],
  ['* * 29 2 *',       '2024-02-29T00:00:00Z', '2027-12-31T00:00:00.000Z', '2024-02-29T23:59:00Z'],
] as const)('%s, due since %s: a run opened at %s is scheduled for %s', (schedule, dueSince, now, expected) => {
  const parsed = parseCron(schedule)
  if (!parsed.ok) throw new Error(parsed.message)
  expect(latestDueMinute(parsed.value, new Date(dueSince), new Date(now))).toEqual(new Date(expected))
})
