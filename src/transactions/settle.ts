import type { Asset } from '../catalog/currencies.ts'
import type { Database, Queryable } from '../db/database.ts'
import type { NewPosting } from '../ledger/posting.ts'
import * as postings from '../ledger/postings.ts'
import type { LedgerService } from '../ledger/service.ts'
import { ownHolding, payoutBooking, referenceFor } from './bookings.ts'
import { changeDetails, moveTransaction, requirePosted } from './change.ts'
import { lockTransaction, recordStep } from './change-store.ts'
import { referenceFor as depositReferenceFor } from './deposits/bookings.ts'
import { finishReturn, refuseReturn, type Showing } from './deposits/change.ts'
import { keepPromise } from './payouts/liquidity.ts'
import { canBeReturned, type PayoutRow, payoutMoves } from './payouts/payout.ts'
import { releaseRepayments } from './payouts/repayment.ts'
import * as store from './payouts/store.ts'
import { failAfterRefusal } from './refund.ts'
import type { TransactionRow } from './transaction.ts'

export type Settling = Showing & { database: Database; ledger: LedgerService; onPoint(point: string): void }

/** The rail or the network says that it arrived: posted, told and completed, together or not at all. */
export async function confirmPayout(
  settling: Settling,
  payout: store.ClaimedPayout,
  externalReference: string,
): Promise<void> {
  const { database, ledger } = settling
  await database.transaction(async (transaction) => {
    const mayReturn = canBeReturned(payout)
    await store.resolvePayout(transaction, payout, payoutMoves.confirm, { externalReference, mayReturn })
    await store.recordAttempt(transaction, payout, 'CONFIRMED', { externalReference })
    const row = await transactionOf(transaction, payout)
    await keepPromise(transaction, payout)
    requirePosted(await ledger.post(transaction, [bookingOf(payout, row)]))
    if (row) await recordStep(transaction, row, `${payout.purpose}_CONFIRMED`, { externalReference })
    if (payout.purpose === 'PAYOUT' && row) {
      const completed = await moveTransaction(transaction, row, 'complete', {
        ...{ step: 'DONE', destinationReferenceId: externalReference },
      })
      if (!completed) throw new Error(`the payout of transaction ${row.transactionId}, ${row.status}, was confirmed`)
    } else {
      if (payout.purpose === 'RETURN') await finishReturn(settling, transaction, payout)
      if (row) await changeDetails(transaction, row)
    }
    settling.onPoint('confirmed payout about to be committed')
  })
}

/** The rail will not pay. A payout is undone; what was to go back waits for a person, because it has nowhere else to go. */
export async function refusePayout(settling: Settling, payout: store.ClaimedPayout, reason: string): Promise<void> {
  const { database, ledger } = settling
  await database.transaction(async (transaction) => {
    await store.resolvePayout(transaction, payout, payoutMoves.refuse, { reason })
    await store.recordAttempt(transaction, payout, 'REFUSED', { reason })
    const row = await transactionOf(transaction, payout)
    await keepPromise(transaction, payout)
    if (payout.purpose === 'RETURN') await refuseReturn(settling, transaction, payout)
    if (payout.purpose === 'REPAYMENT') await releaseRepayments({ ledger }, transaction, [payout])
    if (row) await recordStep(transaction, row, `${payout.purpose}_REFUSED`, { reason })
    if (row && payout.purpose === 'PAYOUT') await failAfterRefusal({ ledger }, transaction, row)
    else if (row) await changeDetails(transaction, row)
    settling.onPoint('refused payout about to be committed')
  })
}

/**
 * It came back, days later. It stays in the currency in which it came back: nobody converts it without a new quote. Of a
 * refund that came back the same: the customer's account is closed, and a person decides. Either can be paid again.
 */
export async function returnPayout(
  { database, ledger, onPoint }: Settling,
  payout: store.ClaimedPayout,
  { reason, amount }: { reason: string; amount: bigint },
): Promise<void> {
  if (amount <= 0n || amount > BigInt(payout.amount)) {
    throw new Error(`payout ${payout.payoutId} came back as ${amount}, and left as ${payout.amount}`)
  }
  await database.transaction(async (transaction) => {
    await store.resolvePayout(transaction, payout, payoutMoves.return, { reason, returnedAmount: amount })
    await store.recordAttempt(transaction, payout, 'RETURNED', { reason, amount: String(amount) })
    const row = await transactionOf(transaction, payout)
    const { organizationId, customerId, asset, method: rail } = payout
    const returned = postings.returnPayout({ asset, amount, rail, customerId })
    const reference = returnReferenceOf(payout)
    requirePosted(await ledger.post(transaction, [{ organizationId, reference, ...returned }]))
    if (row) await recordStep(transaction, row, `${payout.purpose}_RETURNED`, { reason, amount: String(amount) })
    if (row && payout.purpose === 'PAYOUT') await failAfterReturn(transaction, row, { asset, amount })
    else if (row) await changeDetails(transaction, row)
    onPoint('returned payout about to be committed')
  })
}

async function failAfterReturn(
  transaction: Queryable,
  row: TransactionRow,
  { asset, amount }: { asset: Asset; amount: bigint },
): Promise<void> {
  const failed = await moveTransaction(transaction, row, 'returned', {
    ...{ step: 'DONE', failureReason: 'destination_returned_funds' },
    repayment: { status: 'WAITING_FOR_OPERATOR', amount: String(amount), asset, referenceId: '' },
  })
  if (!failed) throw new Error(`transaction ${row.transactionId}, ${row.status}, got its payout back`)
}

/** Locked: the payout is changed first and the transaction second, by everybody. */
async function transactionOf(
  transaction: Queryable,
  { organizationId, transactionId }: PayoutRow,
): Promise<TransactionRow | undefined> {
  if (transactionId === null) return undefined
  const row = await lockTransaction(transaction, { organizationId, transactionId })
  if (!row) throw new Error(`there is no transaction ${transactionId}`)
  return row
}

function returnReferenceOf({ payoutId, purpose, transactionId, depositId }: PayoutRow): string {
  if (purpose === 'RETURN') return depositReferenceFor({ depositId: depositId ?? '' }, 'return-back')
  if (transactionId === null) throw new Error(`payout ${payoutId} belongs to no transaction`)
  if (purpose === 'REPAYMENT') return referenceFor({ transactionId }, `repayment-back:${payoutId}`)
  return referenceFor({ transactionId }, purpose === 'PAYOUT' ? 'return' : 'refund-back')
}

function bookingOf(payout: PayoutRow, row: TransactionRow | undefined): NewPosting {
  const { organizationId, asset, method, fromWalletId } = payout
  const amount = BigInt(payout.amount)
  const from = fromWalletId === null ? ownHolding(asset, method) : 'CUSTODY'
  if (payout.purpose === 'RETURN') {
    const reference = depositReferenceFor({ depositId: payout.depositId ?? '' }, 'return')
    return { organizationId, reference, ...postings.resolveUnclaimed({ asset, amount, to: from }) }
  }
  if (!row) throw new Error(`payout ${payout.payoutId} belongs to no transaction`)
  if (payout.purpose === 'PAYOUT') return payoutBooking(row)
  if (payout.purpose === 'REPAYMENT') {
    const { payoutId, customerId } = payout
    const captures = referenceFor(row, `owed-again:${payoutId}`)
    const paid = postings.payReturnedFunds({ asset, amount, rail: method, customerId })
    return { organizationId, reference: referenceFor(row, `repayment:${payoutId}`), captures, ...paid }
  }
  return { organizationId, reference: referenceFor(row, 'refund'), ...postings.refund({ asset, amount, to: from }) }
}
