import type { Queryable, Tx } from '../../../db/database.ts'
import { openEntries } from '../open-store.ts'
import { compareTraits, type TraitMatches, type Traits } from '../recognition/traits.ts'
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
  /** The number of transactions that the message does not tell; see `untoldCountOf`. */
  untoldCount: number | null
}

/** Compares an identifier with that of the entry that is told now; see `Match`. */
export const matchOf = (column: string, value: string) =>
  `case when ${column} = ${value} then 'SAME' when ${column} <> ${value} then 'OTHER' end`

/** Compares end-to-end ids with each other, and batch ids with each other: their hashes differ in length. */
const endToEndMatch = `case when entry.end_to_end_hash = $10 then 'SAME'
                       when octet_length(entry.end_to_end_hash) = octet_length($10) then 'OTHER' end`

/** Whether another message, or another entry of this statement, has told a known entry, too. */
const pairing = `entry.repeats is not null
    or exists (select from svc.bank_entries as pair where pair.repeats = entry.bank_entry_id)
    or exists (select from svc.bank_entry_parts as pair where pair.repeats_entry_id = entry.bank_entry_id) as "isPaired",
  exists (select from svc.bank_entries as pair where pair.repeats = coalesce(entry.repeats, entry.bank_entry_id)
             and pair.bank_file_id = $11 and pair.statement_key = $13) as "isToldHere"`

/**
 * True for an entry of the same day unless its payer, text or receiver differs. A payer is the same by account or name. A
 * collective entry that waits for its transactions is no money yet, and holds none of them back.
 */
const isUncontradicted = `not (entry.untold_count is not null and entry.outcome = 'QUARANTINED')
    and coalesce(entry.booking_date = $8::date, entry.value_date = $9::date, true)
    and coalesce(entry.trait_hashes[3] = ($20::bytea[])[3], true)
    and coalesce(entry.trait_hashes[4] = ($20::bytea[])[4], true)
    and (coalesce(entry.trait_hashes[1] = ($20::bytea[])[1], entry.trait_hashes[2] = ($20::bytea[])[2], true)
         or coalesce(entry.trait_hashes[2] = ($20::bytea[])[2], false))`

/** A credit that is told alike by the other kind of message: a bank may number the two kinds separately. */
const otherNumbering = `($2 = 'CREDIT' and not $3 and entry.source <> $12
    and (entry.end_to_end_hash = $10 or entry.fingerprint = $6 or entry.trait_hashes && $20 or (${isUncontradicted})))`

/** Finds entries that may be the same: by identifiers, by place, by details, or by amount and day. The best comes first. */
export async function findSimilar(tx: Tx, entry: NewEntry): Promise<KnownEntry[]> {
  const found = await tx.query<Omit<KnownEntry, keyof TraitMatches> & { traits: Traits }>({
    name: 'find similar bank entries',
    text: `with candidates as (
           select coalesce(entry.repeats, entry.bank_entry_id) as "bankEntryId", entry.bank_entry_id as told_id,
                  entry.amount = $5 as "isSameAmount", entry.source = $12 as "isSameSource",
                  entry.bank_file_id = $11 and entry.statement_key = $13 as "isSameStatement",
                  entry.source = $12 and entry.statement_key = $13 and coalesce(entry.entry_reference = $17, false)
                    as "isSameEntry",
                  entry.source = $12 and entry.statement_key = $13 and entry.position = $14 as "isSamePosition",
                  coalesce(entry.entry_reference = $17, false) as "isSameEntryReference",
                  coalesce(entry.booking_date = $8::date, entry.value_date = $9::date, true) as "isSameDay",
                  coalesce(abs(entry.booking_date - $8::date) <= 5, abs(entry.value_date - $9::date) <= 5, true) as "isNear",
                  ${pairing},
                  $3::boolean or entry.is_reversal as "isGivenBack",
                  case when entry.is_reversal and not $3 then 'KNOWN' when $3 and not entry.is_reversal then 'NEW' end
                  as "onlyMarked", ${matchOf('entry.bank_reference', '$4')} as "bankReference",
                  ${matchOf('entry.uetr_hash', '$18')} as uetr, ${matchOf('entry.transaction_hash', '$19')} as "transactionId",
                  ${endToEndMatch} as "endToEndId", entry.network_hashes && $7 as "sharesNetworkId",
                  coalesce(entry.end_to_end_hash = $10, false)
                    and (entry.payer_hash = $16 or $2 = 'DEBIT' or $3) as "isNamed",
                  entry.fingerprint = $6 as "sharesTexts", entry.trait_hashes as traits
             from svc.bank_entries as entry
            where entry.bank_account_id = $1 and entry.direction = $2
              and (entry.is_reversal = $3 or entry.bank_reference = $4 or entry.uetr_hash = $18)
              -- An entry that tells its transactions is compared with those, not with one that does not.
              and (coalesce(entry.untold_count, 0) = 0 or $15::integer is not null)
              and (entry.bank_reference = $4 or entry.network_hashes && $7
                   or (entry.statement_key = $13 and entry.entry_reference = $17)
                   or (entry.amount = $5 and (entry.bank_file_id <> $11 or entry.statement_key <> $13)
                       and (entry.bank_reference is null or $4::text is null or ${otherNumbering})
                       and ${endToEndMatch} is distinct from 'OTHER'
                       and coalesce(abs(entry.booking_date - $8::date) <= 5, abs(entry.value_date - $9::date) <= 5, true))))
           select "bankEntryId", "isSameAmount", "isSameSource", "isSameStatement", "isSameEntry", "isSamePosition",
                  "isSameEntryReference", "isSameDay", "isNear", "isPaired", "isToldHere", "isGivenBack", "onlyMarked", "bankReference",
                  uetr, "transactionId", "endToEndId", "sharesNetworkId", "isNamed", "sharesTexts", traits,
                  root.external_id as "externalId", root.outcome,
                  root.is_doubtful as "isDoubtful"
             from candidates join svc.bank_entries as root on root.bank_entry_id = "bankEntryId"
            where "bankReference" = 'SAME' or "sharesNetworkId" or "isSameEntry" or "isSamePosition" or not "isPaired" or "sharesTexts"
               or "endToEndId" = 'SAME'
            order by coalesce("bankReference" = 'SAME', false) or "sharesNetworkId" desc,
                     "isSameEntry" or "isSamePosition" desc, "isPaired" or "isSameSource", "sharesTexts" desc,
                     "isNamed" desc, "isSameDay" desc, told_id limit 200`,
    values: [
      entry.bankAccountId,
      entry.direction,
      entry.isReversal,
      entry.bankReference,
      entry.amount,
      entry.fingerprint,
      entry.networkHashes,
      entry.bookingDate,
      entry.valueDate,
      entry.endToEndHash,
      entry.bankFileId,
      entry.source,
      entry.statementKey,
      entry.position,
      entry.untoldCount,
      entry.payerHash,
      entry.statedReference,
      entry.uetrHash,
      entry.transactionHash,
      entry.traits,
    ],
  })
  return found.map(({ traits, ...known }) => ({ ...known, ...compareTraits(traits, entry.traits) }))
}

