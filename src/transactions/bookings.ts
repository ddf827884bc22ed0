import { isFiat, scaleOf } from '../catalog/currencies.ts'
import { type NewPosting, referenceOf } from '../ledger/posting.ts'
import * as postings from '../ledger/postings.ts'
import { parseRate } from '../lib/money.ts'
import type { TransactionRow } from './transaction.ts'

/** What each step of a transaction posts. Values in, postings out; each has one reference, so each is posted once. */

type Step =
  | ('source' | 'capture' | 'conversion' | 'payout' | 'reversal' | 'refund' | 'return' | 'refund-back')
  // Each time that something is paid again it has a name of its own.
  | `${'owed-again' | 'repayment' | 'repayment-back'}:${string}`

export function referenceFor({ transactionId }: Pick<TransactionRow, 'transactionId'>, step: Step): string {
  return referenceOf({ type: 'transaction', id: transactionId }, step)
}

/** From a service wallet, and it arrives as what it left as: nothing is converted, and our treasury never has it. */
export function isDirect({ isFromWallet, sourceAsset, destinationAsset }: TransactionRow): boolean {
  return isFromWallet && sourceAsset === destinationAsset
}

/** The money that is here becomes the money that leaves. Of a direct transfer nothing happens until it has arrived. */
export function executionBookings(row: TransactionRow): NewPosting[] {
  if (isDirect(row)) return []
  const { organizationId } = row
  const source = { asset: row.sourceAsset, amount: BigInt(row.sourceAmount) }
  const conversion = { organizationId, reference: referenceFor(row, 'conversion'), ...conversionOf(row) }
  const reference = referenceFor(row, 'capture')
  if (row.isFromWallet) {
    const captured = postings.captureFromWallet({ ...source, paymentAccountId: row.sourcePaymentAccountId })
    return [{ organizationId, reference, captures: referenceFor(row, 'source'), ...captured }, conversion]
  }
  if (isFiat(row.sourceAsset)) return [conversion]
  return [{ organizationId, reference, ...postings.collectDeposit(source) }, conversion]
}

/** It has arrived outside, or at the address of a service wallet. */
export function payoutBooking(row: TransactionRow): NewPosting {
  const about = { organizationId: row.organizationId, reference: referenceFor(row, 'payout') }
  const to = row.destinationPaymentAccountId
  if (isDirect(row)) {
    const sent = postings.sendFromWallet({
      ...{ asset: row.sourceAsset, amount: BigInt(row.sourceAmount) },
      ...{ svcFee: BigInt(row.svcFee), developerFee: BigInt(row.developerFee) },
      ...{ paymentAccountId: row.sourcePaymentAccountId, toPaymentAccountId: row.isToWallet ? to : undefined },
    })
    return { ...about, captures: referenceFor(row, 'source'), ...sent }
  }
  const sum = { asset: row.destinationAsset, amount: BigInt(row.destinationAmount) }
  if (row.isToWallet) return { ...about, ...postings.payoutToWallet({ ...sum, paymentAccountId: to }) }
  return { ...about, ...postings.payout({ ...sum, at: ownHolding(row.destinationAsset, row.destinationMethod) }) }
}

/** The payout was refused: the source is there again, whole, fees included. */
export function reversalBooking(row: TransactionRow): NewPosting {
  const { organizationId } = row
  return { organizationId, reference: referenceFor(row, 'reversal'), ...postings.reverse(conversionOf(row)) }
}

/** Back to the service wallet that paid. */
export function walletRefundBooking(row: TransactionRow): NewPosting {
  const sum = { asset: row.sourceAsset, amount: BigInt(row.sourceAmount) }
  const refunded = postings.refundToWallet({ ...sum, paymentAccountId: row.sourcePaymentAccountId })
  return { organizationId: row.organizationId, reference: referenceFor(row, 'refund'), ...refunded }
}

/** Where we ourselves hold an asset: at the bank of a rail, or at our own address. */
export function ownHolding(asset: string, method: string): postings.Holding {
  return isFiat(asset) ? { rail: method } : 'TREASURY'
}

function conversionOf(row: TransactionRow) {
  const rate = parseRate(row.exchangeRate)
  if (!rate.ok) throw new Error(`transaction ${row.transactionId} has no rate`)
  return postings.convert({
    source: { asset: row.sourceAsset, amount: BigInt(row.sourceAmount), scale: scaleOf(row.sourceAsset) },
    ...{ svcFee: BigInt(row.svcFee), developerFee: BigInt(row.developerFee), rate: rate.rate },
    destination: {
      ...{ asset: row.destinationAsset, amount: BigInt(row.destinationAmount) },
      scale: scaleOf(row.destinationAsset),
    },
  })
}
