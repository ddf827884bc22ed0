import { labelOf, scaleOf } from '../catalog/currencies.ts'
import { convert, formatRate, type Rate } from '../lib/money.ts'
import { isSameCurrency } from '../quotes/rates/rates.ts'
import { isReserved } from './bookings.ts'
import type { Transaction } from './transaction.ts'

/** The largest shortfall against the quoted amount that repricing accepts. */
export const toleranceBasisPoints = 100n

/** The time for which a stopped payment keeps its price after the quote or its guarantee has ended. */
const stoppedPriceMs = 3_600_000

/** The time for which a transaction that waited for an approval keeps its price, from its creation. */
const approvalPriceMs = 300_000

/**
 * QUOTED: the price of the quote holds. NOW: a new price. QUOTED_OR_NONE: the price of the quote, as long as the market
 * is within the tolerance; else the transaction fails.
 */
export type Pricing = 'QUOTED' | 'NOW' | 'QUOTED_OR_NONE'

/**
 * Chooses the price at execution. Money that arrived after the quote expired gets a new price, unless the quote is
 * guaranteed or the source was reserved. So does money that came in time but is executed more than an hour after its quote:
 * a reviewer who can stop and continue a payment would otherwise have a free option. A price that is never changed ends
 * instead. An approver gets no such option either: five minutes after its creation, a transaction that waited for
 * one gets a new price, unless its guarantee lasts.
 */
export function choosePricing(transaction: Transaction, now: Date): Pricing {
  const { isGuaranteed, fundedAt, quoteExpiresAt, guaranteedUntil } = transaction
  const isFixed = isReserved(transaction) || isGuaranteed
  if (!isFixed && fundedAt !== null && fundedAt >= quoteExpiresAt) return 'NOW'
  if (isSameCurrency(labelOf(transaction.sourceAsset), labelOf(transaction.destinationAsset))) return 'QUOTED'
  if (isApprovedLate(transaction, now)) return 'NOW'
  const end = Math.max(quoteExpiresAt.getTime(), guaranteedUntil?.getTime() ?? 0) + stoppedPriceMs
  if (now.getTime() < end) return 'QUOTED'
  return isFixed ? 'QUOTED_OR_NONE' : 'NOW'
}

function isApprovedLate({ approvalId, createdAt, guaranteedUntil }: Transaction, now: Date): boolean {
  if (approvalId === null || (guaranteedUntil !== null && now < guaranteedUntil)) return false
  return now.getTime() >= createdAt.getTime() + approvalPriceMs
}

export type NewTerms = { exchangeRate: string; destinationAmount: bigint }

/** Reprices at the current rate with the same fees; undefined when the result is below the tolerance. */
export function repriceAt(transaction: Transaction, rate: Rate): NewTerms | undefined {
  const net = BigInt(transaction.sourceAmount) - BigInt(transaction.svcFee) - BigInt(transaction.developerFee)
  const amount = convert(net, scaleOf(transaction.sourceAsset), rate, scaleOf(transaction.destinationAsset), 'down')
  const isTooLittle = amount * 10_000n < BigInt(transaction.destinationAmount) * (10_000n - toleranceBasisPoints)
  return amount <= 0n || isTooLittle ? undefined : { exchangeRate: formatRate(rate), destinationAmount: amount }
}
