import { type BankService, serviceFor } from '../../../catalog/bank-limits.ts'
import type { FiatRail } from '../../../catalog/currencies.ts'
import { bankWindow, nextExecutionDate } from '../../../catalog/cut-offs.ts'

/** The way in which a bank executes a payment, and the day; or the moment from which on it can be written. */
export type Slot =
  | { service: BankService; executionDate: string }
  | { until: Date; why: string }
  /** No service of the rail carries the amount. */
  | { refused: string }

/** Chooses the service, the day and the hour of a payment. The sandbox writes at any hour. */
export function scheduleFor(rail: FiatRail, amount: bigint, now: Date, keepsHours: boolean): Slot {
  const service = serviceFor(rail, amount)
  if (!service) return { refused: 'no service of the bank carries this amount' }
  if (!keepsHours) return { service, executionDate: nextExecutionDate(service, now) }
  const window = bankWindow(service, now)
  if (window.isOpen) return { service, executionDate: window.executionDate }
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

const collectingMs = 600_000

/** True in the minutes of an hour in which a file may leave while few numbers of the day are left. */
export function isCollectingTime(now: Date): boolean {
  return now.getTime() % hourMs < collectingMs
}

export function nextHour(now: Date): Date {
  return new Date((Math.floor(now.getTime() / hourMs) + 1) * hourMs)
}
