import type { Tx } from '../../../db/database.ts'
import type { NewEntry } from './entry-store.ts'
import type { KnownPart, PartIdentity } from './part.ts'

/** A transaction of an entry that is a single one; the entries themselves were compared before. */
const isSingle = `entry.part_count = 1 and $13 = 1`

/**
 * Finds transactions of other entries that may be the same, the best match first. `taken` are those that earlier
 * transactions of this entry repeat.
 */
export function findKnownParts(
  tx: Tx,
  entry: NewEntry,
  part: PartIdentity,
  taken: readonly string[],
): Promise<KnownPart[]> {
  return tx.query<KnownPart>({
    name: 'find known parts of bank entries',
    text: `with candidates as (
             select part.bank_entry_id, part.place, part.external_id, entry.bank_file_id = $2 as same_file,
                    entry.source = $3 as same_source, part.amount = $4 as same_amount,
                    coalesce(part.bank_reference = $5, false) as same_reference,
                    coalesce(part.bank_reference <> $5, false) as other_reference,
                    coalesce(part.end_to_end_hash <> $6, false) as other_payment,
                    part.network_hashes && $7 as shares_network, part.payer_hashes && $8 as shares_payer,
                    coalesce(part.text_hash = $9, false) as shares_texts,
                    coalesce(entry.booking_date = $10::date, entry.value_date = $11::date, true) as same_day,
                    coalesce(abs(entry.booking_date - $10::date) <= 5, abs(entry.value_date - $11::date) <= 5, true) as near,
                    exists (select from svc.bank_entry_parts as pair where pair.repeats_entry_id = part.bank_entry_id
                               and pair.repeats_place = part.place)
                    or exists (select from svc.bank_entries as pair where pair.repeats = part.bank_entry_id
                                  and not exists (select from svc.bank_entry_parts as own
                                                   where own.bank_entry_id = pair.bank_entry_id)) as paired
               from svc.bank_entry_parts as part join svc.bank_entries as entry using (bank_entry_id)
              where part.bank_account_id = $1 and part.repeats_entry_id is null and not (${isSingle})
                and not part.bank_entry_id::text || '/' || part.place::text = any($12)
                and (part.bank_reference = $5 or part.network_hashes && $7 or part.payer_hashes && $8
                     or part.text_hash = $9 or part.amount = $4))
           select bank_entry_id as "bankEntryId", place, external_id as "externalId", same_file as "isSameFile",
                  same_source as "isSameSource", same_amount as "isSameAmount", same_reference as "isSameReference",
                  other_reference as "isOtherReference", other_payment as "isOtherPayment",
                  shares_network as "sharesNetworkId", shares_payer as "sharesPayerId", shares_texts as "sharesTexts",
                  same_day as "isSameDay", near as "isNear", paired as "isPaired"
             from candidates
            where same_reference or shares_network
               or (not same_file and same_amount and not other_payment and near
                   and (shares_payer or shares_texts or (same_day and not same_source and not paired)))
            order by same_reference desc, shares_network desc, paired or same_source, shares_payer desc,
                     shares_texts desc, same_day desc, bank_entry_id, place limit 100`,
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
    ],
  })
}

export type NewPart = PartIdentity & { externalId: string; repeats?: { bankEntryId: string; place: number } }

export async function insertPart(tx: Tx, { bankEntryId, bankAccountId }: NewEntry, part: NewPart): Promise<void> {
  await tx.query({
    name: 'insert part of bank entry',
    text: `insert into svc.bank_entry_parts (bank_entry_id, place, bank_account_id, amount, bank_reference, network_hashes,
                  payer_hashes, text_hash, end_to_end_hash, external_id, repeats_entry_id, repeats_place)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
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
    ],
  })
}

/** A transaction of a credit that a debit may take back. */
export type ReversiblePart = {
  bankEntryId: string
  place: number
  isByBank: boolean
  isByNetwork: boolean
  isByPayer: boolean
  isSameAmount: boolean
}

/** Finds the transactions that a reversal names by a reference of the bank, of the networks or of the payer. */
export function findReversible(tx: Tx, bankAccountId: string, told: PartIdentity): Promise<ReversiblePart[]> {
  return tx.query<ReversiblePart>({
    name: 'find reversible parts of bank entries',
    text: `select original.bank_entry_id as "bankEntryId", original.place,
                  bool_or(coalesce(part.bank_reference = $2 or entry.bank_reference = $2, false)) as "isByBank",
                  bool_or(part.network_hashes && $3) as "isByNetwork", bool_or(part.payer_hashes && $4) as "isByPayer",
                  original.amount = $5 as "isSameAmount"
             from svc.bank_entry_parts as part
             join svc.bank_entries as entry using (bank_entry_id)
             join svc.bank_entry_parts as original
               on original.bank_entry_id = coalesce(part.repeats_entry_id, part.bank_entry_id)
              and original.place = coalesce(part.repeats_place, part.place)
            where part.bank_account_id = $1 and original.amount >= $5
              and (part.bank_reference = $2 or entry.bank_reference = $2 or part.network_hashes && $3
                   or part.payer_hashes && $4)
            group by original.bank_entry_id, original.place order by 1, 2 limit 1000`,
    values: [bankAccountId, told.bankReference, told.networkHashes, told.payerHashes, told.amount],
  })
}
