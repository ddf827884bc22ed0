import { expect, test } from 'vitest'
import { type BankCalendar, type ClosedDays, isBankingDay } from './banking-days.ts'
import { bankWindow, nextExecutionDate } from './cut-offs.ts'

function closedWeekdays(calendar: BankCalendar, year: number): string {
  const closed: string[] = []
  for (let time = Date.UTC(year, 0, 1); time < Date.UTC(year + 1, 0, 1); time += 86_400_000) {
    const day = new Date(time).toISOString().slice(0, 10)
    if (new Date(time).getUTCDay() % 6 !== 0 && !isBankingDay(calendar, day)) closed.push(day.slice(5))
  }
  return closed.join(' ')
}

// A program in another language, with rules of its own, computed this table.
// biome-ignore format: a table is read by column
test.each([
  ['FED',     2024, '01-01 01-15 02-19 05-27 06-19 07-04 09-02 10-14 11-11 11-28 12-25'],
  ['FED',     2025, '01-01 01-20 02-17 05-26 06-19 07-04 09-01 10-13 11-11 11-27 12-25'],
  ['FED',     2026, '01-01 01-19 02-16 05-25 06-19 09-07 10-12 11-11 11-26 12-25'],
  ['FED',     2027, '01-01 01-18 02-15 05-31 07-05 09-06 10-11 11-11 11-25'],
  ['FED',     2028, '01-17 02-21 05-29 06-19 07-04 09-04 10-09 11-23 12-25'],
  ['FED',     2029, '01-01 01-15 02-19 05-28 06-19 07-04 09-03 10-08 11-12 11-22 12-25'],
  ['FED',     2030, '01-01 01-21 02-18 05-27 06-19 07-04 09-02 10-14 11-11 11-28 12-25'],
  ['FED',     2031, '01-01 01-20 02-17 05-26 06-19 07-04 09-01 10-13 11-11 11-27 12-25'],
  ['FED',     2032, '01-01 01-19 02-16 05-31 07-05 09-06 10-11 11-11 11-25'],
  ['FED',     2033, '01-17 02-21 05-30 06-20 07-04 09-05 10-10 11-11 11-24 12-26'],
  ['FED',     2034, '01-02 01-16 02-20 05-29 06-19 07-04 09-04 10-09 11-23 12-25'],
  ['FED',     2035, '01-01 01-15 02-19 05-28 06-19 07-04 09-03 10-08 11-12 11-22 12-25'],
  ['TARGET',  2024, '01-01 03-29 04-01 05-01 12-25 12-26'],
  ['TARGET',  2025, '01-01 04-18 04-21 05-01 12-25 12-26'],
  ['TARGET',  2026, '01-01 04-03 04-06 05-01 12-25'],
  ['TARGET',  2027, '01-01 03-26 03-29'],
  ['TARGET',  2028, '04-14 04-17 05-01 12-25 12-26'],
  ['TARGET',  2029, '01-01 03-30 04-02 05-01 12-25 12-26'],
  ['TARGET',  2030, '01-01 04-19 04-22 05-01 12-25 12-26'],
  ['TARGET',  2031, '01-01 04-11 04-14 05-01 12-25 12-26'],
  ['TARGET',  2032, '01-01 03-26 03-29'],
  ['TARGET',  2033, '04-15 04-18 12-26'],
  ['TARGET',  2034, '04-07 04-10 05-01 12-25 12-26'],
  ['TARGET',  2035, '01-01 03-23 03-26 05-01 12-25 12-26'],
  ['CANADA',  2024, '01-01 03-29 05-20 07-01 09-02 09-30 10-14 11-11 12-25 12-26'],
  ['CANADA',  2025, '01-01 04-18 05-19 07-01 09-01 09-30 10-13 11-11 12-25 12-26'],
  ['CANADA',  2026, '01-01 04-03 05-18 07-01 09-07 09-30 10-12 11-11 12-25 12-28'],
  ['CANADA',  2027, '01-01 03-26 05-24 07-01 09-06 09-30 10-11 11-11 12-27 12-28'],
  ['CANADA',  2028, '01-03 04-14 05-22 07-03 09-04 10-02 10-09 11-13 12-25 12-26'],
  ['CANADA',  2029, '01-01 03-30 05-21 07-02 09-03 10-01 10-08 11-12 12-25 12-26'],
  ['CANADA',  2030, '01-01 04-19 05-20 07-01 09-02 09-30 10-14 11-11 12-25 12-26'],
  ['CANADA',  2031, '01-01 04-11 05-19 07-01 09-01 09-30 10-13 11-11 12-25 12-26'],
  ['CANADA',  2032, '01-01 03-26 05-24 07-01 09-06 09-30 10-11 11-11 12-27 12-28'],
  ['CANADA',  2033, '01-03 04-15 05-23 07-01 09-05 09-30 10-10 11-11 12-26 12-27'],
  ['CANADA',  2034, '01-02 04-07 05-22 07-03 09-04 10-02 10-09 11-13 12-25 12-26'],
  ['CANADA',  2035, '01-01 03-23 05-21 07-02 09-03 10-01 10-08 11-12 12-25 12-26'],
] as const)('banks of %s are closed in %d on the weekdays %s', (calendar, year, closed) => {
  expect(closedWeekdays(calendar, year)).toBe(closed)
})

test('Indian banks settle on every day of 2024 to 2035, unless a day is announced', () => {
  for (let year = 2024; year <= 2035; year += 1) expect(closedWeekdays('INDIA', year)).toBe('')
})

const closed: ClosedDays = new Set(['INDIA 2027-04-01', 'INDIA 2027-04-02', 'TARGET 2027-04-01', 'CANADA 2027-04-01'])

// biome-ignore format: a table is read by column
test.each([
  ['NEFT',    '2027-03-31T06:00:00Z', true,  '2027-03-31'],
  ['NEFT',    '2027-04-01T06:00:00Z', false, '2027-04-02T18:30:00.000Z'],
  ['RTGS',    '2027-04-01T06:00:00Z', false, '2027-04-02T18:30:00.000Z'],
  ['INTERAC', '2027-04-01T15:00:00Z', false, '2027-04-02T04:00:00.000Z'],
  ['INTERAC', '2027-07-01T15:00:00Z', true,  '2027-07-01'],
  ['SEPA',    '2027-04-01T08:00:00Z', false, '2027-04-02T04:00:00.000Z'],
  ['WIRE',    '2027-04-01T15:00:00Z', true,  '2027-04-01'],
] as const)('%s at %s with announced days: open %s, %s', (service, now, isOpen, expected) => {
  const window = bankWindow(service, new Date(now), closed)
  expect(window.isOpen).toBe(isOpen)
  expect(window.isOpen ? window.executionDate : window.opensAt.toISOString()).toBe(expected)
})

test('a bank that is always open executes after the announced days', () => {
  expect(nextExecutionDate('SEPA', new Date('2027-04-01T08:00:00Z'), closed)).toBe('2027-04-02')
})
