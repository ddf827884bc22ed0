import type { Tx } from '../../../db/database.ts'
import type { BankFileAnswer, BankItemAnswer } from '../bank-file.ts'

/** The bank's word, and the message that tells it. */
export type BankWord<Status> = { status: Status; reason: string | null; answeredBy: string }

/**
 * Records the bank's word about a file; the former word when it stays. A rejection is final, unless the bank says that it
 * has the file already. It is no rejection when some of the file is paid.
 */
export async function recordFileStatus(
  tx: Tx,
  messageId: string,
  { status, reason, answeredBy }: BankWord<BankFileAnswer>,
): Promise<{ bankFileId: string; bankStatus: BankFileAnswer | null } | undefined> {
  const [changed] = await tx.query<{ bankFileId: string; bankStatus: BankFileAnswer | null }>({
    name: 'record bank status of file',
    text: `with told as (
             select file.bank_file_id, case when $2 = 'REJECTED' and exists (
                      select from svc.bank_file_items as item
                       where item.bank_file_id = file.bank_file_id and (item.bank_status = 'SETTLED' or exists (
                             select from svc.bank_payments as payment where payment.reference = item.reference)))
                    then 'PENDING' else $2 end as word
               from svc.bank_files as file
              where file.direction = 'OUTGOING' and file.message_id = $1 and file.status in ('STAGED', 'RELEASED')),
           changed as (
             update svc.bank_files as file
                set bank_status = told.word, bank_reason = $3, answered_by = $4, answered_at = svc.now(),
                    changed_at = svc.now()
               from told
              where file.bank_file_id = told.bank_file_id and file.bank_status is distinct from 'DUPLICATE'
                and (file.bank_status is distinct from 'REJECTED' or told.word = 'DUPLICATE')
          returning file.bank_file_id, file.bank_status)
           select told.bank_file_id as "bankFileId", coalesce(changed.bank_status, file.bank_status) as "bankStatus"
             from told join svc.bank_files as file using (bank_file_id) left join changed using (bank_file_id)`,
    values: [messageId, status, reason, answeredBy],
  })
  return changed
}

/** Records the bank's word that it has settled all payments of a file that it did not reject. */
export async function settleItems(tx: Tx, bankFileId: string, answeredBy: string): Promise<void> {
  await tx.query({
    name: 'settle items of bank file',
    text: `update svc.bank_file_items set bank_status = 'SETTLED', answered_by = $2
            where bank_file_id = $1 and bank_status is distinct from 'REJECTED'`,
    values: [bankFileId, answeredBy],
  })
}

/** Counts the rejected files of the payment in this file that the bank has rejected most often. */
export async function countRejections(tx: Tx, bankFileId: string): Promise<number> {
  const [counted] = await tx.query<{ rejections: number }>({
    name: 'count rejections of bank file',
    text: `select coalesce(max(rejected.count), 0)::int as rejections
             from (select count(*) from svc.bank_file_items as item
                     join svc.bank_file_items as other using (payout_id)
                     join svc.bank_files as file on file.bank_file_id = other.bank_file_id
                    where item.bank_file_id = $1 and file.bank_status = 'REJECTED'
                    group by item.payout_id) as rejected`,
    values: [bankFileId],
  })
  return counted?.rejections ?? 0
}

/**
 * Records the bank's word about a payment of a file; undefined when the file has no such payment. Its first word that the
 * payment is rejected or settled stays, unless it says that it has the payment already.
 */
export async function recordItemStatus(
  tx: Tx,
  { messageId, reference, amount }: { messageId: string; reference: string; amount: bigint | null },
  { status, reason, answeredBy, isDuplicated }: BankWord<BankItemAnswer> & { isDuplicated: boolean },
): Promise<{ bankFileId: string; bankStatus: BankItemAnswer | null } | undefined> {
  const [changed] = await tx.query<{ bankFileId: string; bankStatus: BankItemAnswer | null }>({
    name: 'record bank status of item',
    text: `with told as (
             select item.bank_file_id, item.place, item.bank_status,
                    item.bank_status is distinct from 'SETTLED'
                    and ($7 or item.bank_status is distinct from 'REJECTED') as is_new
               from svc.bank_file_items as item join svc.bank_files as file using (bank_file_id)
              where file.direction = 'OUTGOING' and file.message_id = $1 and file.status in ('STAGED', 'RELEASED')
                and item.reference = $2 and ($3::numeric is null or item.amount = $3)),
           changed as (
             update svc.bank_file_items as item set bank_status = $4, bank_reason = $5, answered_by = $6
               from told where item.bank_file_id = told.bank_file_id and item.place = told.place and told.is_new)
           select bank_file_id as "bankFileId", case when is_new then $4 else bank_status end as "bankStatus" from told`,
    values: [messageId, reference, amount, status, reason, answeredBy, isDuplicated],
  })
  return changed
}

export async function listReferences(tx: Tx, bankFileId: string): Promise<string[]> {
  const items = await tx.query<{ reference: string }>({
    name: 'list references of bank file',
    text: 'select reference from svc.bank_file_items where bank_file_id = $1 order by place',
    values: [bankFileId],
  })
  return items.map(({ reference }) => reference)
}

export type NewChange = {
  changeId: string
  bankFileId: string
  reference: string
  code: string
  sealedCorrection: Buffer
}

export async function insertChange(tx: Tx, change: NewChange): Promise<void> {
  await tx.query({
    name: 'insert bank change',
    text: `insert into svc.bank_changes (change_id, bank_file_id, reference, code, sealed_correction, recorded_at)
           values ($1, $2, $3, $4, $5, svc.now()) on conflict do nothing`,
    values: [change.changeId, change.bankFileId, change.reference, change.code, change.sealedCorrection],
  })
}
