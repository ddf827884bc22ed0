import { isFiat, scaleOf } from '../catalog/currencies.ts'
import { type NewPosting, referenceOf } from '../ledger/posting.ts'
import * as postings from '../ledger/postings.ts'
import { parseRate } from '../lib/money.ts'
import type { Transaction } from './transaction.ts'

/** Builds the postings of each step of a transaction. Each has one reference, so the ledger posts it once. */

type Step =
  | ('source' | 'capture' | 'conversion' | 'payout' | 'collect' | 'reversal' | 'refund' | 'return' | 'refund-back')
  // Each repayment has its own reference.
  | `${'owed-again' | 'repayment' | 'repayment-back'}:${string}`

export function referenceFor({ transactionId }: Pick<Transaction, 'transactionId'>, step: Step): string {
  return referenceOf({ type: 'transaction', id: transactionId }, step)
}

/** True when Svc has the source already, and reserved it: money of a service wallet, or returned funds. */
export function isReserved({ isFromWallet, isFromReturnedFunds }: Transaction): boolean {
  return isFromWallet || isFromReturnedFunds
}

/** True for a transfer from a service wallet in the same asset: no conversion, and it bypasses our treasury. */
export function isDirect({ isFromWallet, sourceAsset, destinationAsset }: Transaction): boolean {
  return isFromWallet && sourceAsset === destinationAsset
}

/**
 * Books the capture and conversion of the source. A direct transfer books nothing before it is confirmed. Tokens stay
 * at the address where they lie until the payout is confirmed: only then are they ours to collect.
 */
export function executionBookings(transaction: Transaction): NewPosting[] {
  if (isDirect(transaction)) return []
  const { organizationId } = transaction
  const source = { asset: transaction.sourceAsset, amount: BigInt(transaction.sourceAmount) }
  const conversion = {
    organizationId,
    reference: referenceFor(transaction, 'conversion'),
    ...conversionOf(transaction),
  }
  if (!isReserved(transaction)) return [conversion]
  const reference = referenceFor(transaction, 'capture')
  const captured = transaction.isFromReturnedFunds
    ? postings.captureReturnedFunds({ ...source, customerId: transaction.customerId })
    : postings.captureFromWallet({ ...source, paymentAccountId: transaction.sourcePaymentAccountId })
  return [{ organizationId, reference, captures: referenceFor(transaction, 'source'), ...captured }, conversion]
}

/** True when the source of a paid transaction is tokens that are ours, and that lie at an address of the customer. */
export function isCollected(transaction: Transaction): boolean {
  return !isFiat(transaction.sourceAsset) && !isDirect(transaction)
}

/** Books a confirmed payout. `paysFrom` is the holding that paid; null when a wallet's address paid. */
export function payoutBooking(transaction: Transaction, paysFrom: string | null): NewPosting {
  const key = { organizationId: transaction.organizationId, reference: referenceFor(transaction, 'payout') }
  const to = transaction.destinationPaymentAccountId
  if (isDirect(transaction)) {
    const sent = postings.sendFromWallet({
      asset: transaction.sourceAsset,
      amount: BigInt(transaction.sourceAmount),
      svcFee: BigInt(transaction.svcFee),
      developerFee: BigInt(transaction.developerFee),
      paymentAccountId: transaction.sourcePaymentAccountId,
      toPaymentAccountId: transaction.isToWallet ? to : undefined,
    })
    return { ...key, captures: referenceFor(transaction, 'source'), ...sent }
  }
  const sum = { asset: transaction.destinationAsset, amount: BigInt(transaction.destinationAmount) }
  if (transaction.isToWallet) return { ...key, ...postings.payoutToWallet({ ...sum, paymentAccountId: to }) }
  if (paysFrom === null) throw new Error(`the payout of transaction ${transaction.transactionId} names no holding`)
  return { ...key, ...postings.payout({ ...sum, at: paysFrom }) }
}

/** Reverses the conversion of a refused payout, fees included, so that the whole source can be refunded. */
export function reversalBooking(transaction: Transaction): NewPosting {
  const { organizationId } = transaction
  return {
    organizationId,
    reference: referenceFor(transaction, 'reversal'),
    ...postings.reverse(conversionOf(transaction)),
  }
}

/** Books a refund to the service wallet that paid, or to the returned funds, of which this transaction is then a cause. */
export function heldRefundBooking(transaction: Transaction): NewPosting {
  const sum = { asset: transaction.sourceAsset, amount: BigInt(transaction.sourceAmount) }
  const refunded = transaction.isFromReturnedFunds
    ? postings.refundToCustomer({ ...sum, customerId: transaction.customerId })
    : postings.refundToWallet({ ...sum, paymentAccountId: transaction.sourcePaymentAccountId })
  return { organizationId: transaction.organizationId, reference: referenceFor(transaction, 'refund'), ...refunded }
}

function conversionOf(transaction: Transaction) {
  const rate = parseRate(transaction.exchangeRate)
  if (!rate.ok)
    throw new Error(`transaction ${transaction.transactionId} has an unreadable rate: ${transaction.exchangeRate}`)
  return postings.convert({
    source: {
      asset: transaction.sourceAsset,
      amount: BigInt(transaction.sourceAmount),
      scale: scaleOf(transaction.sourceAsset),
    },
    svcFee: BigInt(transaction.svcFee),
    developerFee: BigInt(transaction.developerFee),
    rate: rate.rate,
    destination: {
      asset: transaction.destinationAsset,
      amount: BigInt(transaction.destinationAmount),
      scale: scaleOf(transaction.destinationAsset),
    },
  })
}
