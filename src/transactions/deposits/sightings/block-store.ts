import type { PaymentMethod } from '../../../catalog/payment-methods.ts'
import type { Queryable, Tx } from '../../../db/database.ts'
import type { Move } from '../../../lib/transitions.ts'
import type { NewSighting, PlacedSighting, SightingKey, SightingState } from './sighting.ts'
import { acceptedId, type SightingInBlock } from './store.ts'

/**
 * Locks the sighting that is in this block: the one with the reference, or an entry that was accepted under it. One
 * that is not ORPHANED goes first.
 */
export async function lockInBlock(
  tx: Tx,
  { method, book, externalId }: SightingKey,
  blockHash: string,
): Promise<SightingInBlock | undefined> {
  const [known] = await tx.query<SightingInBlock>({
    name: 'lock sighting in a block',
    text: `select method, book, external_id as "externalId", asset, message, address,
                  virtual_account_id as "virtualAccountId", sender_account_id as "senderAccountId", state
             from svc.sightings
            where method = $1 and book = $2 and block_hash = $4 and external_id in (
                  select $3
                   union all
                  select ${acceptedId} from svc.quarantined_sightings as entry
                   where entry.method = $1 and entry.book = $2 and entry.external_id = $3 and entry.status = 'ACCEPTED')
            order by state = 'ORPHANED' limit 1 for no key update`,
    values: [method, book, externalId, blockHash],
  })
  return known
}

/** Lists the transfers of a network in a range of blocks. */
export async function listInBlocks(
  database: Queryable,
  method: PaymentMethod,
  { states, above, upTo }: { states: readonly SightingState[]; above: bigint; upTo?: bigint },
): Promise<PlacedSighting[]> {
  const found = await database.query<Omit<PlacedSighting, 'blockNumber'> & { blockNumber: string }>({
    name: 'list sightings in blocks',
    text: `select method, book, external_id as "externalId", block_number::text as "blockNumber",
                  block_hash as "blockHash", asset, address, state, exists (
                    select from svc.deposits as deposit
                     where deposit.book = sighting.book and deposit.external_id = sighting.external_id
                       and deposit.method = sighting.method) as "hasDeposit"
             from svc.sightings as sighting
            where method = $1 and block_number > $2 and block_number <= coalesce($3, block_number) and state = any($4)
            order by block_number, external_id`,
    values: [method, above, upTo ?? null, states],
  })
  return found.map((sighting) => ({ ...sighting, blockNumber: BigInt(sighting.blockNumber) }))
}

/** Records that a final transfer is in another final block than before. */
export async function replaceBlock(tx: Tx, sighting: NewSighting): Promise<void> {
  const { method, book, externalId, block } = sighting
  await tx.query({
    name: 'replace block of sighting',
    text: `update svc.sightings set block_number = $4, block_hash = $5
            where method = $1 and book = $2 and external_id = $3`,
    values: [method, book, externalId, block?.number ?? null, block?.hash ?? null],
  })
}

/** Drops a sighting whose block is gone. The new fence stops a worker that creates its deposit. */
export async function dropSighting(
  tx: Tx,
  { method, book, externalId }: SightingKey,
  { from, to }: Move<SightingState>,
): Promise<void> {
  await tx.query({
    name: 'drop sighting',
    text: `update svc.sightings set state = $4, dust = null, due_at = null, lease_until = null, fence = fence + 1
            where method = $1 and book = $2 and external_id = $3 and state = any($5)`,
    values: [method, book, externalId, to, from],
  })
}

/**
 * Lets final transfers above a block wait for another block, unless theirs is known to stand; answers them. The new fence
 * stops a worker that creates a deposit. Locks them in the order of sets of deposits. An entry that was accepted from
 * quarantine has no report that could confirm it.
 */
export function doubtSightings(
  tx: Tx,
  method: PaymentMethod,
  { above, standing }: { above: bigint; standing: readonly string[] },
  { from, to }: Move<SightingState>,
): Promise<(SightingKey & Pick<NewSighting, 'asset'>)[]> {
  return tx.query({
    name: 'doubt sightings',
    text: `with doubted as materialized (
             select method, book, external_id from svc.sightings
              where method = $1 and block_number > $2 and block_hash <> all($3) and state = any($5)
                and external_id not like '%~%'
              order by method, book, external_id for no key update)
           update svc.sightings as sighting
              set state = $4, due_at = null, lease_until = null, fence = fence + 1,
                  dust = case when dust <> 'WAITING' then dust end
             from doubted
            where sighting.method = doubted.method and sighting.book = doubted.book
              and sighting.external_id = doubted.external_id
        returning sighting.method, sighting.book, sighting.external_id as "externalId", sighting.asset`,
    values: [method, above, standing, to, from],
  })
}
