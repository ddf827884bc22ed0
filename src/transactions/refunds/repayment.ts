import type { Database, Tx } from '../../db/database.ts'
import { returnedFundsOf } from '../../ledger/postings.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { newId } from '../../lib/ids.ts'
import { referenceFor } from '../bookings.ts'
import { changeDetails } from '../change.ts'
import { lockTransaction, recordStep } from '../change-store.ts'
import { type Payout, payoutMoves } from '../payouts/payout.ts'
import { insertPayout, withdrawPayouts } from '../payouts/store.ts'
import type { AccountScreeningDeps } from '../screening/account.ts'
import { stepMoney } from '../timeline/timeline.ts'
import type { Transaction } from '../transaction.ts'
import { orderElsewhere, type Valuing } from './policy.ts'
import { uncountPayouts } from './policy-store.ts'
import { chooseRefundAccount, type RefundDestination, requireRefundAccount, unusableAccount } from './refund-account.ts'
import { findReturnedPayout } from './repayment-store.ts'

/**
 * Chooses the account of a repayment: the original one or the one that an operator names, on the rail that returned the
 * funds. Undefined when no returned funds wait. Must run outside a database transaction.
 */
export async function chooseRepaymentAccount(
  deps: AccountScreeningDeps & { database: Database },
  transaction: Transaction,
  named: string | undefined,
): Promise<RefundDestination | undefined> {
  const returned = await findReturnedPayout(deps.database, transaction)
  const isLeft = returned?.status === 'RETURNED' && BigInt(returned.leftAmount) > 0n
  if (!isLeft && returned?.status !== 'WAITING') return undefined
  const { asset, method, paymentAccountId } = returned
  const to = await chooseRefundAccount(deps, transaction, asset, named ?? paymentAccountId ?? undefined)
  if (to?.method !== method) throw unusableAccount()
  return to
}

/**
 * Reserves the customer's returned funds and owes a repayment. False when none wait: a concurrent decision came first,
 * or the repayment is in flight. A reviewer's release replaces a repayment that a confirmed match blocks.
 */
export async function repay(
  { ledger, valueNow }: Valuing & { ledger: LedgerService },
  tx: Tx,
  transaction: Transaction,
  { to, isReleased, apiKeyId }: { to: RefundDestination; isReleased: boolean; apiKeyId: string },
): Promise<boolean> {
  const { organizationId, transactionId, customerId } = transaction
  // Lock order everywhere: payout first, transaction second.
  const withdrawn = isReleased
    ? await withdrawPayouts(tx, transaction, payoutMoves.withdraw, ['REPAYMENT'], 'decided_anew')
    : []
  await lockTransaction(tx, transaction)
  await uncountPayouts(tx, withdrawn)
  const returned = await findReturnedPayout(tx, transaction)
  // A disbursement may have taken the returned funds, or a part of them.
  if (returned?.status !== 'RETURNED' || BigInt(returned.leftAmount) <= 0n) {
    await releaseRepayments({ ledger }, tx, withdrawn)
    return false
  }
  const { asset, method, leftAmount } = returned
  // Locks the account row, so that it cannot be deleted before this commits.
  await requireRefundAccount(tx, transaction, asset, to.paymentAccountId)
  const payoutId = newId()
  const amount = BigInt(leftAmount)
  const order = { organizationId, customerId, apiKeyId, payoutId, asset, amount }
  const isElsewhere = to.paymentAccountId !== transaction.destinationPaymentAccountId
  if (isElsewhere) await orderElsewhere({ valueNow }, tx, order, to)
  await releaseRepayments({ ledger }, tx, withdrawn)
  const reserve = { organizationId, reference: referenceFor(transaction, `owed-again:${payoutId}`) }
  const account = returnedFundsOf(customerId, asset)
  const [reserved] = await ledger.reserve(tx, [{ ...reserve, account, amount }])
  if (reserved?.outcome !== 'RESERVED')
    throw new Error(`the returned funds of transaction ${transactionId} are no longer available`)
  const { paymentAccountId } = to
  await insertPayout(tx, {
    organizationId,
    payoutId,
    transactionId,
    depositId: null,
    customerId,
    purpose: 'REPAYMENT',
    method,
    asset,
    amount,
    paymentAccountId,
    fromWalletId: null,
    heldAt: returned.paysFrom ?? 'CUSTODY',
    isReleased,
  })
  await recordStep(tx, transaction, 'REPAYMENT_OWED', { ...stepMoney(leftAmount, asset), paymentAccountId })
  await changeDetails(tx, transaction)
  return true
}

/** Releases the reserves of repayments that were refused or withdrawn. */
export async function releaseRepayments(
  { ledger }: { ledger: LedgerService },
  tx: Tx,
  payouts: readonly Payout[],
): Promise<void> {
  const reserves = payouts.map(({ organizationId, payoutId, transactionId }) => ({
    organizationId,
    reference: referenceFor({ transactionId: transactionId ?? '' }, `owed-again:${payoutId}`),
  }))
  await ledger.release(tx, reserves)
}
