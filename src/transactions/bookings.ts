import { isFiat, scaleOf } from '../catalog/currencies.ts'
import { type NewPosting, referenceOf } from '../ledger/posting.ts'
import * as postings from '../ledger/postings.ts'
import { parseRate } from '../lib/money.ts'
import type { Transaction } from './transaction.ts'

/** What each step of a transaction posts. Values in, postings out; each has one reference, so each is posted once. */

type Step =
  | ('source' | 'capture' | 'conversion' | 'payout' | 'reversal' | 'refund' | 'return' | 'refund-back')
  // Each time that something is paid again it has a name of its own.
  | `${'owed-again' | 'repayment' | 'repayment-back'}:${string}`

export function referenceFor({ transactionId }: Pick<Transaction, 'transactionId'>, step: Step): string {
  return referenceOf({ type: 'transaction', id: transactionId }, step)
}

/** From a service wallet, and it arrives as what it left as: nothing is converted, and our treasury never has it. */
export function isDirect({ isFromWallet, sourceAsset, destinationAsset }: Transaction): boolean {
  return isFromWallet && sourceAsset === destinationAsset
}

/** The money that is here becomes the money that leaves. Of a direct transfer nothing happens until it has arrived. */
export function executionBookings(transaction: Transaction): NewPosting[] {
  if (isDirect(transaction)) return []
  const { organizationId } = transaction
  const source = { asset: transaction.sourceAsset, amount: BigInt(transaction.sourceAmount) }
  const conversion = {
    organizationId,
    reference: referenceFor(transaction, 'conversion'),
    ...conversionOf(transaction),
  }
  const reference = referenceFor(transaction, 'capture')
  if (transaction.isFromWallet) {
    const captured = postings.captureFromWallet({ ...source, paymentAccountId: transaction.sourcePaymentAccountId })
    return [{ organizationId, reference, captures: referenceFor(transaction, 'source'), ...captured }, conversion]
  }
  if (isFiat(transaction.sourceAsset)) return [conversion]
  return [{ organizationId, reference, ...postings.collectDeposit(source) }, conversion]
}

/** It has arrived outside, or at the address of a service wallet. */
export function payoutBooking(transaction: Transaction): NewPosting {
  const about = { organizationId: transaction.organizationId, reference: referenceFor(transaction, 'payout') }
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
    return { ...about, captures: referenceFor(transaction, 'source'), ...sent }
  }
  const sum = { asset: transaction.destinationAsset, amount: BigInt(transaction.destinationAmount) }
  if (transaction.isToWallet) return { ...about, ...postings.payoutToWallet({ ...sum, paymentAccountId: to }) }
  return {
    ...about,
    ...postings.payout({ ...sum, at: ownHolding(transaction.destinationAsset, transaction.destinationMethod) }),
  }
}

/** The payout was refused: the source is there again, whole, fees included. */
export function reversalBooking(transaction: Transaction): NewPosting {
  const { organizationId } = transaction
  return {
    organizationId,
    reference: referenceFor(transaction, 'reversal'),
    ...postings.reverse(conversionOf(transaction)),
  }
}

/** Back to the service wallet that paid. */
export function walletRefundBooking(transaction: Transaction): NewPosting {
  const sum = { asset: transaction.sourceAsset, amount: BigInt(transaction.sourceAmount) }
  const refunded = postings.refundToWallet({ ...sum, paymentAccountId: transaction.sourcePaymentAccountId })
  return { organizationId: transaction.organizationId, reference: referenceFor(transaction, 'refund'), ...refunded }
}

/** Where we ourselves hold an asset: at the bank of a rail, or at our own address. */
export function ownHolding(asset: string, method: string): postings.Holding {
  return isFiat(asset) ? { rail: method } : 'TREASURY'
}

function conversionOf(transaction: Transaction) {
  const rate = parseRate(transaction.exchangeRate)
  if (!rate.ok) throw new Error(`transaction ${transaction.transactionId} has no rate`)
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
