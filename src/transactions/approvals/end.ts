import type { Tx } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { isReserved } from '../bookings.ts'
import { moveTransaction } from '../change.ts'
import { releaseSource } from '../conversions/release.ts'
import { failWithRefund } from '../refund.ts'
import type { FailureReason, Transaction } from '../transaction.ts'

/**
 * Ends a locked transaction without its approval. It is CANCELLED, and its reserve released, if no money has arrived;
 * else it is FAILED, and the received amount refunded.
 */
export async function endTransaction(
  { ledger }: { ledger: LedgerService },
  tx: Tx,
  { organizationId, transactionId, ...transaction }: Transaction,
  failureReason: FailureReason,
): Promise<void> {
  const key = { organizationId, transactionId }
  const cancelled = await moveTransaction(tx, key, 'cancel', { step: 'DONE', ifNothingSeen: true })
  if (!cancelled) return failWithRefund({ ledger }, tx, { ...key, ...transaction }, { failureReason })
  if (isReserved(cancelled)) await releaseSource({ ledger }, tx, cancelled)
}
