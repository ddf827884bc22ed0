import type { Asset } from '../catalog/currencies.ts'
import type { Database, Tx } from '../db/database.ts'
import { requireFence } from '../db/work.ts'
import type { NewPosting } from '../ledger/posting.ts'
import * as postings from '../ledger/postings.ts'
import type { LedgerService } from '../ledger/service.ts'
import { referenceFor } from './bookings.ts'
import { changeDetails, moveTransaction, requirePosted } from './change.ts'
import { lockTransaction, recordStep } from './change-store.ts'
import { lockConverted, showConverted } from './conversions/release.ts'
import { referenceFor as depositReferenceFor } from './deposits/bookings.ts'
import { type DepositPresentation, finishReturn, refuseReturn } from './deposits/change.ts'
import {
  bookReturn,
  disbursementBooking,
  referenceFor as disbursementReferenceFor,
  lockCausesOf,
  releaseDisbursement,
  showOnCauses,
} from './disbursements/settlement.ts'
import { freedByConfirmation, freedByRefusal } from './liquidity.ts'
import { confirmOwnMovements, refuseOwnMovement } from './payouts/collections/collection.ts'
import { costBookings, takenByCosts } from './payouts/collections/costs.ts'
import { customerOf, isOwnMovement, type Payout, payoutMoves } from './payouts/payout.ts'
import type { PayoutReturn } from './payouts/rail.ts'
import { insertReturn, type ReturnOutcome } from './payouts/return-store.ts'
import { askInDays, type Confirmation, paymentDetails } from './payouts/settlement-store.ts'
import * as store from './payouts/store.ts'
import { failAfterRefusal } from './refund.ts'
import { uncountPayouts } from './refunds/policy-store.ts'
import { releaseRepayments } from './refunds/repayment.ts'
import { stepMoney } from './timeline/timeline.ts'
import type { Transaction } from './transaction.ts'
import { addLiquidity } from './treasury/liquidity-store.ts'

export type SettlementDeps = DepositPresentation & {
  database: Database
  ledger: LedgerService
  onPoint(point: string): void
}

/** Locks the causes of conversions whose payouts are confirmed. The answer shows on them that the conversions have ended. */
export async function lockCausesOfAll(tx: Tx, transactions: readonly Transaction[]): Promise<() => Promise<void>> {
  const causes = await lockConverted(tx, transactions)
  return () => showConverted(tx, causes)
}

/** Records the confirmation of money that goes back to its customer: posting and event commit together. */
export function confirmPayout(deps: SettlementDeps, confirmation: Confirmation): Promise<void> {
  return deps.database.inTx((tx) => confirmInTx(deps, tx, confirmation))
}

export async function confirmInTx(deps: SettlementDeps, tx: Tx, confirmation: Confirmation): Promise<void> {
  const { payout, payment } = confirmation
  if (isOwnMovement(payout)) return requireFence((await confirmOwnMovements(deps, tx, [confirmation])).filter(Boolean))
  const { ledger } = deps
  const { externalReference } = payment
  const resolution = { externalReference, askInDays: askInDays(confirmation) }
  await store.resolvePayout(tx, payout, payoutMoves.confirm, resolution)
  await store.recordAttempt(tx, payout, 'CONFIRMED', paymentDetails(payment))
  const transaction = await lockTransactionOf(tx, payout)
  const causes = await lockCausesOf(tx, payout)
  requirePosted(await ledger.post(tx, [await bookingOf(tx, payout, transaction), ...costBookings(payout, payment)]))
  await showOnCauses(tx, causes, 'CONFIRMED', { disbursementId: payout.payoutId, externalReference })
  if (transaction) await recordStep(tx, transaction, `${payout.purpose}_CONFIRMED`, { externalReference })
  if (payout.purpose === 'RETURN') await finishReturn(deps, tx, payout)
  if (transaction) await changeDetails(tx, transaction)
  await addLiquidity(tx, [...freedByConfirmation(payout, transaction), ...takenByCosts(payout, payment)])
  deps.onPoint('confirmed payout about to be committed')
}

/** Records a refusal by the rail. A refused payout fails its transaction; a refused refund waits for an operator. */
export function refusePayout(deps: SettlementDeps, payout: store.ClaimedPayout, reason: string): Promise<void> {
  return deps.database.inTx((tx) => refuseInTx(deps, tx, payout, reason))
}

export async function refuseInTx(
  deps: SettlementDeps,
  tx: Tx,
  payout: store.ClaimedPayout,
  reason: string,
  /** An operator withdraws a payout that never started: it holds no liquidity. */
  { isWithdrawn = false }: { isWithdrawn?: boolean } = {},
): Promise<void> {
  if (isOwnMovement(payout)) return refuseOwnMovement(deps, tx, payout, reason, isWithdrawn)
  const { ledger } = deps
  await store.resolvePayout(tx, payout, isWithdrawn ? payoutMoves.withdraw : payoutMoves.refuse, { reason })
  await store.recordAttempt(tx, payout, 'REFUSED', { reason })
  const transaction = await lockTransactionOf(tx, payout)
  const causes = await lockCausesOf(tx, payout)
  if (payout.purpose !== 'DISBURSEMENT') await uncountPayouts(tx, [payout])
  const covered = payout.purpose === 'RETURN' ? await refuseReturn(deps, tx, payout) : []
  const fees = payout.purpose === 'DISBURSEMENT' ? await releaseDisbursement({ ledger }, tx, payout) : []
  await showOnCauses(tx, causes, 'REFUSED', { disbursementId: payout.payoutId, reason })
  if (payout.purpose === 'REPAYMENT') await releaseRepayments({ ledger }, tx, [payout])
  if (transaction) await recordStep(tx, transaction, `${payout.purpose}_REFUSED`, { reason })
  if (transaction && payout.purpose === 'PAYOUT') await failAfterRefusal({ ledger }, tx, transaction)
  else if (transaction) await changeDetails(tx, transaction)
  await addLiquidity(tx, [...covered, ...fees, ...(isWithdrawn ? [] : freedByRefusal(payout))])
  deps.onPoint('refused payout about to be committed')
}

