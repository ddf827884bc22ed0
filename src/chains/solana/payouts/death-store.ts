import type { Queryable, Tx } from '../../../db/database.ts'
import { anyDue, firstOf } from '../../../db/workers/due.ts'
import { selectTransfers, type Transfer } from './store.ts'

/** Records the proof that no block will ever have a transaction. */
export async function recordDeath(
  database: Queryable,
  transferId: string,
  { height, slot }: { height: bigint; slot: bigint },
): Promise<void> {
  await database.query({
    name: 'record death of solana transfer',
    text: `update svc.solana_transfers set state = 'DEAD', height = $2, slot = $3, settled_at = clock_timestamp()
            where transfer_id = $1 and state = 'OPEN' and raw is not null`,
    values: [transferId, height, slot],
  })
}

type Death = Pick<Transfer, 'transferId' | 'height' | 'slot'>

/** Opens transactions anew whose death was read, and that a block has after all. A later proof of their death stands. */
export async function reviveTransfers(database: Queryable, dead: readonly Death[]): Promise<void> {
  if (dead.length === 0) return
  await database.query({
    name: 'revive solana transfers',
    text: `update svc.solana_transfers as transfer
              set state = 'OPEN', height = null, slot = null, settled_at = null, was_dead = true
             from unnest($1::uuid[], $2::bigint[], $3::bigint[]) as dead (transfer_id, height, slot)
            where transfer.transfer_id = dead.transfer_id and transfer.state = 'DEAD'
              and transfer.height = dead.height and transfer.slot = dead.slot`,
    values: [dead.map(({ transferId }) => transferId), dead.map(({ height }) => height), dead.map(({ slot }) => slot)],
  })
}

/** Real time in which a death is doubted, and between two questions about it. */
const doubtful = `settled_at > statement_timestamp() - interval '1 hour'
  and coalesce(asked_at, settled_at) < clock_timestamp() - interval '30 seconds'`

/** Takes transactions that died lately, and that were not asked about in the last seconds. */
export function takeDoubtful(database: Queryable, limit: number): Promise<Transfer[]> {
  return database.query<Transfer>({
    name: 'take doubtful solana transfers',
    text: `with asked as (
             update svc.solana_transfers set asked_at = clock_timestamp()
              where transfer_id in (select transfer_id from svc.solana_transfers
                                     where state = 'DEAD' and ${doubtful} order by settled_at limit $1)
             returning transfer_id)
           ${selectTransfers}
             join asked on asked.transfer_id = transfer.transfer_id
            where transfer.state = 'DEAD'`,
    values: [limit],
  })
}

export const hasUpkeep = anyDue(
  firstOf(`svc.solana_transfers where state = 'OPEN' and raw is not null order by requested_at`),
  firstOf(`svc.solana_transfers where state = 'DEAD' and ${doubtful} order by settled_at`),
)

/** Finds those of these transactions whose payout another one may still pay, or has paid. */
export async function findRivalled(database: Queryable, transferIds: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await database.query<{ transferId: string }>({
    name: 'find rivalled solana transfers',
    text: `select transfer.transfer_id as "transferId" from svc.solana_transfers as transfer
            where transfer.transfer_id = any($1) and exists (
                  select from svc.solana_transfers as other
                   where other.payout_id = transfer.payout_id and other.transfer_id <> transfer.transfer_id
                     and other.raw is not null and other.state <> 'DEAD' and other.is_successful is not false)`,
    values: [transferIds],
  })
  return new Set(found.map(({ transferId }) => transferId))
}

/** True when a transfer is all that its payout needs: it has no other outcome, and no other transaction may pay it. */
export async function isSole(tx: Tx, transferId: string): Promise<boolean> {
  const found = await tx.query({
    name: 'is solana transfer the sole one',
    text: `select from svc.solana_transfers as transfer
             join svc.payouts as payout on payout.organization_id = transfer.payout_organization_id
              and payout.payout_id = transfer.payout_id and payout.status in ('SENDING', 'SENT')
            where transfer.transfer_id = $1 and not exists (
                  select from svc.solana_transfers as other
                   where other.payout_id = transfer.payout_id and other.transfer_id <> transfer.transfer_id
                     and other.problem is null and other.state <> 'DEAD' and other.is_successful is not false)`,
    values: [transferId],
  })
  return found.length > 0
}
