import type { Tx } from '../../../db/database.ts'
import type { SightingKey } from '../../deposits/sightings/sighting.ts'
import type { NewEntry } from './entry-store.ts'

/** The facts of a collective entry whose transactions its message does not tell. */
export type Untold = Pick<
  NewEntry,
  'bankEntryId' | 'bankAccountId' | 'bankFileId' | 'bankReference' | 'source' | 'bookingDate' | 'valueDate'
> & { batchHashes: readonly Buffer[] }

/** A transaction that may be one of a collective entry. */
export type Candidate = {
  bankEntryId: string
  place: number
  amount: string
  externalId: string
  isByReference: boolean
  isByBatch: boolean
  isSameDay: boolean
}

/** Finds transactions that another message told, and that no entry repeats yet. */
export function findCandidates(tx: Tx, untold: Untold): Promise<Candidate[]> {
  return tx.query<Candidate>({
    name: 'find parts of collective bank entry',
    text: `with candidates as (
             select part.bank_entry_id, part.place, part.amount, part.external_id,
                    coalesce(part.bank_reference = $4 or entry.bank_reference = $4, false) as by_reference,
                    part.batch_hashes && $5 as by_batch,
                    coalesce(entry.booking_date = $6::date, entry.value_date = $7::date, true) as same_day
               from svc.bank_entry_parts as part join svc.bank_entries as entry using (bank_entry_id)
              where part.bank_account_id = $1 and entry.bank_file_id <> $2 and entry.source <> $3
                and part.repeats_entry_id is null and entry.untold_count is null
                and (entry.booking_date between $6::date - 5 and $6::date + 5
                     or entry.value_date between $7::date - 5 and $7::date + 5)
                and not exists (select from svc.bank_entry_parts as pair where pair.repeats_entry_id = part.bank_entry_id
                                   and pair.repeats_place = part.place)
                and not exists (select from svc.bank_entries as pair where pair.repeats = part.bank_entry_id
                                   and not exists (select from svc.bank_entry_parts as own
                                                    where own.bank_entry_id = pair.bank_entry_id)))
           select bank_entry_id as "bankEntryId", place, amount, external_id as "externalId",
                  by_reference as "isByReference", by_batch as "isByBatch", same_day as "isSameDay"
             from candidates where by_reference or by_batch or same_day
            order by bank_entry_id, place limit 10000`,
    values: [
      untold.bankAccountId,
      untold.bankFileId,
      untold.source,
      untold.bankReference,
      untold.batchHashes,
      untold.bookingDate,
      untold.valueDate,
    ],
  })
}

/** A collective entry in quarantine that later messages may explain. */
export type WaitingUntold = Untold & { amount: string; untoldCount: number; externalId: string }

/** Lists collective entries in quarantine of the accounts and of about the days that a file tells of. */
export function listWaiting(tx: Tx, bankFileId: string): Promise<WaitingUntold[]> {
  return tx.query<WaitingUntold>({
    name: 'list waiting collective bank entries',
    text: `with told as (
             select bank_account_id, min(booking_date) - 5 as booked_from, max(booking_date) + 5 as booked_to,
                    min(value_date) - 5 as valued_from, max(value_date) + 5 as valued_to
               from svc.bank_entries where bank_file_id = $1 group by bank_account_id)
           select entry.bank_entry_id as "bankEntryId", entry.bank_account_id as "bankAccountId",
                  entry.bank_file_id as "bankFileId", entry.bank_reference as "bankReference", entry.source,
                  entry.booking_date::text as "bookingDate", entry.value_date::text as "valueDate", entry.amount,
                  entry.untold_count as "untoldCount", part.external_id as "externalId",
                  part.batch_hashes as "batchHashes"
             from told join svc.bank_entries as entry on entry.bank_account_id = told.bank_account_id
             join svc.bank_entry_parts as part on part.bank_entry_id = entry.bank_entry_id
            where entry.untold_count > 1 and entry.outcome = 'QUARANTINED'
              and (entry.booking_date between told.booked_from and told.booked_to
                   or entry.value_date between told.valued_from and told.valued_to)
            order by entry.bank_entry_id limit 1000`,
    values: [bankFileId],
  })
}

/** Lists the collective entries of a file that wait in quarantine, by the keys of their sightings. */
export function listUntoldInQuarantine(tx: Tx, bankFileId: string): Promise<SightingKey[]> {
  return tx.query<SightingKey>({
    name: 'list untold bank entries in quarantine',
    text: `select waiting.method, waiting.book, waiting.external_id as "externalId"
             from svc.bank_entries as entry join svc.bank_entry_parts as part using (bank_entry_id)
             join svc.quarantined_sightings as waiting on waiting.book = entry.bank_account_id
              and part.external_id = waiting.external_id || '~' || waiting.quarantine_id::text
            where entry.bank_file_id = $1 and entry.untold_count is not null and entry.outcome = 'QUARANTINED'
              and waiting.status = 'OPEN' order by entry.bank_entry_id limit 1000`,
    values: [bankFileId],
  })
}

/**
 * Finds a credit in the books whose transactions are unknown, and of which this one may be a part: one without a number,
 * or a collective entry that an operator accepted. Answers its external id.
 */
export async function findCovering(tx: Tx, entry: NewEntry): Promise<string | undefined> {
  const [found] = await tx.query<{ externalId: string }>({
    name: 'find covering bank entry',
    text: `select part.external_id as "externalId"
             from svc.bank_entries as entry join svc.bank_entry_parts as part using (bank_entry_id)
            where entry.bank_account_id = $1 and entry.bank_file_id <> $2 and entry.source <> $3
              and entry.untold_count is not null and entry.repeats is null and entry.amount > $4
              and (entry.booking_date = $5::date or entry.value_date = $6::date)
              and exists (select from svc.sightings as sighting
                           where sighting.book = entry.bank_account_id and sighting.external_id = part.external_id)
              and not exists (select from svc.bank_entries as pair where pair.repeats = entry.bank_entry_id)
              and not exists (select from svc.bank_entry_parts as pair
                               where pair.repeats_entry_id = entry.bank_entry_id)
            order by entry.bank_entry_id limit 1`,
    values: [entry.bankAccountId, entry.bankFileId, entry.source, entry.amount, entry.bookingDate, entry.valueDate],
  })
  return found?.externalId
}
