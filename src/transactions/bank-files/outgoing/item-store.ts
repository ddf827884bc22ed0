import type { Queryable } from '../../../db/database.ts'
import type { BankItemAnswer } from '../bank-file.ts'

/** A payment of a file, with the bank's word about it. */
export type FileItem = {
  messageId: string
  amount: string
  bankStatus: BankItemAnswer | null
  bankReason: string | null
  isAnswerWhole: boolean
}

/** Reads the items of a payout, in whichever file. */
export function readItems(database: Queryable, payoutId: string): Promise<FileItem[]> {
  return database.query<FileItem>({
    name: 'read items of payout in bank files',
    text: `select file.message_id as "messageId", item.amount, item.bank_status as "bankStatus",
                  item.bank_reason as "bankReason", item.answered_by is null or exists (
                    select from svc.bank_files as answer
                     where answer.bank_file_id = item.answered_by and answer.status = 'APPLIED') as "isAnswerWhole"
             from svc.bank_file_items as item join svc.bank_files as file using (bank_file_id)
            where item.payout_id = $1`,
    values: [payoutId],
  })
}

/** The former files of a payout: how many the bank rejected, and whether one of them may be paid. */
export type FormerFiles = { payoutId: string; rejections: number; rejectedAt: Date | null; mayBePaid: boolean }

export function readFormerFiles(database: Queryable, payoutIds: readonly string[]): Promise<FormerFiles[]> {
  return database.query<FormerFiles>({
    name: 'read former bank files of payouts',
    text: `select item.payout_id as "payoutId",
                  count(*) filter (where file.bank_status = 'REJECTED')::int as rejections,
                  max(file.answered_at) filter (where file.bank_status = 'REJECTED') as "rejectedAt",
                  bool_or(file.bank_status is distinct from 'REJECTED' or coalesce(item.bank_status, '') in ('SETTLED', 'DISPUTED')
                    or exists (select from svc.bank_payments as payment where payment.reference = item.reference))
                    as "mayBePaid"
             from svc.bank_file_items as item join svc.bank_files as file using (bank_file_id)
            where item.payout_id = any($1) and file.status in ('STAGED', 'RELEASED')
            group by item.payout_id`,
    values: [payoutIds],
  })
}

/** True when a former file of a payment in this one may be paid: nothing of this one may leave then. */
export async function mayBePaidBefore(database: Queryable, bankFileId: string): Promise<boolean> {
  const [paid] = await database.query({
    name: 'find former bank file that may be paid',
    text: `select from svc.bank_file_items as item
             join svc.bank_file_items as former
               on former.payout_id = item.payout_id and former.bank_file_id <> item.bank_file_id
             join svc.bank_files as file on file.bank_file_id = former.bank_file_id
            where item.bank_file_id = $1 and file.status in ('STAGED', 'RELEASED')
              and (file.bank_status is distinct from 'REJECTED' or former.bank_status in ('SETTLED', 'DISPUTED')
                   or exists (select from svc.bank_payments as payment where payment.reference = former.reference))
            limit 1`,
    values: [bankFileId],
  })
  return paid !== undefined
}

/** True while a payment of this file pays money that a bank wants back. */
export async function isRecalled(database: Queryable, bankFileId: string): Promise<boolean> {
  const recalled = await database.query({
    name: 'find recalled payment of bank file',
    text: `with paid as materialized (
             select payout.organization_id, payout.payout_id from svc.bank_file_items as item
               join svc.payouts as payout on payout.payout_id = item.payout_id
              where item.bank_file_id = $1)
           select payout_id from svc.recalled_payouts(array(select organization_id from paid order by payout_id),
                  array(select payout_id from paid order by payout_id)) limit 1`,
    values: [bankFileId],
  })
  return recalled.length > 0
}

export type BookedPayment = {
  externalReference: string
  amount: string
  costs: string
  currency: string
  valueDate: string | null
}

/** Finds the booked debit that paid a reference. */
export async function findPayment(database: Queryable, reference: string): Promise<BookedPayment | undefined> {
  const [found] = await database.query<BookedPayment>({
    name: 'find bank payment',
    text: `select payment.external_reference as "externalReference", payment.amount, payment.costs, entry.currency,
                  payment.value_date::text as "valueDate"
             from svc.bank_payments as payment join svc.bank_entries as entry using (bank_entry_id)
            where payment.reference = $1`,
    values: [reference],
  })
  return found
}

export type BookedReturn = { returnId: string; amount: string; reason: string; valueDate: string | null }

export function readReturns(database: Queryable, reference: string): Promise<BookedReturn[]> {
  return database.query<BookedReturn>({
    name: 'read bank returns',
    text: `select return_id as "returnId", amount, reason, value_date::text as "valueDate"
             from svc.bank_returns where reference = $1 order by recorded_at, return_id`,
    values: [reference],
  })
}
