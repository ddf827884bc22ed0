import type { Queryable, Tx } from '../../../db/database.ts'
import type { Move } from '../../../lib/transitions.ts'
import type { QuarantineStatus } from './quarantine.ts'
import type { NewSighting, Sighting } from './sighting.ts'
import { acceptedId, contentOf, lockSighting, placeOf } from './store.ts'

export type QuarantinedSighting = Sighting & {
  quarantineId: string
  blockNumber: string | null
  blockHash: string | null
}

export type ListedSighting = QuarantinedSighting & {
  /** The fields that differ from the entry that was recorded first. */
  differences: string[]
}

/** Keeps an entry once. Answers its status, and whether this call inserted it. */
export async function insertQuarantined(
  tx: Tx,
  quarantineId: string,
  sighting: NewSighting,
): Promise<{ status: QuarantineStatus; isNew: boolean }> {
  const content = contentOf(sighting)
  const inserted = await tx.query({
    name: 'quarantine sighting',
    text: `insert into svc.quarantined_sightings (method, book, external_id, asset, amount, message, address,
                  virtual_account_id, sender_account_id, details_hash, from_address, block_number, block_hash, observed_at,
                  sender_matches, sealed_sender, quarantine_id, is_sender_mismatch, other_senders, rail)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, least($14, svc.now()), $15, $16, $17,
                  $18, $19, $20)
               on conflict on constraint quarantined_sightings_once do nothing returning quarantine_id`,
    values: [
      ...content,
      ...placeOf(sighting),
      JSON.stringify(sighting.senderMatches),
      sighting.sealedSender,
      quarantineId,
      sighting.isSenderMismatch ?? false,
      sighting.otherSenders ?? [],
      sighting.rail ?? null,
    ],
  })
  if (inserted.length > 0) return { status: 'OPEN', isNew: true }
  const [known] = await tx.query<{ status: QuarantineStatus }>({
    name: 'read status of quarantined sighting',
    text: `select status from svc.quarantined_sightings
            where method = $1 and book = $2 and external_id = $3 and asset = $4 and amount = $5
              and (message, address, virtual_account_id, sender_account_id, details_hash, from_address, block_hash)
                  is not distinct from
                  ($6::text, $7::text, $8::uuid, $9::uuid, $10::bytea, $11::text, $12::text)`,
    values: [...content, sighting.block?.hash ?? null],
  })
  if (!known) throw new Error(`entry ${sighting.externalId} was neither quarantined nor found`)
  return { status: known.status, isNew: false }
}

/** Lists open entries, oldest first, with their differences from the recorded ones. */
export function listQuarantined(database: Queryable, limit: number): Promise<ListedSighting[]> {
  return database.query<ListedSighting>({
    name: 'list quarantined sightings',
    text: `select ${columns},
                  case when recorded.external_id is null then array['reference'] else array_remove(array[
                    case when entry.method <> recorded.method then 'rail' end,
                    case when entry.asset <> recorded.asset then 'currency' end,
                    case when entry.amount <> recorded.amount then 'amount' end,
                    case when entry.message is distinct from recorded.message then 'message' end,
                    case when entry.address is distinct from recorded.address then 'address' end,
                    case when entry.virtual_account_id is distinct from recorded.virtual_account_id
                         then 'virtual account' end,
                    case when entry.sender_account_id is distinct from recorded.sender_account_id
                         then 'sender' end,
                    case when entry.details_hash is distinct from recorded.details_hash
                         then 'text or sender name' end,
                    case when entry.from_address is distinct from recorded.from_address
                         then 'sending address' end,
                    case when recorded.state = 'ORPHANED' then 'block' end], null) end as differences
             from svc.quarantined_sightings as entry
             left join svc.sightings as recorded on recorded.book = entry.book and recorded.external_id = entry.external_id
              and (recorded.method = entry.method
                   or (recorded.asset not like '%/%' and entry.asset not like '%/%'))
            where entry.status = 'OPEN' order by entry.quarantine_id limit $1`,
    values: [limit],
  })
}

/** Decides about an entry, once; undefined when it is not in quarantine. */
export async function decideQuarantined(
  tx: Tx,
  quarantineId: string,
  { from, to }: Move<QuarantineStatus>,
): Promise<QuarantinedSighting | undefined> {
  const [decided] = await tx.query<QuarantinedSighting>({
    name: 'decide quarantined sighting',
    text: `update svc.quarantined_sightings as entry set status = $2, decided_at = svc.now()
            where quarantine_id = $1 and status = any($3) returning ${columns}`,
    values: [quarantineId, to, from],
  })
  return decided
}

/**
 * True while another accepted entry of a transfer stands. Locks the sighting that has its reference, so that of two
 * entries one is accepted at a time.
 */
export async function isAcceptedAlready(
  tx: Tx,
  { quarantineId, method, book, externalId }: QuarantinedSighting,
): Promise<boolean> {
  await lockSighting(tx, { method, book, externalId })
  const standing = await tx.query({
    name: 'find accepted entry of a transfer',
    text: `select sighting.external_id from svc.quarantined_sightings as entry
             join svc.sightings as sighting on sighting.method = entry.method and sighting.book = entry.book
              and sighting.external_id = ${acceptedId} and sighting.state <> 'ORPHANED'
            where entry.method = $1 and entry.book = $2 and entry.external_id = $3 and entry.status = 'ACCEPTED'
              and entry.quarantine_id <> $4 limit 1`,
    values: [method, book, externalId, quarantineId],
  })
  return standing.length > 0
}

export async function countQuarantined(database: Queryable): Promise<number> {
  const [counted] = await database.query<{ count: number }>({
    name: 'count quarantined sightings',
    text: `select count(*)::int as count from svc.quarantined_sightings where status = 'OPEN'`,
  })
  return counted?.count ?? 0
}

const columns = `entry.quarantine_id as "quarantineId", entry.method, entry.book, entry.external_id as "externalId",
  entry.asset, entry.amount, entry.message, entry.address, entry.virtual_account_id as "virtualAccountId",
  entry.sender_account_id as "senderAccountId", entry.details_hash as "detailsHash",
  entry.from_address as "fromAddress", entry.other_senders as "otherSenders", entry.sender_matches as "senderMatches", entry.sealed_sender as "sealedSender",
  entry.is_sender_mismatch as "isSenderMismatch", entry.rail,
  entry.block_number as "blockNumber", entry.block_hash as "blockHash", entry.observed_at as "observedAt"`