/**
 * Names an entry: by the bank's reference, else by its place, made distinct when another one has that name. Each booked
 * fact has a name of its own, so that a reversal touches only its own deposit.
 */
export async function nameEntry(tx: Tx, entry: NewEntry): Promise<string> {
  const { bankAccountId, bankEntryId, direction, isReversal } = entry
  const name = entry.bankReference ?? `${entry.statementKey}:${entry.position}`
  const taken = await tx.query({
    name: 'find bank entry by its name',
    text: `select from svc.bank_entries
            where bank_account_id = $1 and external_id = $2 and direction = $3 and is_reversal = $4
            union all
           select from svc.sightings
            where book = $1 and asset not like '%/%' and $3 = 'CREDIT' and not $4
              and external_id in (select $2 union all select $2 || '/' || place from generate_series(1, $5::integer) as place)
            limit 1`,
    values: [bankAccountId, name, direction, isReversal, entry.partCount],
  })
  return taken.length === 0 ? name : `${name}@${bankEntryId}`
}

export type EntryMeaning = {
  outcome: EntryOutcome
  repeats?: string
  reason?: string
  externalId?: string
  batchFileId?: string
  /** It may be another telling of a known entry. */
  isDoubtful?: boolean
  /** Follows once the entry is stored. */
  after?: readonly (() => Promise<unknown>)[]
}

export async function insertEntry(tx: Tx, entry: NewEntry, meaning: EntryMeaning): Promise<void> {
  await tx.query({
    name: 'insert bank entry',
    text: `with written as (
           insert into svc.bank_entries (bank_entry_id, bank_file_id, bank_account_id, source, statement_key, position,
                  entry_reference, bank_reference, reference_hashes, direction, is_reversal, amount, currency,
                  booking_date, value_date, fingerprint, outcome, repeats, reason, external_id, batch_file_id,
                  end_to_end_hash, part_count, untold_count, network_hashes, uetr_hash, transaction_hash, payer_hash,
                  is_doubtful, trait_hashes, recorded_at, due_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
                  $23, $24, $25, $26, $27, $28, $29, $30, svc.now(), case when $17 = 'REVERSING' then svc.now() end))
           insert into svc.open_entries (bank_account_id, bank_entry_id) values ($3, $1)`,
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
      meaning.reason ?? null,
      meaning.externalId ?? null,
      meaning.batchFileId ?? null,
      entry.endToEndHash,
      entry.partCount,
      entry.untoldCount,
      entry.networkHashes,
      entry.uetrHash,
      entry.transactionHash,
      entry.payerHash,
      meaning.isDoubtful ?? false,
      entry.traits,
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
    text: `with changed as (
           update svc.bank_entries set outcome = $3, due_at = null where bank_entry_id = $1 and outcome = $2
           returning bank_entry_id),
           opened as (${openEntries})
           select bank_entry_id from changed`,
    values: [bankEntryId, from, to],
  })
  return moved.length > 0
}

/**
 * Lets an entry, and those that repeat it, repeat a later one that has its meaning: a comparison names the booking by what
 * the first of its tellings knows.
 */
export async function repeatEntry(tx: Tx, bankEntryId: string, repeats: string): Promise<void> {
  await tx.query({
    name: 'repeat bank entry',
    text: `with changed as (
           update svc.bank_entries set repeats = $2 where bank_entry_id = $1 or repeats = $1 returning bank_entry_id)
           ${openEntries}`,
    values: [bankEntryId, repeats],
  })
}
