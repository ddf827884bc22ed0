import { scaleOf } from '../catalog/currencies.ts'
import { convert, formatRate, type Rate } from '../lib/money.ts'
import type { Transaction } from './transaction.ts'

/** How much less than quoted a customer may get when the money came late. */
export const toleranceBasisPoints = 100n

/** Money that came after the quote's time gets today's price, unless the quote is guaranteed or a wallet had it all along. */
export function needsNewPrice({ isFromWallet, isGuaranteed, fundedAt, quoteExpiresAt }: Transaction): boolean {
  return !isFromWallet && !isGuaranteed && fundedAt !== null && fundedAt >= quoteExpiresAt
}

export type NewTerms = { exchangeRate: string; destinationAmount: bigint }

/** The same fees at another rate: a better one is the customer's; undefined when it is too much worse than quoted. */
export function repriceAt(transaction: Transaction, rate: Rate): NewTerms | undefined {
  const net = BigInt(transaction.sourceAmount) - BigInt(transaction.svcFee) - BigInt(transaction.developerFee)
  const amount = convert(net, scaleOf(transaction.sourceAsset), rate, scaleOf(transaction.destinationAsset), 'down')
  const isTooLittle = amount * 10_000n < BigInt(transaction.destinationAmount) * (10_000n - toleranceBasisPoints)
  return amount <= 0n || isTooLittle ? undefined : { exchangeRate: formatRate(rate), destinationAmount: amount }
}
