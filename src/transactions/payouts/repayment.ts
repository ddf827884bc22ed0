import type { Database, Queryable } from '../../db/database.ts'
import { returnedFundsOf } from '../../ledger/postings.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { newId } from '../../lib/ids.ts'
import { referenceFor } from '../bookings.ts'
import { changeDetails } from '../change.ts'
import { lockTransaction, recordStep } from '../change-store.ts'
import type { AccountScreening } from '../screening/account.ts'
import type { TransactionRow } from '../transaction.ts'
import { type PayoutRow, payoutMoves } from './payout.ts'
import { cannotTake, chooseRefundAccount, type RefundTo, requireRefundAccount } from './refund-account.ts'
import { findCameBack } from './repayment-store.ts'
import { insertPayout, withdrawPayouts } from './store.ts'

/**
 * Where what came back is to go: to where it was to go before, or to an account that a person names, by the rail that
 * gave it back. Undefined when nothing waits. Not in a transaction.
 */
export async function chooseRepaymentAccount(
  options: AccountScreening & { database: Database },
  row: TransactionRow,
  named: string | undefined,
): Promise<RefundTo | undefined> {
  const cameBack = await findCameBack(options.database, row)
  if (cameBack?.status !== 'RETURNED' && cameBack?.status !== 'WAITING') return undefined
  const { asset, method, paymentAccountId } = cameBack
  const to = await chooseRefundAccount(options, row, asset, named ?? paymentAccountId)
  if (to?.method !== method) throw cannotTake()
  return to
}

/**
 * What came back is set aside among the customer's returned funds, and owed anew. False when nothing waits: somebody was
 * first, or the money is on its way. Whoever releases it decides anew about one that a confirmed hit keeps back.
 */
export async function payAgain(
  { ledger }: { ledger: LedgerService },
  transaction: Queryable,
  row: TransactionRow,
  { to, isReleased }: { to: RefundTo; isReleased: boolean },
): Promise<boolean> {
  const { organizationId, transactionId, customerId } = row
  // The payout is changed first and the transaction second, by everybody.
  const withdrawn = isReleased
    ? await withdrawPayouts(transaction, row, payoutMoves.withdraw, ['REPAYMENT'], 'decided_anew')
    : []
  await lockTransaction(transaction, row)
  await releaseRepayments({ ledger }, transaction, withdrawn)
  const cameBack = await findCameBack(transaction, row)
  if (cameBack?.status !== 'RETURNED' || cameBack.returnedAmount === null) return false
  const { asset, method, returnedAmount } = cameBack
  // Held, so that nobody deletes the account before it is needed.
  await requireRefundAccount(transaction, row, asset, to.paymentAccountId)
  const payoutId = newId()
  const amount = BigInt(returnedAmount)
  const reserve = { organizationId, reference: referenceFor(row, `owed-again:${payoutId}`) }
  const account = returnedFundsOf(customerId, asset)
  const [reserved] = await ledger.reserve(transaction, [{ ...reserve, account, amount }])
  if (reserved?.outcome !== 'RESERVED') throw new Error(`what came back of ${transactionId} is not there any more`)
  const { paymentAccountId } = to
  await insertPayout(transaction, {
    ...{ organizationId, payoutId, transactionId, depositId: null, customerId, purpose: 'REPAYMENT' },
    ...{ method, asset, amount, paymentAccountId, fromWalletId: null, isReleased },
  })
  await recordStep(transaction, row, 'REPAYMENT_OWED', { amount: returnedAmount, paymentAccountId })
  await changeDetails(transaction, row)
  return true
}

/** They pay nothing: what was set aside for them is the customer's again. */
export async function releaseRepayments(
  { ledger }: { ledger: LedgerService },
  transaction: Queryable,
  payouts: readonly PayoutRow[],
): Promise<void> {
  const reserves = payouts.map(({ organizationId, payoutId, transactionId }) => ({
    organizationId,
    reference: referenceFor({ transactionId: transactionId ?? '' }, `owed-again:${payoutId}`),
  }))
  await ledger.release(transaction, reserves)
}
