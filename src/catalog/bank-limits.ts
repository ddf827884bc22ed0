import type { FiatRail } from './currencies.ts'

/** The ways in which a bank executes a payment. A rail has one or more of them. */
export const bankServices = ['ACH', 'ACH_SAME_DAY', 'WIRE', 'SEPA', 'INTERAC', 'NEFT', 'RTGS', 'IMPS'] as const
export type BankService = (typeof bankServices)[number]

/** The limits of one payment, in minor units. */
type ServiceLimits = { rail: FiatRail; minimum: bigint; maximum: bigint; source: string; asOf: string }

/** A deployment's bank may allow less. A scheme without a ceiling has the largest amount that its format carries. */
// biome-ignore format: a table is read by column
export const bankLimits: Readonly<Record<BankService, ServiceLimits>> = {
  ACH:          { rail: 'ACH',               minimum: 1n,          maximum: 99_999_999_99n,         asOf: '2026-11-16', source: 'Nacha file format: ten digits of cents' },
  ACH_SAME_DAY: { rail: 'ACH',               minimum: 1n,          maximum: 1_000_000_00n,          asOf: '2026-11-16', source: 'Nacha Operating Rules: Same Day ACH, 1 million dollars a payment since 18 March 2022' },
  WIRE:         { rail: 'WIRE',              minimum: 1n,          maximum: 9_999_999_999_99n,      asOf: '2026-11-16', source: 'Federal Reserve Banks, Fedwire Funds Service: one cent less than 10 billion dollars' },
  SEPA:         { rail: 'SEPA',              minimum: 1n,          maximum: 999_999_999_99n,        asOf: '2026-11-16', source: 'European Payments Council, SEPA Credit Transfer implementation guidelines: 0.01 to 999,999,999.99' },
  INTERAC:      { rail: 'CA_INTERAC',        minimum: 1n,          maximum: 25_000_00n,             asOf: '2026-11-16', source: 'Interac e-Transfer: 25,000 dollars a transfer that is received' },
  IMPS:         { rail: 'IN_NEFT_RTGS_IMPS', minimum: 1_00n,       maximum: 500_000_00n,            asOf: '2026-11-16', source: 'Reserve Bank of India, 8 October 2021: IMPS to 500,000 rupees a payment' },
  RTGS:         { rail: 'IN_NEFT_RTGS_IMPS', minimum: 200_000_00n, maximum: 999_999_999_999_99n,    asOf: '2026-11-16', source: 'Reserve Bank of India: RTGS from 200,000 rupees, without a ceiling' },
  NEFT:         { rail: 'IN_NEFT_RTGS_IMPS', minimum: 1n,          maximum: 999_999_999_999_99n,    asOf: '2026-11-16', source: 'Reserve Bank of India: NEFT without a floor or a ceiling' },
}

/** The services of each rail, the preferred one first: in India, the faster one. */
export const railServices: Readonly<Record<FiatRail, readonly BankService[]>> = {
  ACH: ['ACH', 'ACH_SAME_DAY'],
  WIRE: ['WIRE'],
  SEPA: ['SEPA'],
  CA_INTERAC: ['INTERAC'],
  IN_NEFT_RTGS_IMPS: ['IMPS', 'RTGS', 'NEFT'],
}

/** Chooses the first service whose limits allow an amount; undefined when none does. `offered` is in order of preference. */
export function serviceFor(
  rail: FiatRail,
  amount: bigint,
  offered: readonly BankService[] = railServices[rail],
): BankService | undefined {
  return offered.find((service) => bankLimits[service].rail === rail && isWithinLimits(service, amount))
}

export function isWithinLimits(service: BankService, amount: bigint): boolean {
  const { minimum, maximum } = bankLimits[service]
  return amount >= minimum && amount <= maximum
}
