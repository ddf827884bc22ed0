import { scaleOf } from '../catalog/currencies.ts'
import { convert, formatRate, type Rate } from '../lib/money.ts'
import type { Transaction } from './transaction.ts'

/** The largest shortfall against the quoted amount that repricing accepts. */
export const toleranceBasisPoints = 100n

/** True for money that arrived after the quote expired, unless the quote is guaranteed or a service wallet pays. */
export function needsNewPrice({ isFromWallet, isGuaranteed, fundedAt, quoteExpiresAt }: Transaction): boolean {
  return !isFromWallet && !isGuaranteed && fundedAt !== null && fundedAt >= quoteExpiresAt
}

export type NewTerms = { exchangeRate: string; destinationAmount: bigint }

/** Reprices at the current rate with the same fees; undefined when the result is below the tolerance. */
export function repriceAt(transaction: Transaction, rate: Rate): NewTerms | undefined {
  const net = BigInt(transaction.sourceAmount) - BigInt(transaction.svcFee) - BigInt(transaction.developerFee)
  const amount = convert(net, scaleOf(transaction.sourceAsset), rate, scaleOf(transaction.destinationAsset), 'down')
  const isTooLittle = amount * 10_000n < BigInt(transaction.destinationAmount) * (10_000n - toleranceBasisPoints)
  return amount <= 0n || isTooLittle ? undefined : { exchangeRate: formatRate(rate), destinationAmount: amount }
}
