import { expect, test } from 'vitest'
import { isWithinLimits, serviceFor } from './bank-limits.ts'
import { addBankingDays, type BankCalendar, bankingDayFrom, easter, isBankingDay } from './banking-days.ts'
import { bankWindow, nextExecutionDate } from './cut-offs.ts'

/** The weekdays of a year on which banks are closed. */
function closedWeekdays(calendar: BankCalendar, year: number): string[] {
  const closed: string[] = []
  for (let time = Date.UTC(year, 0, 1); time < Date.UTC(year + 1, 0, 1); time += 86_400_000) {
    const day = new Date(time).toISOString().slice(0, 10)
    if (new Date(time).getUTCDay() % 6 !== 0 && !isBankingDay(calendar, day)) closed.push(day.slice(5))
  }
  return closed
}

// biome-ignore format: a table is read by column
test.each([
  ['FED',    2022, ['01-17', '02-21', '05-30', '06-20', '07-04', '09-05', '10-10', '11-11', '11-24', '12-26']],
  ['FED',    2026, ['01-01', '01-19', '02-16', '05-25', '06-19', '09-07', '10-12', '11-11', '11-26', '12-25']],
  ['FED',    2027, ['01-01', '01-18', '02-15', '05-31', '07-05', '09-06', '10-11', '11-11', '11-25']],
  ['TARGET', 2026, ['01-01', '04-03', '04-06', '05-01', '12-25']],
  ['TARGET', 2027, ['01-01', '03-26', '03-29']],
  ['CANADA', 2024, ['01-01', '03-29', '05-20', '07-01', '09-02', '09-30', '10-14', '11-11', '12-25', '12-26']],
  ['CANADA', 2023, ['01-02', '04-07', '05-22', '07-03', '09-04', '10-02', '10-09', '11-13', '12-25', '12-26']],
  ['CANADA', 2021, ['01-01', '04-02', '05-24', '07-01', '09-06', '09-30', '10-11', '11-11', '12-27', '12-28']],
  ['CANADA', 2026, ['01-01', '04-03', '05-18', '07-01', '09-07', '09-30', '10-12', '11-11', '12-25', '12-28']],
  ['INDIA',  2026, []],
] as const)('banks of %s are closed in %d on the weekdays %s', (calendar, year, closed) => {
  expect(closedWeekdays(calendar, year)).toEqual(closed)
})

test.each([
  [1999, '1999-04-04'],
  [2024, '2024-03-31'],
  [2026, '2026-04-05'],
  [2038, '2038-04-25'],
])('Easter of %d is %s', (year, day) => {
  expect(easter(year)).toBe(day)
})

test('India has no weekends; the others have', () => {
  expect(isBankingDay('INDIA', '2026-11-15')).toBe(true)
  expect(isBankingDay('FED', '2026-11-15')).toBe(false)
  expect(bankingDayFrom('TARGET', '2026-04-03')).toBe('2026-04-07')
  expect(addBankingDays('FED', '2026-11-25', 1)).toBe('2026-11-27')
  expect(addBankingDays('FED', '2026-11-25', 2)).toBe('2026-11-30')
})

// biome-ignore format: a table is read by column
test.each([
  // service      now                      open   executed or opens again
  ['ACH',          '2026-11-16T15:00:00Z',  true,  '2026-11-17'],
  ['ACH',          '2026-11-17T00:59:00Z',  true,  '2026-11-17'],
  ['ACH',          '2026-11-17T01:00:00Z',  false, '2026-11-17T11:00:00.000Z'],
  ['ACH',          '2026-11-20T15:00:00Z',  true,  '2026-11-23'],
  ['ACH',          '2026-11-25T15:00:00Z',  true,  '2026-11-27'],
  ['ACH',          '2026-11-26T15:00:00Z',  false, '2026-11-27T11:00:00.000Z'],
  ['ACH_SAME_DAY', '2026-11-16T21:44:00Z',  true,  '2026-11-16'],
  ['ACH_SAME_DAY', '2026-11-16T21:45:00Z',  false, '2026-11-17T11:00:00.000Z'],
  ['WIRE',         '2026-07-02T22:44:00Z',  true,  '2026-07-02'],
  ['WIRE',         '2026-07-03T22:45:00Z',  false, '2026-07-06T10:00:00.000Z'],
  ['SEPA',         '2026-04-02T12:59:00Z',  true,  '2026-04-02'],
  ['SEPA',         '2026-04-02T13:00:00Z',  false, '2026-04-07T04:00:00.000Z'],
  ['SEPA',         '2026-11-16T04:00:00Z',  false, '2026-11-16T05:00:00.000Z'],
  ['INTERAC',      '2026-11-15T03:00:00Z',  true,  '2026-11-14'],
  ['IMPS',         '2026-11-15T18:30:00Z',  true,  '2026-11-16'],
] as const)('%s at %s: open %s, %s', (service, now, isOpen, expected) => {
  const window = bankWindow(service, new Date(now))
  expect(window.isOpen).toBe(isOpen)
  expect(window.isOpen ? window.executionDate : window.opensAt.toISOString()).toBe(expected)
})

test('a bank that is always open executes on the next banking day', () => {
  expect(nextExecutionDate('SEPA', new Date('2026-04-03T12:00:00Z'))).toBe('2026-04-07')
  expect(nextExecutionDate('ACH', new Date('2026-11-21T12:00:00Z'))).toBe('2026-11-24')
  expect(nextExecutionDate('RTGS', new Date('2026-11-21T12:00:00Z'))).toBe('2026-11-21')
})

// biome-ignore format: a table is read by column
test.each([
  ['IN_NEFT_RTGS_IMPS', 99n,             'NEFT'],
  ['IN_NEFT_RTGS_IMPS', 1_00n,           'IMPS'],
  ['IN_NEFT_RTGS_IMPS', 500_000_00n,     'IMPS'],
  ['IN_NEFT_RTGS_IMPS', 500_000_01n,     'RTGS'],
  ['CA_INTERAC',        25_000_01n,      undefined],
  ['ACH',               2_000_000_00n,   'ACH'],
] as const)('%s of %d leaves by %s', (rail, amount, service) => {
  expect(serviceFor(rail, amount)).toBe(service)
})

test('a bank without IMPS gets smaller amounts by NEFT', () => {
  expect(serviceFor('IN_NEFT_RTGS_IMPS', 199_999_99n, ['RTGS', 'NEFT'])).toBe('NEFT')
  expect(serviceFor('IN_NEFT_RTGS_IMPS', 200_000_00n, ['RTGS', 'NEFT'])).toBe('RTGS')
  expect(isWithinLimits('ACH_SAME_DAY', 1_000_000_01n)).toBe(false)
})
