import { isFiat } from '../catalog/currencies.ts'
import type { Tx } from '../db/database.ts'
import { requireFence } from '../db/work.ts'
import type { LedgerService } from '../ledger/service.ts'
import { newId } from '../lib/ids.ts'
import { heldRefundBooking, isDirect, isReserved, reversalBooking } from './bookings.ts'
import { changeDetails, moveTransaction, requirePosted } from './change.ts'
import { recordStep, type TransactionKey } from './change-store.ts'
import { lockConverted, releaseSource, showConverted } from './conversions/release.ts'
import { insertPayout, type NewPayout } from './payouts/store.ts'
import { mayGoBack } from './refunds/policy.ts'
import { findRefundDestination } from './refunds/refund-account.ts'
import { stepMoney } from './timeline/timeline.ts'
import type { FailureReason, Transaction, TransactionLabel } from './transaction.ts'

type RefundDeps = { ledger: LedgerService }
type Failure = { failureReason: FailureReason; labels?: readonly TransactionLabel[] }

/**
 * Fails a transaction before its conversion. Releases the reserve, or owes a refund of the received amount to the
 * source account only.
 */
export async function failWithRefund(
  { ledger }: RefundDeps,
  tx: Tx,
  transaction: Transaction & TransactionKey,
  failure: Failure,
): Promise<void> {
  const failed = await fail(tx, transaction, failure)
  if (isReserved(transaction)) return releaseSource({ ledger }, tx, transaction)
  const amount = BigInt(failed.receivedAmount)
  if (amount === 0n) return
  await createRefund(tx, failed, amount)
}

/** Fails a transaction whose payout was refused or withdrawn: reverses the conversion and refunds the whole source. */
export async function failAfterRefusal(
  { ledger }: RefundDeps,
  tx: Tx,
  transaction: Transaction & TransactionKey,
  failureReason: FailureReason = 'destination_refused_funds',
): Promise<void> {
  const failure: Failure = { failureReason }
  if (isDirect(transaction)) return failWithRefund({ ledger }, tx, transaction, failure)
  const failed = await fail(tx, transaction, failure)
  const causes = await lockConverted(tx, [transaction])
  requirePosted(await ledger.post(tx, [reversalBooking(transaction)]))
  const amount = BigInt(transaction.sourceAmount)
  if (!isReserved(transaction)) return createRefund(tx, failed, amount)
  requirePosted(await ledger.post(tx, [heldRefundBooking(transaction)]))
  await insertRefund(tx, transaction, {
    amount,
    fromWalletId: transaction.isFromWallet ? transaction.sourcePaymentAccountId : null,
    status: 'CONFIRMED',
  })
  await recordStep(tx, transaction, 'REFUNDED', stepMoney(amount, transaction.sourceAsset))
  await changeDetails(tx, transaction)
  await showConverted(tx, causes)
}

async function fail(tx: Tx, transaction: TransactionKey, failure: Failure): Promise<Transaction> {
  const failed = await moveTransaction(tx, transaction, 'fail', { step: 'DONE', ...failure })
  requireFence(failed ? [failed] : [])
  return failed as Transaction
}

/** Owes a refund. Tokens leave from the deposit address of the transaction, where they still lie. */
async function createRefund(tx: Tx, transaction: Transaction, amount: bigint): Promise<void> {
  const { sourceAsset, sourcePaymentAccountId } = transaction
  const fromWalletId = isFiat(sourceAsset) ? null : transaction.transactionId
  // An auto fiat account or a deleted account cannot take a refund, nor one that did not pay: an operator decides.
  const to = await findRefundDestination(tx, transaction, sourceAsset, sourcePaymentAccountId)
  const isOwed = to && (await mayGoBack(tx, { ...transaction, depositId: null }, sourcePaymentAccountId))
  await insertRefund(tx, transaction, { amount, fromWalletId, status: isOwed ? 'WAITING' : 'REFUSED' }, to?.method)
  await recordStep(tx, transaction, 'REFUND_OWED', stepMoney(amount, transaction.sourceAsset))
  await changeDetails(tx, transaction)
}

function insertRefund(
  tx: Tx,
  { organizationId, transactionId, customerId, ...transaction }: Transaction,
  refund: Required<Pick<NewPayout, 'amount' | 'fromWalletId' | 'status'>>,
  method = transaction.sourceMethod,
): Promise<void> {
  return insertPayout(tx, {
    organizationId,
    payoutId: newId(),
    transactionId,
    depositId: null,
    customerId,
    purpose: 'REFUND',
    method,
    asset: transaction.sourceAsset,
    paymentAccountId: transaction.sourcePaymentAccountId,
    ...refund,
  })
}
