import { expect, test } from 'vitest'
import { dayOf, daysAfter, isRealDay, monthsBefore, yearsAfter, zonedInstant, zonedTime } from './calendar.ts'

// biome-ignore format: a table is read by column
test.each([
  ['2025-11-21',  true],
  ['2024-02-29',  true],
  ['2000-02-29',  true],
  ['0001-01-01',  true],
  ['2025-02-29',  false],
  ['1900-02-29',  false],
  ['2025-04-31',  false],
  ['2025-13-01',  false],
  ['2025-00-10',  false],
  ['0000-01-01',  false],
  ['0001-01-01',  true],
  ['2025-01-00',  false],
  ['2025-1-1',    false],
  ['25-01-01',    false],
  ['2025-11-21 ', false],
  ['2025-11-21T00:00:00Z', false],
  ['٢٠٢٥-11-21',  false],
  ['',            false],
])('%j is a real day: %s', (text, expected) => {
  expect(isRealDay(text)).toBe(expected)
})

// biome-ignore format: a table is read by column
test.each([
  // day          months  before
  ['2025-11-21',  3,      '2025-08-21'],
  ['2025-05-31',  3,      '2025-02-28'],
  ['2024-05-31',  3,      '2024-02-29'],
  ['2025-05-30',  3,      '2025-02-28'],
  ['2025-05-28',  3,      '2025-02-28'],
  ['2025-12-31',  1,      '2025-11-30'],
  ['2025-01-15',  3,      '2024-10-15'],
  ['2025-03-31',  13,     '2024-02-29'],
])('%s less %d months is %s', (day, months, before) => {
  expect(monthsBefore(day, months)).toBe(before)
})

test('days are UTC days, and leap days sort before March 1', () => {
  expect(dayOf(new Date('2025-11-21T23:59:59.999Z'))).toBe('2025-11-21')
  expect(dayOf(new Date('2025-11-22T00:30:00.000+14:00'))).toBe('2025-11-21')
  expect(yearsAfter('2008-02-29', 18)).toBe('2026-02-29')
  expect('2026-02-28' < yearsAfter('2008-02-29', 18)).toBe(true)
  expect(yearsAfter('2008-02-29', 18) < '2026-03-01').toBe(true)
})

// biome-ignore format: a table is read by column
test.each([
  // UTC                    zone                day           time
  ['2026-11-16T05:30:00Z',  'America/New_York', '2026-11-16', '00:30'],
  ['2026-11-16T04:59:00Z',  'America/New_York', '2026-11-15', '23:59'],
  ['2026-07-01T20:45:00Z',  'America/New_York', '2026-07-01', '16:45'],
  ['2026-03-08T07:30:00Z',  'America/New_York', '2026-03-08', '03:30'],
  ['2026-10-25T02:30:00Z',  'Europe/Brussels',  '2026-10-25', '03:30'],
  ['2026-11-16T18:30:00Z',  'Asia/Kolkata',     '2026-11-17', '00:00'],
] as const)('%s is in %s the day %s at %s, and back', (utc, zone, day, time) => {
  expect(zonedTime(new Date(utc), zone)).toEqual({ day, time })
  expect(zonedInstant(day, time, zone)).toEqual(new Date(utc))
})

test('days are added over the ends of months and years', () => {
  expect(daysAfter('2026-12-31', 1)).toBe('2027-01-01')
  expect(daysAfter('2026-03-01', -1)).toBe('2026-02-28')
})