/**
 * Records a return of a confirmed payout or refund, which may be one of several. The returned funds keep their currency:
 * only a new quote converts them. An operator decides about a repayment.
 */
export async function recordReturn(
  { database, ledger, onPoint }: SettlementDeps,
  payout: store.ClaimedPayout,
  told: PayoutReturn,
): Promise<ReturnOutcome> {
  const { returnId, reason, amount } = told
  if (amount <= 0n) throw new Error(`payout ${payout.payoutId} was returned with ${amount}`)
  return database.inTx(async (tx) => {
    const outcome = await insertReturn(tx, payoutMoves.return, payout, told)
    if (outcome !== 'RECORDED') return outcome
    await store.recordAttempt(tx, payout, `RETURNED ${returnId}`, {
      returnId,
      reason,
      ...stepMoney(amount, payout.asset),
    })
    const transaction = await lockTransactionOf(tx, payout)
    const causes = await lockCausesOf(tx, payout)
    const { organizationId, asset } = payout
    const returned = await bookReturn(tx, payout, { amount, at: holdingOf(payout) })
    const reference = `${returnReferenceOf(payout)}:${returnId}`
    requirePosted(await ledger.post(tx, [{ organizationId, reference, ...returned.content }]))
    const details = { reason, ...stepMoney(amount, asset) }
    await showOnCauses(tx, causes, 'RETURNED', { disbursementId: payout.payoutId, ...details })
    if (transaction) await recordStep(tx, transaction, `${payout.purpose}_RETURNED`, details)
    const isFirst = payout.status === 'CONFIRMED'
    if (transaction && payout.purpose === 'PAYOUT' && isFirst) await failAfterReturn(tx, transaction, { asset, amount })
    else if (transaction) await changeDetails(tx, transaction)
    await addLiquidity(tx, returned.liquidity)
    onPoint('returned payout about to be committed')
    return outcome
  })
}

async function failAfterReturn(
  tx: Tx,
  transaction: Transaction,
  { asset, amount }: { asset: Asset; amount: bigint },
): Promise<void> {
  const failed = await moveTransaction(tx, transaction, 'return', {
    step: 'DONE',
    failureReason: 'destination_returned_funds',
    repayment: { status: 'WAITING_FOR_OPERATOR', amount: String(amount), asset, referenceId: '' },
  })
  if (!failed)
    throw new Error(`transaction ${transaction.transactionId} is ${transaction.status}, but its payout was returned`)
}

/** Locks the transaction of a payout. Lock order everywhere: payout first, transaction second. */
async function lockTransactionOf(tx: Tx, { organizationId, transactionId }: Payout): Promise<Transaction | undefined> {
  if (transactionId === null) return undefined
  const transaction = await lockTransaction(tx, { organizationId, transactionId })
  if (!transaction) throw new Error(`transaction ${transactionId} does not exist`)
  return transaction
}

function returnReferenceOf({ payoutId, purpose, transactionId, depositId }: Payout): string {
  if (purpose === 'DISBURSEMENT') return disbursementReferenceFor({ payoutId }, 'payout-back')
  if (purpose === 'RETURN') return depositReferenceFor({ depositId: depositId ?? '' }, 'return-back')
  if (transactionId === null) throw new Error(`payout ${payoutId} has no transaction`)
  if (purpose === 'REPAYMENT') return referenceFor({ transactionId }, `repayment-back:${payoutId}`)
  return referenceFor({ transactionId }, purpose === 'PAYOUT' ? 'return' : 'refund-back')
}

/** Names the holding that a payout leaves: one of ours, or the address of a customer's wallet. */
function holdingOf({ paysFrom }: Payout): postings.Holding {
  return paysFrom ?? 'CUSTODY'
}

async function bookingOf(tx: Tx, payout: Payout, transaction: Transaction | undefined): Promise<NewPosting> {
  const { organizationId, asset } = payout
  const amount = BigInt(payout.amount)
  const at = holdingOf(payout)
  if (payout.purpose === 'DISBURSEMENT') return disbursementBooking(tx, payout, at)
  if (payout.purpose === 'RETURN') {
    const reference = depositReferenceFor({ depositId: payout.depositId ?? '' }, 'return')
    return { organizationId, reference, ...postings.resolveSuspense({ asset, amount, to: { holding: at } }) }
  }
  if (!transaction) throw new Error(`payout ${payout.payoutId} has no transaction`)
  if (payout.purpose === 'REPAYMENT') {
    const { payoutId } = payout
    const captures = referenceFor(transaction, `owed-again:${payoutId}`)
    const repaid = postings.payReturnedFunds({ asset, amount, at, customerId: customerOf(payout) })
    return { organizationId, reference: referenceFor(transaction, `repayment:${payoutId}`), captures, ...repaid }
  }
  return {
    organizationId,
    reference: referenceFor(transaction, 'refund'),
    ...postings.refund({ asset, amount, at }),
  }
}
