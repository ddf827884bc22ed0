import type { Queryable, Tx } from '../../../db/database.ts'
import { requireFence } from '../../../db/work.ts'
import type { ClaimedSighting } from './store.ts'

type DustKey = Pick<ClaimedSighting, 'method' | 'address' | 'asset'>

/** Lets the workers judge the small transfers of an address one after the other, until the database transaction ends. */
export async function lockDust(tx: Tx, { method, address, asset }: DustKey): Promise<void> {
  await tx.query({
    name: 'lock dust of an address',
    text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
    values: [`svc dust ${method} ${address} ${asset}`],
  })
}

/** Sums the transfers that wait at an address. They are fewer than the limit has smallest units. */
export async function sumDust(tx: Tx, { method, address, asset }: DustKey): Promise<bigint> {
  const [sum] = await tx.query<{ amount: string }>({
    name: 'sum dust of an address',
    text: `select coalesce(sum(amount), 0) as amount from svc.sightings
            where dust = 'WAITING' and method = $1 and address = $2 and asset = $3`,
    values: [method, address, asset],
  })
  return BigInt(sum?.amount ?? 0)
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

/** Releases the transfers that wait at an address: together with this one they are enough. */
export async function releaseDust(tx: Tx, { method, address, asset }: DustKey): Promise<void> {
  await tx.query({
    name: 'release dust of an address',
    text: `update svc.sightings set dust = 'RELEASED', due_at = svc.now()
            where dust = 'WAITING' and method = $1 and address = $2 and asset = $3`,
    values: [method, address, asset],
  })
}

export async function countDust(database: Queryable): Promise<number> {
  const [counted] = await database.query<{ count: number }>({
    name: 'count sightings that wait as dust',
    text: `select count(*)::int as count from svc.sightings where dust = 'WAITING'`,
  })
  return counted?.count ?? 0
}
