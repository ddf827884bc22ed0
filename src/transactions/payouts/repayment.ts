import type { Database, Tx } from '../../db/database.ts'
import { returnedFundsOf } from '../../ledger/postings.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { newId } from '../../lib/ids.ts'
import { referenceFor } from '../bookings.ts'
import { changeDetails } from '../change.ts'
import { lockTransaction, recordStep } from '../change-store.ts'
import type { AccountScreening } from '../screening/account.ts'
import type { Transaction } from '../transaction.ts'
import { type Payout, payoutMoves } from './payout.ts'
import { cannotTake, chooseRefundAccount, type RefundTo, requireRefundAccount } from './refund-account.ts'
import { findReturnedPayout } from './repayment-store.ts'
import { insertPayout, withdrawPayouts } from './store.ts'

/**
 * Where what came back is to go: to where it was to go before, or to an account that a person names, by the rail that
 * gave it back. Undefined when nothing waits. Not in a transaction.
 */
export async function chooseRepaymentAccount(
  options: AccountScreening & { database: Database },
  transaction: Transaction,
  named: string | undefined,
): Promise<RefundTo | undefined> {
  const returned = await findReturnedPayout(options.database, transaction)
  if (returned?.status !== 'RETURNED' && returned?.status !== 'WAITING') return undefined
  const { asset, method, paymentAccountId } = returned
  const to = await chooseRefundAccount(options, transaction, asset, named ?? paymentAccountId)
  if (to?.method !== method) throw cannotTake()
  return to
}

/**
 * What came back is set aside among the customer's returned funds, and owed anew. False when nothing waits: somebody was
 * first, or the money is on its way. Whoever releases it decides anew about one that a confirmed hit keeps back.
 */
export async function repay(
  { ledger }: { ledger: LedgerService },
  tx: Tx,
  transaction: Transaction,
  { to, isReleased }: { to: RefundTo; isReleased: boolean },
): Promise<boolean> {
  const { organizationId, transactionId, customerId } = transaction
  // The payout is changed first and the transaction second, by everybody.
  const withdrawn = isReleased
    ? await withdrawPayouts(tx, transaction, payoutMoves.withdraw, ['REPAYMENT'], 'decided_anew')
    : []
  await lockTransaction(tx, transaction)
  await releaseRepayments({ ledger }, tx, withdrawn)
  const returned = await findReturnedPayout(tx, transaction)
  if (returned?.status !== 'RETURNED' || returned.returnedAmount === null) return false
  const { asset, method, returnedAmount } = returned
  // Held, so that nobody deletes the account before it is needed.
  await requireRefundAccount(tx, transaction, asset, to.paymentAccountId)
  const payoutId = newId()
  const amount = BigInt(returnedAmount)
  const reserve = { organizationId, reference: referenceFor(transaction, `owed-again:${payoutId}`) }
  const account = returnedFundsOf(customerId, asset)
  const [reserved] = await ledger.reserve(tx, [{ ...reserve, account, amount }])
  if (reserved?.outcome !== 'RESERVED') throw new Error(`what came back of ${transactionId} is not there any more`)
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
    isReleased,
  })
  await recordStep(tx, transaction, 'REPAYMENT_OWED', { amount: returnedAmount, paymentAccountId })
  await changeDetails(tx, transaction)
  return true
}

/** They pay nothing: what was set aside for them is the customer's again. */
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
