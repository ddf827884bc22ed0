import { dayOf, daysAfter } from '../lib/calendar.ts'

/** The calendars by which banks settle. */
export const bankCalendars = ['FED', 'TARGET', 'CANADA', 'INDIA'] as const
export type BankCalendar = (typeof bankCalendars)[number]

/** Days on which banks are closed beside the rules, as `INDIA 2027-04-01`: announced for one deployment, or for one bank. */
export type ClosedDays = ReadonlySet<string>
const noDays: ClosedDays = new Set()

/** Tells whether a day was announced to be closed. */
export function isAnnounced(calendar: BankCalendar, day: string, closed: ClosedDays = noDays): boolean {
  return closed.has(`${calendar} ${day}`) || calendars[calendar].announced.includes(day)
}

type CalendarFacts = {
  hasWeekends: boolean
  /** The holidays of a year as days on which banks are closed, weekends included. */
  holidays(year: number): string[]
  /** Days that were closed or are announced to be, beside the rule. */
  announced: readonly string[]
  source: string
  asOf: string
}

const monday = 1
const thursday = 4

/** When banks are closed. The rules give any year; days that are announced beside them are data. */
const calendars: Readonly<Record<BankCalendar, CalendarFacts>> = {
  FED: {
    hasWeekends: true,
    holidays: (year) => [
      ...onMonday(`${year}-01-01`),
      weekday(year, 1, monday, 3),
      weekday(year, 2, monday, 3),
      lastMonday(year, 5),
      ...(year >= 2022 ? onMonday(`${year}-06-19`) : []),
      ...onMonday(`${year}-07-04`),
      weekday(year, 9, monday, 1),
      weekday(year, 10, monday, 2),
      ...onMonday(`${year}-11-11`),
      weekday(year, 11, thursday, 4),
      ...onMonday(`${year}-12-25`),
    ],
    announced: [],
    source:
      'Federal Reserve Banks, holiday schedule: a holiday on a Sunday moves to Monday, one on a Saturday does not move',
    asOf: '2026-11-16',
  },
  TARGET: {
    hasWeekends: true,
    holidays: (year) => [
      `${year}-01-01`,
      daysAfter(easter(year), -2),
      daysAfter(easter(year), 1),
      `${year}-05-01`,
      `${year}-12-25`,
      `${year}-12-26`,
    ],
    announced: [],
    source: 'European Central Bank, long-term calendar for T2 closing days',
    asOf: '2026-11-16',
  },
  CANADA: {
    hasWeekends: true,
    holidays: (year) => [
      ...observed(`${year}-01-01`),
      daysAfter(easter(year), -2),
      mondayBefore(`${year}-05-25`),
      ...observed(`${year}-07-01`),
      weekday(year, 9, monday, 1),
      ...(year >= 2021 ? observed(`${year}-09-30`) : []),
      weekday(year, 10, monday, 2),
      ...observed(`${year}-11-11`),
      ...observedPair(`${year}-12-25`),
    ],
    announced: [],
    source:
      'Payments Canada, national holidays of its systems: a holiday on a weekend is observed on the next working day',
    asOf: '2026-11-16',
  },
  INDIA: {
    hasWeekends: false,
    holidays: () => [],
    announced: [],
    source:
      'Reserve Bank of India: NEFT since 16 December 2019 and RTGS since 14 December 2020 on every day of the year',
    asOf: '2026-11-16',
  },
}

const closedDays = new Map<string, ReadonlySet<string>>()

function closedDaysOf(calendar: BankCalendar, year: number): ReadonlySet<string> {
  const key = `${calendar} ${year}`
  const known = closedDays.get(key) ?? new Set(calendars[calendar].holidays(year))
  closedDays.set(key, known)
  return known
}

/** Tells whether banks of a calendar settle on a day such as 2026-11-16. */
export function isBankingDay(calendar: BankCalendar, day: string, closed: ClosedDays = noDays): boolean {
  if (isAnnounced(calendar, day, closed)) return false
  if (calendars[calendar].hasWeekends && isWeekend(day)) return false
  return !closedDaysOf(calendar, Number.parseInt(day, 10)).has(day)
}

/** Finds the banking day that is this day or the next one. */
export function bankingDayFrom(calendar: BankCalendar, day: string, closed: ClosedDays = noDays): string {
  let found = day
  while (!isBankingDay(calendar, found, closed)) found = daysAfter(found, 1)
  return found
}

/** Adds banking days: one more than Friday is Monday, unless it is a holiday. */
export function addBankingDays(calendar: BankCalendar, day: string, days: number, closed: ClosedDays = noDays): string {
  let found = day
  for (let left = days; left > 0; left -= 1) found = bankingDayFrom(calendar, daysAfter(found, 1), closed)
  return found
}

const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay()
const isWeekend = (day: string): boolean => weekdayOf(day) % 6 === 0

/** Finds a weekday of a month: the third Monday is `monday, 3`. */
function weekday(year: number, month: number, wanted: number, which: number): string {
  const first = `${year}-${String(month).padStart(2, '0')}-01`
  return daysAfter(first, ((wanted - weekdayOf(first) + 7) % 7) + 7 * (which - 1))
}

function lastMonday(year: number, month: number): string {
  const fifth = weekday(year, month, monday, 5)
  return Number(fifth.slice(5, 7)) === month ? fifth : weekday(year, month, monday, 4)
}

function mondayBefore(day: string): string {
  const before = daysAfter(day, -1)
  return daysAfter(before, -((weekdayOf(before) + 6) % 7))
}

/** A holiday, and the Monday after it when it is a Sunday. */
function onMonday(day: string): string[] {
  return weekdayOf(day) === 0 ? [day, daysAfter(day, 1)] : [day]
}

/** A holiday, and the Monday on which it is observed when it is on a weekend. */
function observed(day: string): string[] {
  return isWeekend(day) ? [day, daysAfter(day, weekdayOf(day) === 0 ? 1 : 2)] : [day]
}

/** Two holidays in a row, and the next working days for those on a weekend. */
function observedPair(first: string): string[] {
  const days: string[] = []
  let next = first
  for (const holiday of [first, daysAfter(first, 1)]) {
    days.push(holiday)
    if (next < holiday) next = holiday
    while (isWeekend(next)) next = daysAfter(next, 1)
    days.push(next)
    next = daysAfter(next, 1)
  }
  return days
}

/** Computes Easter Sunday of the Gregorian calendar, after the anonymous algorithm of 1876. */
export function easter(year: number): string {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const rest = year % 100
  const leaps = Math.floor(century / 4)
  const moon = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3)
  const epact = (19 * golden + century - leaps - moon + 15) % 30
  const sunday = (32 + 2 * (century % 4) + 2 * Math.floor(rest / 4) - epact - (rest % 4)) % 7
  const late = Math.floor((golden + 11 * epact + 22 * sunday) / 451)
  const sum = epact + sunday - 7 * late + 114
  return dayOf(new Date(Date.UTC(year, Math.floor(sum / 31) - 1, (sum % 31) + 1)))
}
