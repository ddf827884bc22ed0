import { daysAfter, zonedInstant, zonedTime } from '../lib/calendar.ts'
import type { BankService } from './bank-limits.ts'
import {
  addBankingDays,
  type BankCalendar,
  bankingDayFrom,
  type ClosedDays,
  isAnnounced,
  isBankingDay,
} from './banking-days.ts'

type Hours = {
  calendar: BankCalendar
  zone: string
  /** Files leave between these times of a banking day; without them, at any time. */
  open?: { from: string; until: string }
  /** Earlier cut-offs of the same day, each with a settlement of its own. */
  rounds?: readonly string[]
  /** The banking days from the day on which a file leaves to the day on which it is executed. */
  daysToExecution: number
  source: string
  asOf: string
}

/** When a bank takes files of a service. A deployment's bank may close earlier. */
// biome-ignore format: a table is read by column
export const bankHours: Readonly<Record<BankService, Hours>> = {
  ACH:          { calendar: 'FED',    zone: 'America/New_York', open: { from: '06:00', until: '20:00' }, daysToExecution: 1, asOf: '2026-11-16', source: 'Our own choice, for settlement on the next banking day; FedACH takes files of banks until 02:15' },
  ACH_SAME_DAY: { calendar: 'FED',    zone: 'America/New_York', open: { from: '06:00', until: '16:45' }, daysToExecution: 0, rounds: ['10:30', '14:45'], asOf: '2026-11-16', source: 'Federal Reserve Banks, FedACH schedule since 19 March 2021: 10:30, 14:45 and 16:45' },
  WIRE:         { calendar: 'FED',    zone: 'America/New_York', open: { from: '06:00', until: '18:45' }, daysToExecution: 0, asOf: '2026-11-16', source: 'Federal Reserve Banks, Fedwire Funds Service: transfers for third parties until 18:45' },
  SEPA:         { calendar: 'TARGET', zone: 'Europe/Brussels',  open: { from: '06:00', until: '15:00' }, daysToExecution: 0, asOf: '2026-11-16', source: 'Our own choice: the rulebook of the European Payments Council leaves the cut-off to each bank' },
  INTERAC:      { calendar: 'CANADA', zone: 'America/Toronto',                                           daysToExecution: 0, asOf: '2026-11-16', source: 'Interac e-Transfer: at any time of every day' },
  NEFT:         { calendar: 'INDIA',  zone: 'Asia/Kolkata',                                              daysToExecution: 0, asOf: '2026-11-16', source: 'Reserve Bank of India: half-hourly batches on every day since 16 December 2019' },
  RTGS:         { calendar: 'INDIA',  zone: 'Asia/Kolkata',                                              daysToExecution: 0, asOf: '2026-11-16', source: 'Reserve Bank of India: at any time of every day since 14 December 2020' },
  IMPS:         { calendar: 'INDIA',  zone: 'Asia/Kolkata',                                              daysToExecution: 0, asOf: '2026-11-16', source: 'National Payments Corporation of India: at any time of every day' },
}

/**
 * Open: a file that leaves before `closesAt` is executed as its day and mark say; files of the day leave until `endsAt`.
 * Closed: files leave again from `opensAt`.
 */
export type BankWindow =
  | { isOpen: true; executionDate: string; closesAt: Date; endsAt: Date }
  | { isOpen: false; opensAt: Date }

/**
 * Tells whether a file of a service may leave now, and when it is executed. A service without hours runs on every day
 * but those that were announced to be closed.
 */
export function bankWindow(service: BankService, now: Date, closed?: ClosedDays): BankWindow {
  const { calendar, zone, open, rounds = [], daysToExecution } = bankHours[service]
  const { day, time } = zonedTime(now, zone)
  // After midnight, a file of this day would be executed in the past.
  const midnight = zonedInstant(daysAfter(day, 1), '00:00', zone)
  if (!open) {
    if (!isAnnounced(calendar, day, closed)) {
      return { isOpen: true, executionDate: day, closesAt: midnight, endsAt: midnight }
    }
    let next = daysAfter(day, 1)
    while (isAnnounced(calendar, next, closed)) next = daysAfter(next, 1)
    return { isOpen: false, opensAt: zonedInstant(next, '00:00', zone) }
  }
  if (isBankingDay(calendar, day, closed) && time < open.until) {
    if (time < open.from) return { isOpen: false, opensAt: zonedInstant(day, open.from, zone) }
    const executionDate = addBankingDays(calendar, day, daysToExecution, closed)
    const closes = rounds.find((round) => time < round) ?? open.until
    const at = (time: string) => zonedInstant(day, time, zone)
    return { isOpen: true, executionDate, closesAt: at(closes), endsAt: at(open.until) }
  }
  const next = bankingDayFrom(calendar, daysAfter(day, 1), closed)
  return { isOpen: false, opensAt: zonedInstant(next, open.from, zone) }
}

/** The day on which a file that leaves now would be executed if the bank were always open (SVC_BANK_HOURS=always). */
export function nextExecutionDate(service: BankService, now: Date, closed?: ClosedDays): string {
  const { calendar, zone, daysToExecution, open } = bankHours[service]
  const { day } = zonedTime(now, zone)
  return open ? addBankingDays(calendar, bankingDayFrom(calendar, day, closed), daysToExecution, closed) : day
}
