import type { Tx } from '../../../db/database.ts'

export type ExpiringTransaction = {
  transferMessage: string | null
  transferAddress: string | null
  expiresAt: Date | null
}

/**
 * Tells whether a transfer for this transaction that was observed in time has no deposit yet: DUE when its deposit
 * follows now, SEEN when its block is not final.
 */
export async function findOpenSighting(
  tx: Tx,
  { transferMessage, transferAddress, expiresAt }: ExpiringTransaction,
): Promise<'DUE' | 'SEEN' | undefined> {
  const [open] = await tx.query<{ isDue: boolean }>({
    name: 'find open sighting of a transaction',
    text: `select due_at is not null as "isDue" from svc.sightings
            where (due_at is not null or state = 'SEEN') and (message = $1 or address = $2) and observed_at < $3
              and not is_own
            order by due_at nulls last limit 1`,
    values: [transferMessage, transferAddress, expiresAt],
  })
  return open && (open.isDue ? 'DUE' : 'SEEN')
}

/** True when a quarantined entry for this transaction arrived in time: it may be money of the transaction. */
export async function isQuarantinedInTime(tx: Tx, transaction: ExpiringTransaction): Promise<boolean> {
  const { transferMessage, transferAddress, expiresAt } = transaction
  const rows = await tx.query({
    name: 'is money of a transaction quarantined',
    text: `select quarantine_id from svc.quarantined_sightings
            where status = 'OPEN' and (message = $1 or address = $2) and observed_at < $3 limit 1`,
    values: [transferMessage, transferAddress, expiresAt],
  })
  return rows.length > 0
}
