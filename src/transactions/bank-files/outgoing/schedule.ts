import { type BankService, serviceFor } from '../../../catalog/bank-limits.ts'
import type { ClosedDays } from '../../../catalog/banking-days.ts'
import type { FiatRail } from '../../../catalog/currencies.ts'
import { bankWindow, nextExecutionDate } from '../../../catalog/cut-offs.ts'

/** The way in which a bank executes a payment, and the day; or the moment from which on it can be written. */
export type Slot =
  | { service: BankService; executionDate: string; closesAt?: Date }
  | { until: Date; why: string }
  /** No service of the rail carries the amount. */
  | { refused: string }

export type Hours = {
  /** True when files are written in the bank's hours alone. Else a number of a day may be used twice. */
  keepsHours: boolean
  /** Pays by Same Day ACH what it can carry while its window is open. */
  usesSameDay: boolean
  /** Days on which the banks of the deployment are closed beside the rules. */
  closedDays: ClosedDays
}

/** Chooses the service, the day and the hour of a payment. The sandbox writes at any hour. */
export function scheduleFor(rail: FiatRail, amount: bigint, now: Date, hours: Hours): Slot {
  const { keepsHours, usesSameDay, closedDays } = hours
  const sameDay = rail === 'ACH' && usesSameDay ? serviceFor(rail, amount, ['ACH_SAME_DAY']) : undefined
  const isSameDay = sameDay !== undefined && (!keepsHours || bankWindow(sameDay, now, closedDays).isOpen)
  const service = isSameDay ? sameDay : serviceFor(rail, amount, rail === 'ACH' ? ['ACH'] : undefined)
  if (!service) return { refused: 'no service of the bank carries this amount' }
  if (!keepsHours) return { service, executionDate: nextExecutionDate(service, now, closedDays) }
  const window = bankWindow(service, now, closedDays)
  if (window.isOpen) {
    const { executionDate, closesAt } = window
    return { service, executionDate, closesAt }
  }
  return { until: window.opensAt, why: 'the bank takes no files at this hour' }
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const firstPauseMs = 900_000

/** The moment from which on a rejected payment may leave again: at once, then after 15 minutes, an hour, at most a day. */
export function pauseAfter(rejections: number, rejectedAt: Date): Date {
  const pause = rejections < 2 ? 0 : Math.min(firstPauseMs * 4 ** (rejections - 2), dayMs)
  return new Date(rejectedAt.getTime() + pause)
}

export function startOfHour(now: Date): Date {
  return new Date(Math.floor(now.getTime() / hourMs) * hourMs)
}

export function nextHour(now: Date): Date {
  return new Date(startOfHour(now).getTime() + hourMs)
}

/** True in the hour before the bank takes no more files of the day. */
export function isLastHour(service: BankService, now: Date): boolean {
  const window = bankWindow(service, now)
  return window.isOpen && window.endsAt.getTime() - now.getTime() <= hourMs
}
