import type { PaymentMethod } from './payment-methods.ts'

export type FeeTier = 'BUILDER' | 'STARTUP' | 'ENTERPRISE'
export const feeRegions = ['UNITED_STATES', 'EUROPE', 'CANADA', 'INDIA', 'CRYPTO'] as const
export type FeeRegion = (typeof feeRegions)[number]

/** The service fee: a share of the source amount in basis points, and at least the minimum. */
export type FeeRule = { name: string; basisPoints: bigint; minimumUsd: string }

/** The fee region of each destination. */
export const regionOf: Readonly<Record<PaymentMethod, FeeRegion>> = {
  ACH: 'UNITED_STATES',
  WIRE: 'UNITED_STATES',
  SEPA: 'EUROPE',
  CA_INTERAC: 'CANADA',
  IN_NEFT_RTGS_IMPS: 'INDIA',
  ARBITRUM: 'CRYPTO',
  BASE: 'CRYPTO',
  ETHEREUM: 'CRYPTO',
  OPTIMISM: 'CRYPTO',
  POLYGON: 'CRYPTO',
  SOLANA: 'CRYPTO',
}

/** Basis points by tier and region. */
// biome-ignore format: a table is read by column
const shares: Readonly<Record<FeeTier, Readonly<Record<FeeRegion, bigint>>>> = {
  BUILDER:    { UNITED_STATES: 50n, EUROPE: 50n, CANADA: 50n, INDIA: 50n, CRYPTO: 50n },
  STARTUP:    { UNITED_STATES: 25n, EUROPE: 25n, CANADA: 25n, INDIA: 25n, CRYPTO: 25n },
  ENTERPRISE: { UNITED_STATES: 10n, EUROPE: 10n, CANADA: 10n, INDIA: 10n, CRYPTO: 10n },
}

/**
 * The gas cost of one token transfer in production, with a margin for busy days. On SOLANA it is the rent of the token
 * account that a receiver may lack, and may close afterwards to keep it. Our own estimates, November 2026.
 */
const minimums: Partial<Record<PaymentMethod, string>> = {
  ARBITRUM: '0.05',
  BASE: '0.05',
  ETHEREUM: '2.00',
  OPTIMISM: '0.05',
  POLYGON: '0.05',
  SOLANA: '0.50',
}

export function feeRuleFor(tier: FeeTier, destination: PaymentMethod, environment: 'sandbox' | 'production'): FeeRule {
  const region = regionOf[destination]
  const minimumUsd = environment === 'production' ? (minimums[destination] ?? '0') : '0'
  return { name: `${tier}/${region}`, basisPoints: shares[tier][region], minimumUsd }
}
