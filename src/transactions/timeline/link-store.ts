import type { Queryable, Tx } from '../../db/database.ts'
import type { Transaction } from '../transaction.ts'

/** Replaces the link of the pay page; false for a transaction that never had one. */
export async function replaceLink(
  tx: Tx,
  { organizationId, transactionId }: Pick<Transaction, 'organizationId' | 'transactionId'>,
): Promise<boolean> {
  const changed = await tx.query({
    name: 'replace transfer link',
    text: `update svc.transactions set link_version = link_version + 1
            where organization_id = $1 and transaction_id = $2 and transfer_instructions is not null
        returning link_version`,
    values: [organizationId, transactionId],
  })
  return changed.length > 0
}

/** Reads the version of the link of a transaction whose creation is answered once more. `answer`: its JSON. */
export async function readLinkVersion(
  database: Queryable,
  organizationIds: readonly string[],
  answer: string,
): Promise<number> {
  const { transactionId } = JSON.parse(answer) as { transactionId: string }
  const [found] = await database.query<{ version: number }>({
    name: 'read version of transfer link',
    text: `select link_version as version from svc.transactions
            where organization_id = any($1) and transaction_id = $2`,
    values: [organizationIds, transactionId],
  })
  return found?.version ?? 1
}
