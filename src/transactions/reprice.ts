import { scaleOf } from '../catalog/currencies.ts'
import { convert, formatRate, type Rate } from '../lib/money.ts'
import type { TransactionRow } from './transaction.ts'

/** How much less than quoted a customer may get when the money came late. */
export const toleranceBasisPoints = 100n

/** Money that came after the quote's time gets today's price, unless the quote is guaranteed or a wallet had it all along. */
export function needsNewPrice({ isFromWallet, isGuaranteed, fundedAt, quoteExpiresAt }: TransactionRow): boolean {
  return !isFromWallet && !isGuaranteed && fundedAt !== null && fundedAt >= quoteExpiresAt
}

export type NewTerms = { exchangeRate: string; destinationAmount: bigint }

/** The same fees at another rate: a better one is the customer's; undefined when it is too much worse than quoted. */
export function repriceAt(row: TransactionRow, rate: Rate): NewTerms | undefined {
  const net = BigInt(row.sourceAmount) - BigInt(row.svcFee) - BigInt(row.developerFee)
  const amount = convert(net, scaleOf(row.sourceAsset), rate, scaleOf(row.destinationAsset), 'down')
  const isTooLittle = amount * 10_000n < BigInt(row.destinationAmount) * (10_000n - toleranceBasisPoints)
  return amount <= 0n || isTooLittle ? undefined : { exchangeRate: formatRate(rate), destinationAmount: amount }
}
