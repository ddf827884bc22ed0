import type { Tx } from '../../db/database.ts'
import { type NewPosting, referenceOf } from '../../ledger/posting.ts'
import * as postings from '../../ledger/postings.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { changeDetails, requirePosted } from '../change.ts'
import { lockTransaction, recordStep } from '../change-store.ts'
import { customerOf, type Payout } from '../payouts/payout.ts'
import { uncountPayouts } from '../refunds/policy-store.ts'
import type { Transaction } from '../transaction.ts'
import type { LiquidityChange } from '../treasury/liquidity-store.ts'
import { readSource } from './store.ts'

/** Builds the reference of a disbursement's reserve and postings: each has one, so the ledger posts it once. */
export function referenceFor(
  { payoutId }: Pick<Payout, 'payoutId'>,
  step: 'reserve' | 'payout' | 'payout-back' | 'fees' | 'fees-back',
): string {
  return referenceOf({ type: 'disbursement', id: payoutId }, step)
}

/** Locks the transactions whose returned funds a disbursement takes, sorted, so that two of them cannot deadlock. */
export async function lockCauses(
  tx: Tx,
  organizationId: string,
  transactionIds: readonly string[],
): Promise<Transaction[]> {
  const locked: Transaction[] = []
  for (const transactionId of [...new Set(transactionIds)].sort()) {
    const transaction = await lockTransaction(tx, { organizationId, transactionId })
    if (!transaction) throw new Error(`transaction ${transactionId} does not exist`)
    locked.push(transaction)
  }
  return locked
}

/** Locks the transactions of a disbursement; none for other purposes. Lock order: payout first, transactions second. */
export async function lockCausesOf(tx: Tx, payout: Payout): Promise<Transaction[]> {
  if (payout.purpose !== 'DISBURSEMENT') return []
  return lockCauses(tx, payout.organizationId, (await readSource(tx, payout)).transactionIds)
}

/** Shows a step of a disbursement in the timeline and in the `repayment` of the transactions whose funds it takes. */
export async function showOnCauses(
  tx: Tx,
  causes: readonly Transaction[],
  step: 'OWED' | 'CONFIRMED' | 'REFUSED' | 'RETURNED' | 'WITHDRAWN',
  details: object,
): Promise<void> {
  for (const transaction of causes) {
    await recordStep(tx, transaction, `DISBURSEMENT_${step}`, details)
    await changeDetails(tx, transaction)
  }
}

/** Books a confirmed disbursement: it captures the reserve. `at` is the holding that paid. */
export async function disbursementBooking(tx: Tx, payout: Payout, at: postings.Holding): Promise<NewPosting> {
  const { organizationId, asset } = payout
  const sum = { asset, amount: BigInt(payout.amount) }
  const { source, sourceAccountId } = await readSource(tx, payout)
  const paid =
    source === 'WALLET'
      ? postings.disburseWallet({ ...sum, paymentAccountId: sourceAccountId })
      : postings.payReturnedFunds({ ...sum, at, customerId: customerOf(payout) })
  return {
    organizationId,
    reference: referenceFor(payout, 'payout'),
    captures: referenceFor(payout, 'reserve'),
    ...paid,
  }
}

/**
 * Releases the reserve of a disbursement that was refused or withdrawn, and what it took from the limits of a policy. Developer fees are the organization's again:
 * returns the liquidity that the caller adds last.
 */
export async function releaseDisbursement(
  { ledger }: { ledger: LedgerService },
  tx: Tx,
  payout: Payout,
): Promise<LiquidityChange[]> {
  const { organizationId, asset, heldAt } = payout
  await uncountPayouts(tx, [payout])
  await ledger.release(tx, [{ organizationId, reference: referenceFor(payout, 'reserve') }])
  const { source } = await readSource(tx, payout)
  if (source !== 'DEVELOPER_FEES' || heldAt === null) return []
  const amount = BigInt(payout.amount)
  const content = postings.reverse(postings.payDeveloperFees({ asset, amount, customerId: customerOf(payout) }))
  requirePosted(await ledger.post(tx, [{ organizationId, reference: referenceFor(payout, 'fees-back'), ...content }]))
  return [{ organizationId, at: { holding: heldAt }, asset, available: 0n, developerFees: amount }]
}

/** Books a return of a payout: to the customer's returned funds, or to the fees that it paid out. */
export async function bookReturn(
  tx: Tx,
  payout: Payout,
  { amount, at }: { amount: bigint; at: postings.Holding },
): Promise<{ content: postings.PostingContent; liquidity: LiquidityChange[] }> {
  const { organizationId, asset, purpose } = payout
  const isFees = purpose === 'DISBURSEMENT' && (await readSource(tx, payout)).source === 'DEVELOPER_FEES'
  const to = isFees ? 'DEVELOPER_FEES' : { customerId: customerOf(payout) }
  const fees = { organizationId, at: { holding: at }, asset, available: 0n, developerFees: amount }
  return { content: postings.returnPayout({ asset, amount, at, to }), liquidity: isFees ? [fees] : [] }
}
