import { isFiat } from '../catalog/currencies.ts'
import type { Queryable } from '../db/database.ts'
import { requireFence } from '../db/work.ts'
import type { LedgerService } from '../ledger/service.ts'
import { newId } from '../lib/ids.ts'
import { isDirect, referenceFor, reversalBooking, walletRefundBooking } from './bookings.ts'
import { changeDetails, moveTransaction, requirePosted } from './change.ts'
import { recordStep, type TransactionKey } from './change-store.ts'
import { isActiveAccount } from './deposits/store.ts'
import { insertPayout } from './payouts/store.ts'
import type { FailureReason, TransactionLabel, TransactionRow } from './transaction.ts'

type Refunding = { ledger: LedgerService }
type Failure = { failureReason: FailureReason; labels?: readonly TransactionLabel[] }

/**
 * A transaction comes to nothing before its money was converted. What was reserved is released; what came in goes back
 * to the account that it was to come from, and nowhere else.
 */
export async function failWithRefund(
  { ledger }: Refunding,
  transaction: Queryable,
  row: TransactionRow & TransactionKey,
  failure: Failure,
): Promise<void> {
  const failed = await fail(transaction, row, failure)
  if (row.isFromWallet) {
    const reserve = { organizationId: row.organizationId, reference: referenceFor(row, 'source') }
    await ledger.release(transaction, [reserve])
    return
  }
  const amount = BigInt(failed.receivedAmount)
  if (amount === 0n) return
  await oweRefund(transaction, failed, amount, isFiat(row.sourceAsset) ? null : row.transactionId)
}

/** The payout was refused or withdrawn: the conversion is undone, and the whole source goes back, fees included. */
export async function failAfterRefusal(
  { ledger }: Refunding,
  transaction: Queryable,
  row: TransactionRow & TransactionKey,
  failureReason: FailureReason = 'destination_refused_funds',
): Promise<void> {
  const failure: Failure = { failureReason }
  if (isDirect(row)) return failWithRefund({ ledger }, transaction, row, failure)
  const failed = await fail(transaction, row, failure)
  requirePosted(await ledger.post(transaction, [reversalBooking(row)]))
  const amount = BigInt(row.sourceAmount)
  // Tokens were collected at our address before the conversion, so they leave from there.
  if (!row.isFromWallet) return oweRefund(transaction, failed, amount, null)
  requirePosted(await ledger.post(transaction, [walletRefundBooking(row)]))
  const { organizationId, transactionId, customerId } = row
  await insertPayout(transaction, {
    ...{ organizationId, payoutId: newId(), transactionId, depositId: null, customerId, purpose: 'REFUND' },
    ...{ method: row.sourceMethod, asset: row.sourceAsset, amount, paymentAccountId: row.sourcePaymentAccountId },
    ...{ fromWalletId: null, status: 'CONFIRMED' },
  })
  await recordStep(transaction, row, 'REFUNDED', { amount: String(amount) })
  await changeDetails(transaction, row)
}

async function fail(transaction: Queryable, row: TransactionKey, failure: Failure): Promise<TransactionRow> {
  const failed = await moveTransaction(transaction, row, 'fail', { step: 'DONE', ...failure })
  requireFence(failed ? [failed] : [])
  return failed as TransactionRow
}

async function oweRefund(
  transaction: Queryable,
  row: TransactionRow,
  amount: bigint,
  fromWalletId: string | null,
): Promise<void> {
  const { organizationId, transactionId, customerId, sourcePaymentAccountId: paymentAccountId } = row
  // An auto fiat account, or one that was deleted, takes nothing back: a person decides.
  const canGoBack = await isActiveAccount(transaction, organizationId, paymentAccountId)
  await insertPayout(transaction, {
    ...{ organizationId, payoutId: newId(), transactionId, depositId: null, customerId, purpose: 'REFUND' },
    ...{ method: row.sourceMethod, asset: row.sourceAsset, amount, paymentAccountId, fromWalletId },
    status: canGoBack ? 'WAITING' : 'REFUSED',
  })
  await recordStep(transaction, row, 'REFUND_OWED', { amount: String(amount) })
  await changeDetails(transaction, row)
}
