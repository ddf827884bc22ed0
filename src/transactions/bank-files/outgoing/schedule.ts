import type { FiatRail } from '../../../catalog/currencies.ts'
import type { BankService } from '../formats.ts'

/** The way in which a bank executes a payment, and the day; or the moment from which on it can be written. */
export type Slot = { service: BankService; executionDate: string } | { until: Date; why: string }

/** The port to the hours, cut-offs and limits of rails. */
export type Schedule = (order: { rail: FiatRail; amount: bigint }, now: Date) => Slot | { refused: string }

const services: Readonly<Record<FiatRail, BankService>> = {
  ACH: 'ACH',
  WIRE: 'WIRE',
  SEPA: 'SEPA',
  CA_INTERAC: 'INTERAC',
  IN_NEFT_RTGS_IMPS: 'NEFT',
}

/** Writes every payment at once, for the same day. */
export const alwaysOpen: Schedule = ({ rail }, now) => ({
  service: services[rail],
  executionDate: now.toISOString().slice(0, 10),
})
