import type { Asset } from '../catalog/currencies.ts'
import type { FeeTier } from '../catalog/fee-schedule.ts'
import type { PaymentMethod } from '../catalog/payment-methods.ts'
import type { OwnData } from '../lib/resources/own-data.ts'

/** The quoted price is guaranteed for five minutes of business time. */
export const quoteLifetimeSeconds = 300

export const developerFeeTypes = ['USD', 'SOURCE_CURRENCY'] as const
export type DeveloperFeeType = (typeof developerFeeTypes)[number]

/** A transfer to price. Amounts are in smallest units. */
export type Route = {
  source: { asset: Asset; method: PaymentMethod; amount: bigint }
  destination: { asset: Asset; method: PaymentMethod }
  /** In cents, or in the smallest unit of the source currency. */
  developerFee: { type: DeveloperFeeType; amount: bigint } | undefined
  tier: FeeTier
}

/**
 * A rounding that dropped a fraction: result = numerator / denominator, rounded. Results are in smallest units, those of
 * rates in units of the twelfth decimal.
 */
export type RoundingStep = {
  step: 'crossRate' | 'exchangeRate' | 'svcFee' | 'developerFee' | 'destinationAmount' | 'svcFeeUSD' | 'developerFeeUSD'
  numerator: string
  denominator: string
  rounding: 'up' | 'down'
  result: string
}

export type RateUsed = { pair: string; rate: string; source: string; asOf: string }

/** The complete derivation of a quote: every figure can be recomputed from it alone. Amounts are in smallest units. */
export type Derivation = {
  source: { asset: Asset; method: PaymentMethod; amount: string }
  destination: { asset: Asset; method: PaymentMethod; amount: string }
  exchangeRate: string
  crossRate: string
  spreadBasisPoints: string
  sourceUsdRate: string
  rates: RateUsed[]
  svcFee: { rule: string; basisPoints: string; minimumUsd: string; amount: string; usdCents: string }
  developerFee: { type: DeveloperFeeType | null; asked: string | null; amount: string; usdCents: string }
  converted: string
  rounding: RoundingStep[]
}

/** A quote as stored. */
export type StoredQuote = {
  organizationId: string
  quoteId: string
  customerId: string
  sourcePaymentAccountId: string
  sourceAsset: Asset
  sourceMethod: PaymentMethod
  sourceAmountText: string
  destinationPaymentAccountId: string
  destinationAsset: Asset
  destinationMethod: PaymentMethod
  isGuaranteed: boolean
  derivation: string
  createdAt: Date
  expiresAt: Date
  /** The end of the guarantee; null without one, and for a service wallet, which pays at once. */
  guaranteedUntil: Date | null
} & OwnData
