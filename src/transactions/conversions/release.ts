import type { Tx } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { referenceFor } from '../bookings.ts'
import { lockCauses } from '../disbursements/settlement.ts'
import type { Transaction } from '../transaction.ts'
import { showOnCauses } from './convert.ts'
import { readCauses } from './store.ts'

/**
 * Releases the reserved source of a transaction that ends before its conversion. Returned funds are left to their causes
 * again. Lock order: transactions first, ledger accounts second.
 */
export async function releaseSource(
  { ledger }: { ledger: LedgerService },
  tx: Tx,
  transaction: Transaction,
): Promise<void> {
  const { organizationId, transactionId, isFromReturnedFunds } = transaction
  const causes = isFromReturnedFunds ? await lockCauses(tx, organizationId, await readCauses(tx, transaction)) : []
  await ledger.release(tx, [{ organizationId, reference: referenceFor(transaction, 'source') }])
  await showOnCauses(tx, causes, 'CONVERSION_WITHDRAWN', () => ({ transactionId }))
}
