import type { Tx } from '../../../db/database.ts'
import { openEntries } from '../open-store.ts'
import type { EntrySource } from './entry.ts'
import type { NewEntry } from './entry-store.ts'

/** A payment of ours in a file that may have left. */
export type SentItem = {
  reference: string
  amount: string
  currency: string
  bankAccountId: string
  bankFileId: string
}

/** Finds the payments of ours that have one of these references. */
export function findSent(tx: Tx, references: readonly string[]): Promise<SentItem[]> {
  return tx.query<SentItem>({
    name: 'find sent items by reference',
    text: `select distinct on (item.reference, file.bank_account_id) item.reference, item.amount, account.currency,
                  file.bank_account_id as "bankAccountId", file.bank_file_id as "bankFileId"
             from svc.bank_file_items as item join svc.bank_files as file using (bank_file_id)
             join svc.bank_accounts as account on account.bank_account_id = file.bank_account_id
            where item.reference = any($1) and file.status in ('STAGED', 'RELEASED')
            order by item.reference, file.bank_account_id, file.bank_file_id desc`,
    values: [references],
  })
}

export type NewPayment = {
  reference: string
  bankEntryId: string
  externalReference: string
  amount: bigint
  costs: bigint
  valueDate: string | null
}

/** Records that a booked debit paid a reference; false when another entry paid it before. */
export async function insertPayment(tx: Tx, payment: NewPayment): Promise<boolean> {
  const inserted = await tx.query({
    name: 'insert bank payment',
    text: `with changed as (
           insert into svc.bank_payments (reference, bank_entry_id, external_reference, amount, costs, value_date, recorded_at)
           values ($1, $2, $3, $4, $5, $6, svc.now()) on conflict do nothing returning reference, bank_entry_id),
           opened as (${openEntries})
           select reference from changed`,
    values: [
      payment.reference,
      payment.bankEntryId,
      payment.externalReference,
      payment.amount,
      payment.costs,
      payment.valueDate,
    ],
  })
  return inserted.length > 0
}

/** Records payments of ours that a debit names although another message told it in another shape. */
export async function insertTellings(
  tx: Tx,
  bankEntryId: string,
  told: readonly { reference: string; amount: bigint }[],
): Promise<void> {
  await tx.query({
    name: 'insert tellings of bank payments',
    text: `with changed as (
           insert into svc.bank_payment_tellings (bank_entry_id, reference, amount)
           select $1, reference, amount from unnest($2::text[], $3::numeric[]) as told (reference, amount)
               on conflict do nothing returning bank_entry_id)
           ${openEntries}`,
    values: [bankEntryId, told.map(({ reference }) => reference), told.map(({ amount }) => amount)],
  })
}

/** The booked debit that paid a reference, as far as it tells whether another message told it. */
export type Payer = {
  reference: string
  bankEntryId: string
  source: EntrySource
  isBatch: boolean
  amount: string
  bookingDate: string | null
  valueDate: string | null
}

/** Finds the debits that paid these references. */
export function findPayers(tx: Tx, references: readonly string[]): Promise<Payer[]> {
  return tx.query<Payer>({
    name: 'find payers of references',
    text: `select payment.reference, payment.bank_entry_id as "bankEntryId", entry.source, entry.batch_file_id is not null as "isBatch", entry.amount,
                  entry.booking_date::text as "bookingDate", entry.value_date::text as "valueDate"
             from svc.bank_payments as payment join svc.bank_entries as entry using (bank_entry_id)
            where payment.reference = any($1)`,
    values: [references],
  })
}

/** True when the same kind of message has told a debit with one of these references, or of this file, before. */
export async function isToldBefore(
  tx: Tx,
  { bankAccountId, source, referenceHashes }: NewEntry,
  batchFileId: string | null = null,
): Promise<boolean> {
  const told = await tx.query({
    name: 'find debits told before',
    text: `select from svc.bank_entries
            where bank_account_id = $1 and direction = 'DEBIT' and source = $2 and outcome in ('PAYMENT', 'REPEATED')
              and repeats is null and (batch_file_id = $4 or ($4::uuid is null and reference_hashes && $3)) limit 1`,
    values: [bankAccountId, source, referenceHashes, batchFileId],
  })
  return told.length > 0
}

/** An outgoing file of an account, with its payments that the bank has not rejected. */
export type SentBatch = { bankFileId: string; items: { reference: string; amount: string; isPaid: boolean }[] }

/** Finds an outgoing file by the ids that a bank may name it with. */
export async function findBatch(
  tx: Tx,
  bankAccountId: string,
  names: readonly string[],
): Promise<SentBatch | undefined> {
  const [found] = await tx.query<SentBatch>({
    name: 'find sent batch',
    text: `select file.bank_file_id as "bankFileId",
                  coalesce(json_agg(json_build_object('reference', item.reference, 'amount', item.amount::text, 'isPaid',
                    exists (select from svc.bank_payments as payment where payment.reference = item.reference)))
                    filter (where item.bank_status is distinct from 'REJECTED'), '[]') as items
             from svc.bank_files as file join svc.bank_file_items as item using (bank_file_id)
            where file.direction = 'OUTGOING' and file.message_id = any($2) and file.bank_account_id = $1
              and file.status in ('STAGED', 'RELEASED')
            group by file.bank_file_id`,
    values: [bankAccountId, names],
  })
  return found
}

export type OpenBatchEntry = {
  bankEntryId: string
  bankAccountId: string
  amount: string
  messageId: string
  valueDate: string | null
  externalReference: string
  currency: string
}

/** Finds debits that name a file and did not fit it, when the bank's word about its payments has changed. */
export function findOpenBatchEntries(tx: Tx, bankFileId: string): Promise<OpenBatchEntry[]> {
  return tx.query<OpenBatchEntry>({
    name: 'find open batch entries',
    text: `select entry.bank_entry_id as "bankEntryId", entry.bank_account_id as "bankAccountId", entry.amount,
                  entry.currency, file.message_id as "messageId", entry.value_date::text as "valueDate",
                  coalesce(entry.bank_reference, entry.statement_key || ':' || entry.entry_reference) as "externalReference"
             from svc.bank_entries as entry join svc.bank_files as file on file.bank_file_id = entry.batch_file_id
            where entry.batch_file_id = $1 and entry.outcome = 'UNMATCHED'`,
    values: [bankFileId],
  })
}
