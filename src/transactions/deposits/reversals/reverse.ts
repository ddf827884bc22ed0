import type { Tx } from '../../../db/database.ts'
import { reverseDeposit as reversalContent } from '../../../ledger/receivable-postings.ts'
import type { LedgerService } from '../../../ledger/service.ts'
import { newId } from '../../../lib/ids.ts'
import { badField, notFound, Refusal } from '../../../lib/refusal.ts'
import { changeDetails, requirePosted } from '../../change.ts'
import { lockTransaction, recordStep } from '../../change-store.ts'
import { payoutMoves } from '../../payouts/payout.ts'
import { withdrawPayouts } from '../../payouts/store.ts'
import { uncountPayouts } from '../../refunds/policy-store.ts'
import { stepMoney } from '../../timeline/timeline.ts'
import { addLiquidity } from '../../treasury/liquidity-store.ts'
import { referenceFor } from '../bookings.ts'
import { type DepositPresentation, emitDeposit, uncountReturns } from '../change.ts'
import { type Deposit, depositMoves } from '../deposit.ts'
import { wakeExpired } from '../held-store.ts'
import { recallMoves } from '../recalls/recall.ts'
import { settleRecalls } from '../recalls/store.ts'
import { reversedAt } from './cover.ts'
import { type Reversal, type ReversalReport, type ReversibleDeposit, splitReversal } from './reversal.ts'
import * as store from './store.ts'

export type ReverseDeps = DepositPresentation & { ledger: Pick<LedgerService, 'post'> }

/**
 * Records that a bank or chain took a deposit back, all of it or a part, once per id of the reversal. What is still in
 * suspense covers it, and so does a return that has not left. The customer owes the rest, and gets no payout until an operator has recovered it or written it
 * off.
 */
export async function reverseDeposit(deps: ReverseDeps, tx: Tx, report: ReversalReport): Promise<Reversal> {
  const seen = await store.findReported(tx, report)
  if (!seen) throw notFound()
  const { organizationId, depositId, transactionId } = seen
  const repeated = await store.findKnown(tx, report)
  if (repeated) return requireSame(repeated, report)
  // Lock order everywhere: payout first, transaction second, deposit third.
  const key = { organizationId, depositId }
  const withdrawn = await withdrawPayouts(tx, key, payoutMoves.withdraw, ['RETURN'], 'deposit_reversed', true)
  const transaction = transactionId ? await lockTransaction(tx, { organizationId, transactionId }) : undefined
  await uncountPayouts(tx, withdrawn)
  const freed = await uncountReturns(deps, tx, withdrawn)
  const deposit = await store.lockReversible(tx, seen)
  const known = await store.findKnown(tx, report)
  if (deposit.status === 'ASSIGNED' || (known && withdrawn.length > 0)) throw new ChangedMeanwhile()
  if (known) return requireSame(known, report)
  const amount = requireAmount(deposit, report)
  await settleRecalls(tx, deposit, amount, recallMoves.settle)
  const { reversal, reversed } = await book(deps, tx, deposit, { ...report, amount })
  if (transaction) {
    const details = { depositId, ...stepMoney(amount, deposit.asset), reason: report.reason }
    await recordStep(tx, transaction, 'DEPOSIT_REVERSED', details)
    if (transaction.refund) await changeDetails(tx, transaction)
    const isReleased = deposit.status === 'HELD' && reversed.status === 'REVERSED'
    if (isReleased) await wakeExpired(tx, transaction)
  }
  await emitDeposit(deps, tx, reversed)
  const owed = BigInt(reversal.owedAmount)
  await addLiquidity(tx, owed > 0n ? [...freed, { ...reversedAt(deposit), reversed: owed }] : freed)
  return reversal
}

async function book(
  { ledger }: ReverseDeps,
  tx: Tx,
  deposit: ReversibleDeposit,
  { amount, reversalId: externalId, reason }: ReversalReport & { amount: bigint },
): Promise<{ reversal: Reversal; reversed: Deposit }> {
  const { organizationId, depositId, customerId, asset, heldAt: at } = deposit
  if (deposit.hasWaitingReturn) throw new ChangedMeanwhile()
  const { covered, owed } = splitReversal(deposit, amount)
  const move = deposit.isBeingReturned ? undefined : moveOf(deposit, amount === remainingOf(deposit))
  const reversed = await store.countReversal(tx, deposit, { amount, covered }, move)
  const reversalId = newId()
  const reference = referenceFor(deposit, `reversal:${reversalId}`)
  const content = reversalContent({ asset, covered, owed, customerId, at })
  requirePosted(await ledger.post(tx, [{ organizationId, reference, ...content }]))
  const status = owed > 0n ? 'OPEN' : 'COVERED'
  const reversal = await store.insertReversal(tx, {
    organizationId,
    reversalId,
    depositId,
    externalId,
    customerId,
    asset,
    amount,
    owedAmount: owed,
    reason,
    status,
  })
  return { reversal, reversed }
}

/**
 * The move of a deposit by a reversal. An operator decides about the rest of one whose return was withdrawn. A return on
 * its way keeps the status: only its end tells where that part of the deposit is.
 */
function moveOf({ status }: Deposit, isFull: boolean) {
  if (isFull) return depositMoves.reverse
  return status === 'RETURNING' ? depositMoves.leaveToOperator : undefined
}

function remainingOf({ amount, reversedAmount }: Pick<Deposit, 'amount' | 'reversedAmount'>): bigint {
  return BigInt(amount) - BigInt(reversedAmount)
}

function requireAmount(deposit: Deposit, report: ReversalReport): bigint {
  const remaining = remainingOf(deposit)
  const amount = report.amount ?? remaining
  if (amount < 0n || report.amount === 0n) throw badField('amount', 'must be greater than zero')
  if (remaining === 0n) throw new Refusal('CONFLICT', 'All of this deposit was reversed already')
  if (amount > remaining) throw new Refusal('CONFLICT', 'A reversal cannot take more than is left of the deposit')
  return amount
}

/** A decision about the deposit came first: the same report succeeds as soon as it is made again. */
export class ChangedMeanwhile extends Refusal {
  constructor() {
    super('CONFLICT', 'An operator has just decided about this deposit: report the reversal again')
  }
}

/** The id was used before: the report must tell the same. */
function requireSame(known: Reversal, { amount }: ReversalReport): Reversal {
  if (amount === undefined || amount === BigInt(known.amount)) return known
  throw new Refusal('CONFLICT', 'Another reversal of this deposit has this id and another amount')
}
