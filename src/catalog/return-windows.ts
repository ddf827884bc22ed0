import type { PaymentMethod } from './payment-methods.ts'

type ReturnWindow = { days: number; source: string; asOf: string }

const final = { days: 0, asOf: '2026-11-16', source: 'A transfer in a final block cannot be returned by the network' }

/** The days after a confirmed payout in which Svc asks the rail daily whether it was returned. A report may come later. */
// biome-ignore format: a table is read by column
export const returnWindows: Readonly<Record<PaymentMethod, ReturnWindow>> = {
  ACH:               { days: 5,  asOf: '2026-11-16', source: 'Nacha Operating Rules: a credit is returned within two banking days; weekends and holidays added' },
  WIRE:              { days: 5,  asOf: '2026-11-16', source: 'Our own choice: a wire is final, but a bank that cannot credit it sends it back within days' },
  SEPA:              { days: 5,  asOf: '2026-11-16', source: 'European Payments Council, SEPA Credit Transfer rulebook: a return within three banking days; weekends added' },
  CA_INTERAC:        { days: 31, asOf: '2026-11-16', source: 'Interac e-Transfer: a transfer that is not deposited expires after 30 days' },
  IN_NEFT_RTGS_IMPS: { days: 5,  asOf: '2026-11-16', source: 'Our own choice: the beneficiary bank returns what it cannot credit within hours' },
  ARBITRUM:          final,
  BASE:              final,
  ETHEREUM:          final,
  OPTIMISM:          final,
  POLYGON:           final,
  SOLANA:            final,
}

export function returnWindowDays(method: PaymentMethod): number {
  return returnWindows[method].days
}
