import type { Asset, Currency } from '../../catalog/currencies.ts'
import type { FeeTier } from '../../catalog/fee-schedule.ts'
import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { NewOwnData } from '../../lib/resources/own-data.ts'
import type { NewGuarantee } from '../guarantee.ts'

/** The identity of a request with an idempotency key. */
type KeyedRequest = { organizationId: string; route: string; key: string; fingerprint: Buffer }

/** Amounts in smallest units; derivation and parts of the transaction as JSON text. */
export type QuoteFigures = {
  destinationAmount: bigint
  svcFee: bigint
  developerFee: bigint
  exchangeRate: string
  derivation: string
  transactionParts: string
}

/**
 * A quote to store, with a price for each tier of the organizations the customer may belong to. Without a price, none
 * is stored.
 */
export type NewQuote = {
  /** The request with the idempotency key; no two quotes of one statement have the same. */
  request: KeyedRequest | undefined
  quoteId: string
  customerId: string
  organizations: readonly { organizationId: string; tier: FeeTier }[]
  source: { paymentAccountId: string; asset: Asset; method: PaymentMethod; amount: bigint; amountText: string }
  destination: { paymentAccountId: string; asset: Asset; method: PaymentMethod }
  isGuaranteed: boolean
  /** The value of the source amount, in cents. */
  usdCents: string | null
  guarantee: NewGuarantee | undefined
  transferInstructions: string | null
  transferWindowSeconds: number
  /** The catalog edition that the customer's allowed methods must come from. */
  allowedBy: string
  /** Null for fiat, which no service wallet holds. */
  sourceWalletType: string | null
  destinationWalletType: string | null
  labels: { source: string; destination: string }
  own: NewOwnData
  prices: Partial<Record<FeeTier, QuoteFigures>>
}

export type ShownFee = { feeAmount: string; feeUSDAmount: string }

/** Values that a quote stores, and that no process can change: an answer of POST /quotes is made of them. */
export type AnswerFacts = {
  quoteId: string
  expiresAt: Date
  exchangeRate: string
  destinationAmount: string
  parts: {
    destinationDecimals: number
    fees: { feeCurrency: Currency; svcFee: ShownFee; developerFee: ShownFee }
  }
  guaranteedUntil: Date | null
  externalId: string | null
}
