import type { Queryable, Tx } from '../../../db/database.ts'
import { requireFence } from '../../../db/work.ts'
import type { ClaimedSighting } from './store.ts'

type SmallSighting = { amount: string; dust: string | null; isThis: boolean }

/**
 * Locks the small transfers of an address and asset that are no deposit yet, this one included. The order keeps two
 * workers from blocking each other.
 */
export function lockSmall(
  tx: Tx,
  { method, book, externalId, address, asset }: ClaimedSighting,
  limit: bigint,
): Promise<SmallSighting[]> {
  return tx.query<SmallSighting>({
    name: 'lock small sightings',
    text: `select amount, dust, (method, book, external_id) = ($1, $2, $3) as "isThis" from svc.sightings
            where (due_at is not null or dust = 'WAITING') and method = $1 and address = $4 and asset = $5 and amount < $6
            order by method, book, external_id for no key update`,
    values: [method, book, externalId, address, asset, limit],
  })
}

/** Lets a small transfer wait for others at its address. */
export async function setAside(tx: Tx, { method, book, externalId, fence }: ClaimedSighting): Promise<void> {
  const changed = await tx.query({
    name: 'set sighting aside as dust',
    text: `update svc.sightings set dust = 'WAITING', due_at = null, lease_until = null
            where method = $1 and book = $2 and external_id = $3 and fence = $4 returning method`,
    values: [method, book, externalId, fence],
  })
  requireFence(changed)
}

/** Releases all small transfers of an address and asset: together they are enough. */
export async function releaseSmall(tx: Tx, { method, address, asset }: ClaimedSighting, limit: bigint): Promise<void> {
  await tx.query({
    name: 'release small sightings',
    text: `update svc.sightings set dust = 'RELEASED', due_at = coalesce(due_at, svc.now())
            where (due_at is not null or dust = 'WAITING') and method = $1 and address = $2 and asset = $3 and amount < $4`,
    values: [method, address, asset, limit],
  })
}

export async function countDust(database: Queryable): Promise<number> {
  const [counted] = await database.query<{ count: number }>({
    name: 'count sightings that wait as dust',
    text: `select count(*)::int as count from svc.sightings where dust = 'WAITING'`,
  })
  return counted?.count ?? 0
}
