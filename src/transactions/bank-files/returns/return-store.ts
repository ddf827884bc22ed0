import type { Tx } from '../../../db/database.ts'
import { openEntries } from '../open-store.ts'

export type KnownReturn = {
  returnId: string
  amount: string
  reason: string
  valueDate: string | null
  messageReturnId: string | null
  messageAmount: string | null
  bankEntryId: string | null
  creditedAmount: string | null
}

/** Lists the returns of a reference that are recorded. The lock of the recording keeps others away. */
export function readKnownReturns(tx: Tx, reference: string): Promise<KnownReturn[]> {
  return tx.query<KnownReturn>({
    name: 'read known bank returns',
    text: `select return_id as "returnId", amount, reason, value_date::text as "valueDate",
                  message_return_id as "messageReturnId", message_amount as "messageAmount",
                  bank_entry_id as "bankEntryId", credited_amount as "creditedAmount"
             from svc.bank_returns where reference = $1 order by recorded_at, return_id`,
    values: [reference],
  })
}

/** Takes over the returns that an operator has let count for the payout of a reference. */
export async function adoptRedirected(tx: Tx, rail: string, reference: string): Promise<void> {
  await tx.query({
    name: 'adopt redirected returns',
    text: `with changed as (
           insert into svc.bank_returns (reference, return_id, amount, reason, value_date, message_return_id,
                  message_amount, bank_entry_id, credited_amount, recorded_at)
           select distinct on (report.content->>'returnId') $2, report.content->>'returnId',
                  (report.content->>'amount')::numeric, report.content->>'reason',
                  (report.content->>'valueDate')::date,
                  case when report.content->>'entryId' is null then report.content->>'returnId' end,
                  case when report.content->>'entryId' is null then (report.content->>'amount')::numeric end,
                  (report.content->>'entryId')::uuid,
                  case when report.content->>'entryId' is not null then (report.content->>'amount')::numeric end, svc.now()
             from svc.rail_reports as report
             join svc.bank_file_items as item on item.payout_id = report.redirected_to
             join svc.bank_files as file using (bank_file_id)
             join svc.bank_accounts as account on account.bank_account_id = file.bank_account_id
            where report.rail = $1 and item.reference = $2 and report.content->>'state' = 'RETURNED'
              and report.content->>'currency' = account.currency
            order by report.content->>'returnId', report.received_at
               on conflict do nothing returning bank_entry_id)
           ${openEntries}`,
    values: [rail, reference],
  })
}

/** Finds the reference of a payout in a currency; undefined when no file of ours has carried it. */
export async function findReference(tx: Tx, payoutId: string, currency: string): Promise<string | undefined> {
  const [item] = await tx.query<{ reference: string }>({
    name: 'find reference of payout in bank files',
    text: `select item.reference from svc.bank_file_items as item join svc.bank_files as file using (bank_file_id)
             join svc.bank_accounts as account on account.bank_account_id = file.bank_account_id
            where item.payout_id = $1 and account.currency = $2 limit 1`,
    values: [payoutId, currency],
  })
  return item?.reference
}

export type Message = { messageReturnId: string; messageAmount: bigint }
export type Entry = { bankEntryId: string; creditedAmount: bigint }

export type NewReturn = {
  reference: string
  returnId: string
  amount: bigint
  reason: string
  valueDate: string | null
} & {
  message: Message | null
  entry: Entry | null
}

export async function insertReturn(tx: Tx, told: NewReturn): Promise<void> {
  await tx.query({
    name: 'insert bank return',
    text: `with changed as (
           insert into svc.bank_returns (reference, return_id, amount, reason, value_date, message_return_id,
                  message_amount, bank_entry_id, credited_amount, recorded_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, svc.now()) returning bank_entry_id)
           ${openEntries}`,
    values: [
      told.reference,
      told.returnId,
      told.amount,
      told.reason,
      told.valueDate,
      told.message?.messageReturnId ?? null,
      told.message?.messageAmount ?? null,
      told.entry?.bankEntryId ?? null,
      told.entry?.creditedAmount ?? null,
    ],
  })
}

/** Records which message and which entry tell a return. */
export async function pairReturn(
  tx: Tx,
  reference: string,
  returnId: string,
  { message, entry }: Pick<NewReturn, 'message' | 'entry'>,
): Promise<void> {
  await tx.query({
    name: 'pair bank return',
    text: `with former as (select bank_entry_id from svc.bank_returns where reference = $1 and return_id = $2),
           paired as (update svc.bank_returns
              set message_return_id = $3, message_amount = $4, bank_entry_id = $5, credited_amount = $6
            where reference = $1 and return_id = $2 returning bank_entry_id),
           changed as (select bank_entry_id from former union select bank_entry_id from paired)
           ${openEntries}`,
    values: [
      reference,
      returnId,
      message?.messageReturnId ?? null,
      message?.messageAmount ?? null,
      entry?.bankEntryId ?? null,
      entry?.creditedAmount ?? null,
    ],
  })
}
