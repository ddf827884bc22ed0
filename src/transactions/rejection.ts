import type { Tx } from '../db/database.ts'
import type { LedgerService } from '../ledger/service.ts'
import { lockTransaction, recordStep, type TransactionKey } from './change-store.ts'
import { payoutMoves } from './payouts/payout.ts'
import { withdrawPayouts } from './payouts/store.ts'
import { failAfterRefusal, failWithRefund } from './refund.ts'

const failureReason = 'compliance_rejected'

/**
 * Rejects a transaction for a reviewer, and refunds the received amount or releases the reserve. Possible until its
 * payout starts: while a worker screens it, even if each screening fails; while it is frozen; and while its payout
 * waits. The new fence stops a worker that is screening it. False when the money has left or a concurrent change came
 * first.
 */
export async function rejectTransaction(
  { ledger }: { ledger: LedgerService },
  tx: Tx,
  { organizationId, transactionId }: TransactionKey,
): Promise<boolean> {
  const key = { organizationId, transactionId }
  // Lock order everywhere: payout first, transaction second.
  const [withdrawn] = await withdrawPayouts(tx, key, payoutMoves.withdraw, ['PAYOUT'], failureReason)
  const transaction = await lockTransaction(tx, key)
  if (transaction?.status !== 'PROCESSING' && transaction?.status !== 'CREATED') return false
  if (withdrawn) {
    await recordStep(tx, transaction, 'PAYOUT_WITHDRAWN')
    await failAfterRefusal({ ledger }, tx, transaction, failureReason)
    return true
  }
  if (transaction.step !== 'FROZEN' && transaction.step !== 'SCREEN') return false
  await failWithRefund({ ledger }, tx, transaction, { failureReason })
  return true
}
