import type { PaymentMethod } from './payment-methods.ts'

/** The limits of one transfer, in the currency of the rail or network. */
export type RailLimits = { minimum: string; maximum: string; source: string; asOf: string }

const cent = '0.01'
const ours =
  'Our own choice: below the minimum the network fee is a large share; above the maximum an operator should check first'

/** The limits of each method. A scheme without a ceiling has one that we chose. A deployment's bank may allow less. */
// biome-ignore format: a table is read by column
export const railLimits: Readonly<Record<PaymentMethod, RailLimits>> = {
  ACH:               { minimum: cent,   maximum: '1000000.00',    asOf: '2026-11-15', source: 'Nacha Operating Rules: Same Day ACH, 1 million dollars a payment since 18 March 2022' },
  WIRE:              { minimum: cent,   maximum: '9999999999.99', asOf: '2026-11-15', source: 'Federal Reserve Banks, Fedwire Funds Service: one cent less than 10 billion dollars' },
  SEPA:              { minimum: cent,   maximum: '999999999.99',  asOf: '2026-11-15', source: 'European Payments Council, SEPA Credit Transfer implementation guidelines: amounts of 0.01 to 999,999,999.99' },
  CA_INTERAC:        { minimum: cent,   maximum: '25000.00',      asOf: '2026-11-15', source: 'Interac e-Transfer: 25,000 dollars a transfer that is received' },
  IN_NEFT_RTGS_IMPS: { minimum: '1.00', maximum: '100000000.00',  asOf: '2026-11-15', source: 'Reserve Bank of India: IMPS to 500,000, RTGS from 200,000, NEFT without limits; the ceiling is our own choice' },
  ARBITRUM:          { minimum: '0.10', maximum: '10000000',      asOf: '2026-11-15', source: ours },
  BASE:              { minimum: '0.10', maximum: '10000000',      asOf: '2026-11-15', source: ours },
  ETHEREUM:          { minimum: '1.00', maximum: '10000000',      asOf: '2026-11-15', source: ours },
  OPTIMISM:          { minimum: '0.10', maximum: '10000000',      asOf: '2026-11-15', source: ours },
  POLYGON:           { minimum: '0.10', maximum: '10000000',      asOf: '2026-11-15', source: ours },
  SOLANA:            { minimum: '0.10', maximum: '10000000',      asOf: '2026-11-15', source: ours },
}
