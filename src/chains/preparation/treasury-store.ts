import type { NetworkKind } from '../../catalog/network-kinds.ts'
import type { Tx } from '../../db/database.ts'

/** Lets the choices of treasuries come one after another until the database transaction ends. */
export async function lockTreasuries(tx: Tx, kind: NetworkKind): Promise<void> {
  await tx.query({
    name: 'lock treasuries',
    text: `select pg_advisory_xact_lock(hashtext('svc treasuries'), hashtext($1))`,
    values: [kind],
  })
}
