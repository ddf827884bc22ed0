import type { Tx } from '../../../db/database.ts'
import { compareTraits, type TraitMatches, type Traits } from '../recognition/traits.ts'
import { matchOf, type NewEntry } from './entry-store.ts'
import type { KnownPart, PartIdentity } from './part.ts'

/** A transaction of an entry that is a single one; the entries themselves were compared before. */
const isSingle = `entry.part_count = 1 and $13 = 1`

/** Whether another message, or another entry of this statement, has told a known transaction, too. */
const pairing = `part.repeats_entry_id is not null
    or exists (select from svc.bank_entry_parts as pair where pair.repeats_entry_id = part.bank_entry_id
                  and pair.repeats_place = part.place)
    or exists (select from svc.bank_entries as pair where pair.repeats = part.bank_entry_id
                  and not exists (select from svc.bank_entry_parts as own
                                   where own.bank_entry_id = pair.bank_entry_id)) as "isPaired",
  exists (select from svc.bank_entry_parts as pair join svc.bank_entries as telling using (bank_entry_id)
           where pair.repeats_entry_id = coalesce(part.repeats_entry_id, part.bank_entry_id)
             and pair.repeats_place = coalesce(part.repeats_place, part.place)
             and telling.bank_file_id = $2 and telling.statement_key = $14)
    or exists (select from svc.bank_entries as pair
                where pair.repeats = coalesce(part.repeats_entry_id, part.bank_entry_id)
                  and pair.bank_file_id = $2 and pair.statement_key = $14
                  and not exists (select from svc.bank_entry_parts as own
                                   where own.bank_entry_id = pair.bank_entry_id)) as "isToldHere"`

/**
 * Finds transactions of other entries that may be the same, the best match first. `taken` are those that earlier
 * transactions of this entry repeat.
 */
export async function findKnownParts(
  tx: Tx,
  entry: NewEntry,
  part: PartIdentity,
  taken: readonly string[],
): Promise<KnownPart[]> {
  const found = await tx.query<Omit<KnownPart, keyof TraitMatches> & { traits: Traits }>({
    name: 'find known parts of bank entries',
    text: `with candidates as (
             select coalesce(part.repeats_entry_id, part.bank_entry_id) as "bankEntryId",
                    coalesce(part.repeats_place, part.place) as place, part.external_id as "externalId",
                    part.amount = $4 as "isSameAmount", entry.source = $3 as "isSameSource",
                    entry.bank_file_id = $2 and entry.statement_key = $14 as "isSameStatement",
                    coalesce(entry.booking_date = $10::date, entry.value_date = $11::date, true) as "isSameDay",
                    coalesce(abs(entry.booking_date - $10::date) <= 5, abs(entry.value_date - $11::date) <= 5, true)
                    as "isNear",
                    ${pairing},
                    part.is_return or $17 as "isGivenBack",
                    case when part.is_return and not $17 then 'KNOWN' when $17 and not part.is_return then 'NEW' end
                    as "onlyMarked", ${matchOf('part.bank_reference', '$5')} as "bankReference",
                    ${matchOf('part.uetr_hash', '$15')} as uetr, ${matchOf('part.transaction_hash', '$16')} as "transactionId",
                    ${matchOf('part.end_to_end_hash', '$6')} as "endToEndId",
                    part.network_hashes && $7 as "sharesNetworkId",
                    part.payer_hashes && $8 or (part.is_return and coalesce(part.end_to_end_hash = $6, false)) as "isNamed",
                    coalesce(part.text_hash = $9, false) as "sharesTexts",
                    part.trait_hashes as traits
               from svc.bank_entry_parts as part join svc.bank_entries as entry using (bank_entry_id)
              where part.bank_account_id = $1 and not (${isSingle}) and (part.is_return = $17 or part.bank_reference = $5 or part.uetr_hash = $15)
                and coalesce(entry.untold_count, 0) = 0
                and not coalesce(part.repeats_entry_id, part.bank_entry_id)::text || '/'
                        || coalesce(part.repeats_place, part.place)::text = any($12)
                and (part.bank_reference = $5 or part.network_hashes && $7 or part.payer_hashes && $8
                     or part.text_hash = $9 or part.amount = $4))
           select "bankEntryId", place, "externalId", "isSameAmount", "isSameSource", "isSameStatement",
                  false as "isSameEntry", false as "isSamePosition", false as "isSameEntryReference", "isSameDay", "isNear",
                  "isPaired", "isToldHere", "isGivenBack", "onlyMarked", "bankReference", uetr, "transactionId", "endToEndId", "sharesNetworkId",
                  "isNamed", "sharesTexts", traits
             from candidates
            where "bankReference" = 'SAME' or "sharesNetworkId"
               or (not "isSameStatement" and "isSameAmount" and "endToEndId" is distinct from 'OTHER' and "isNear"
                   and ("isNamed" or "sharesTexts" or "endToEndId" = 'SAME'
                        or (("isSameDay" or traits && $18) and not "isSameSource" and not "isPaired")))
            order by coalesce("bankReference" = 'SAME', false) or "sharesNetworkId" desc, "isPaired" or "isSameSource",
                     "isNamed" desc, "sharesTexts" desc, "isSameDay" desc, "bankEntryId", place limit 100`,
    values: [
      entry.bankAccountId,
      entry.bankFileId,
      entry.source,
      part.amount,
      part.bankReference,
      part.endToEndHash,
      part.networkHashes,
      part.payerHashes,
      part.textHash,
      entry.bookingDate,
      entry.valueDate,
      taken,
      entry.partCount,
      entry.statementKey,
      part.uetrHash,
      part.transactionHash,
      part.isReturn,
      part.traits,
    ],
  })
  return found.map(({ traits, ...known }) => ({ ...known, ...compareTraits(traits, part.traits) }))
}

export type NewPart = PartIdentity & { externalId: string; repeats?: { bankEntryId: string; place: number } }

export async function insertPart(
  tx: Tx,
  { bankEntryId, bankAccountId }: Pick<NewEntry, 'bankEntryId' | 'bankAccountId'>,
  part: NewPart,
): Promise<void> {
  await tx.query({
    name: 'insert part of bank entry',
    text: `with written as (
           insert into svc.bank_entry_parts (bank_entry_id, place, bank_account_id, amount, bank_reference, network_hashes,
                  payer_hashes, text_hash, end_to_end_hash, external_id, repeats_entry_id, repeats_place, batch_hashes,
                  uetr_hash, transaction_hash, is_return, trait_hashes)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17))
           insert into svc.open_entries (bank_account_id, bank_entry_id) values ($3, $1) on conflict do nothing`,
    values: [
      bankEntryId,
      part.place,
      bankAccountId,
      part.amount,
      part.bankReference,
      part.networkHashes,
      part.payerHashes,
      part.textHash,
      part.endToEndHash,
      part.externalId,
      part.repeats?.bankEntryId ?? null,
      part.repeats?.place ?? null,
      part.batchHashes,
      part.uetrHash,
      part.transactionHash,
      part.isReturn,
      part.traits,
    ],
  })
}
