import type { Queryable, Tx } from '../../../db/database.ts'
import type { EntryOutcome, EntrySource, KnownEntry } from './entry.ts'
import type { EntryIdentity } from './identity.ts'

export type NewEntry = EntryIdentity & {
  bankEntryId: string
  bankFileId: string
  bankAccountId: string
  source: EntrySource
  statementKey: string
  position: number
  entryReference: string
  direction: 'CREDIT' | 'DEBIT'
  isReversal: boolean
  amount: bigint
  currency: string
  bookingDate: string | null
  valueDate: string | null
  /** The number of its transactions. */
  partCount: number
}

/** Finds entries that may be the same: by the bank's reference, by details, or by amount and day. The best comes first. */
export function findSimilar(tx: Tx, entry: NewEntry): Promise<KnownEntry[]> {
  return tx.query<KnownEntry>({
    name: 'find similar bank entries',
    text: `with candidates as (
           select entry.bank_entry_id as "bankEntryId", entry.bank_file_id as "bankFileId", entry.source,
                  entry.statement_key as "statementKey", entry.entry_reference as "entryReference", entry.position,
                  entry.part_count as "partCount", entry.bank_reference as "bankReference", entry.amount, entry.external_id as "externalId",
                  entry.fingerprint = $6 as "isSameFingerprint", entry.reference_hashes && $7 as "sharesReference",
                  coalesce(entry.end_to_end_hash <> $10, false) as "isOtherPayment",
                  coalesce(entry.booking_date = $8, entry.value_date = $9, true) as "isSameDay",
                  exists (select from svc.bank_entries as pair where pair.repeats = entry.bank_entry_id)
                  or exists (select from svc.bank_entry_parts as pair where pair.repeats_entry_id = entry.bank_entry_id)
                  as "isPaired"
             from svc.bank_entries as entry
            where entry.bank_account_id = $1 and entry.direction = $2 and entry.is_reversal = $3 and entry.repeats is null
              and (entry.bank_reference = $4 or (entry.amount = $5 and entry.bank_file_id <> $11
                   and (entry.bank_reference is null or $4::text is null)
                   and not coalesce(entry.end_to_end_hash <> $10, false)
                   and (entry.fingerprint = $6 or entry.reference_hashes && $7
                        or coalesce(entry.booking_date = $8, entry.value_date = $9, true)))))
           select "bankEntryId", "bankFileId", source, "statementKey", "entryReference", position, "partCount",
                  "bankReference", amount, "externalId", "isSameFingerprint", "sharesReference", "isOtherPayment",
                  "isSameDay", "isPaired"
             from candidates
            where "bankReference" = $4 or not "isPaired" or "isSameFingerprint" or "sharesReference"
            order by coalesce("bankReference" = $4, false) desc, "statementKey" = $13 and position = $14 desc,
                     "isPaired" or source = $12, "isSameFingerprint" desc, "sharesReference" desc, "isSameDay" desc,
                     "bankEntryId" limit 200`,
    values: [
      entry.bankAccountId,
      entry.direction,
      entry.isReversal,
      entry.bankReference,
      entry.amount,
      entry.fingerprint,
      entry.referenceHashes,
      entry.bookingDate,
      entry.valueDate,
      entry.endToEndHash,
      entry.bankFileId,
      entry.source,
      entry.statementKey,
      entry.position,
    ],
  })
}

export type EntryMeaning = {
  outcome: EntryOutcome
  repeats?: string
  reverses?: { bankEntryId: string; place: number }
  reason?: string
  externalId?: string
  batchFileId?: string
  /** Follows once the entry is stored. */
  after?: readonly (() => Promise<unknown>)[]
}

export async function insertEntry(tx: Tx, entry: NewEntry, meaning: EntryMeaning): Promise<void> {
  await tx.query({
    name: 'insert bank entry',
    text: `insert into svc.bank_entries (bank_entry_id, bank_file_id, bank_account_id, source, statement_key, position,
                  entry_reference, bank_reference, reference_hashes, direction, is_reversal, amount, currency,
                  booking_date, value_date, fingerprint, outcome, repeats, reverses, reason, external_id, batch_file_id,
                  end_to_end_hash, part_count, reverses_place, recorded_at, due_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
                  $23, $24, $25, svc.now(), case when $17 = 'REVERSING' then svc.now() end)`,
    values: [
      entry.bankEntryId,
      entry.bankFileId,
      entry.bankAccountId,
      entry.source,
      entry.statementKey,
      entry.position,
      entry.entryReference,
      entry.bankReference,
      entry.referenceHashes,
      entry.direction,
      entry.isReversal,
      entry.amount,
      entry.currency,
      entry.bookingDate,
      entry.valueDate,
      entry.fingerprint,
      meaning.outcome,
      meaning.repeats ?? null,
      meaning.reverses?.bankEntryId ?? null,
      meaning.reason ?? null,
      meaning.externalId ?? null,
      meaning.batchFileId ?? null,
      entry.endToEndHash,
      entry.partCount,
      meaning.reverses?.place ?? null,
    ],
  })
}

export async function moveEntry(
  database: Queryable,
  bankEntryId: string,
  from: EntryOutcome,
  to: EntryOutcome,
): Promise<boolean> {
  const moved = await database.query({
    name: 'move bank entry',
    text: `update svc.bank_entries set outcome = $3, due_at = null where bank_entry_id = $1 and outcome = $2 returning bank_entry_id`,
    values: [bankEntryId, from, to],
  })
  return moved.length > 0
}

export type ReversingEntry = {
  bankEntryId: string
  bankAccountId: string
  amount: string
  reason: string
  externalId: string
  identity: string
}

/** Lists entries that take a deposit back and are due, the longest due first. */
export function listReversing(database: Queryable, limit: number): Promise<ReversingEntry[]> {
  return database.query<ReversingEntry>({
    name: 'list reversing bank entries',
    text: `select entry.bank_entry_id as "bankEntryId", entry.bank_account_id as "bankAccountId", entry.amount,
                  coalesce(entry.reason, 'reversed') as reason, reversed.external_id as "externalId",
                  coalesce(entry.bank_reference, entry.statement_key || ':' || entry.position) as identity
             from svc.bank_entries as entry
             join svc.bank_entry_parts as reversed on reversed.bank_entry_id = entry.reverses
              and reversed.place = entry.reverses_place
            where entry.outcome = 'REVERSING' and entry.due_at <= svc.now()
            order by entry.due_at, entry.bank_entry_id limit $1`,
    values: [limit],
  })
}

/** Lets a reversal wait for its deposit, each time longer. After a day it is for an operator. */
export async function postponeReversing(database: Queryable, bankEntryId: string): Promise<void> {
  await database.query({
    name: 'postpone reversing bank entry',
    text: `update svc.bank_entries
              set outcome = case when svc.now() - recorded_at > interval '1 day' then 'UNMATCHED' else outcome end,
                  due_at = case when svc.now() - recorded_at <= interval '1 day' then svc.now()
                    + greatest(interval '0.2 seconds', least(svc.now() - recorded_at, interval '10 minutes')) end
            where bank_entry_id = $1 and outcome = 'REVERSING'`,
    values: [bankEntryId],
  })
}
