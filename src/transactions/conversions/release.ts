import type { Tx } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { referenceFor } from '../bookings.ts'
import { changeDetails } from '../change.ts'
import { lockCauses } from '../disbursements/settlement.ts'
import type { Transaction } from '../transaction.ts'
import { showOnCauses } from './convert.ts'
import { readCauses } from './store.ts'

/**
 * Locks the transactions whose returned funds these transactions convert, sorted. They are locked after the transactions
 * that convert them, and before ledger accounts.
 */
export async function lockConverted(tx: Tx, transactions: readonly Transaction[]): Promise<Transaction[]> {
  const conversions = transactions.filter(({ isFromReturnedFunds }) => isFromReturnedFunds)
  const byOrganization = Map.groupBy(conversions, ({ organizationId }) => organizationId)
  const locked: Transaction[] = []
  for (const [organizationId, converting] of [...byOrganization].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const causes: string[] = []
    for (const conversion of converting) causes.push(...(await readCauses(tx, conversion)))
    locked.push(...(await lockCauses(tx, organizationId, causes)))
  }
  return locked
}

/** Shows in the `repayment` of the locked transactions that the conversion of their returned funds has ended. */
export async function showConverted(tx: Tx, causes: readonly Transaction[]): Promise<void> {
  for (const cause of causes) await changeDetails(tx, cause)
}

/**
 * Releases the reserved source of a transaction that ends before its conversion. Returned funds are left to their causes
 * again. Lock order: transactions first, ledger accounts second.
 */
export async function releaseSource(
  { ledger }: { ledger: LedgerService },
  tx: Tx,
  transaction: Transaction,
): Promise<void> {
  const { organizationId, transactionId } = transaction
  const causes = await lockConverted(tx, [transaction])
  await ledger.release(tx, [{ organizationId, reference: referenceFor(transaction, 'source') }])
  await showOnCauses(tx, causes, 'CONVERSION_WITHDRAWN', () => ({ transactionId }))
}
