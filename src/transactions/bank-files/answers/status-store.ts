import type { Tx } from '../../../db/database.ts'
import type { BankFileAnswer, BankItemAnswer } from '../bank-file.ts'
import type { PaymentStatusRecord } from '../formats.ts'
import type { Firmness } from './firmness.ts'

type Amount = NonNullable<PaymentStatusRecord['amount']>

/** The bank's word, and the message that tells it. */
export type BankWord<Status> = {
  status: Status
  reason: string | null
  answeredBy: string
  /** The bank's own time of the message; see `bankTimeOf`. */
  saidAt: string | null
  firmness: Firmness
}

/** True when the bank said `first` before `second` by its own clock; false when the two cannot be compared. */
const isBefore = (first: string, second: string) =>
  `coalesce((${first} like '%Z') = (${second} like '%Z') and ${first} collate "C" < ${second}, false)`

/** True when a word disputes nothing that was rejected then: a receipt, or a word that is older than the rejection. */
const isHarmless = (saidAt: string, firmness: string, rejectedAt: string) =>
  `(${firmness} = 'RECEIPT' or ${isBefore(saidAt, rejectedAt)}
    or (${firmness} = 'WAITING' and not ${isBefore(rejectedAt, saidAt)}))`

/**
 * Records the bank's word about a file; the former word when it stays. An acceptance after a rejection, by the bank's own
 * clock, makes it DISPUTED. It is no rejection when some of the file is paid, and does not count for payments that the same
 * message accepts.
 */
export async function recordFileStatus(
  tx: Tx,
  messageId: string,
  { status, reason, answeredBy, saidAt, firmness }: BankWord<BankFileAnswer>,
): Promise<{ bankFileId: string; bankStatus: BankFileAnswer | null } | undefined> {
  const [changed] = await tx.query<{ bankFileId: string; bankStatus: BankFileAnswer | null }>({
    name: 'record bank status of file',
    text: `with told as (
             select file.bank_file_id, case when $2 = 'REJECTED' and exists (
                      select from svc.bank_file_items as item
                       where item.bank_file_id = file.bank_file_id and (item.bank_status = 'SETTLED' or exists (
                             select from svc.bank_payments as payment where payment.reference = item.reference)))
                    then 'PENDING'
                    when file.bank_status = 'REJECTED' and $2 not in ('REJECTED', 'DUPLICATE')
                    then case when ${isHarmless('$5', '$6', 'file.said_at')} then 'REJECTED' else 'DISPUTED' end
                    when $2 = 'REJECTED' and file.bank_status in ('ACCEPTED', 'PARTIAL') and ${isBefore('$5', 'file.said_at')}
                    then 'DISPUTED' else $2 end as word
               from svc.bank_files as file
              where file.direction = 'OUTGOING' and file.message_id = $1 and file.status in ('STAGED', 'RELEASED')),
           changed as (
             update svc.bank_files as file
                set bank_status = told.word, bank_reason = $3, answered_by = $4, answered_at = svc.now(),
                    said_at = case when $6 = 'RECEIPT' then null else $5::text end, changed_at = svc.now()
               from told
              where file.bank_file_id = told.bank_file_id
                and (file.bank_status is null or file.bank_status not in ('DUPLICATE', 'DISPUTED', 'REJECTED')
                     or told.word = 'DUPLICATE' or (file.bank_status = 'REJECTED' and told.word = 'DISPUTED'))
          returning file.bank_file_id, file.bank_status),
           disputed as (
             update svc.bank_file_items as item set bank_status = 'DISPUTED'
               from told
              where item.bank_file_id = told.bank_file_id and told.word = 'REJECTED' and $2 = 'REJECTED'
                and (item.answered_by = $4 or ${isBefore('$5', 'item.said_at')})
                and item.bank_status in ('ACCEPTED', 'PENDING'))
           select told.bank_file_id as "bankFileId", coalesce(changed.bank_status, file.bank_status) as "bankStatus"
             from told join svc.bank_files as file using (bank_file_id) left join changed using (bank_file_id)`,
    values: [messageId, status, reason, answeredBy, saidAt, firmness],
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
 * Records the bank's word about a payment of a file; undefined when the file has no such payment. Its word that the payment
 * is settled stays. An acceptance of what it rejected before, alone or with the file, makes it DISPUTED.
 */
export async function recordItemStatus(
  tx: Tx,
  { messageId, reference, amount }: { messageId: string; reference: string; amount: Amount | null },
  { status, reason, answeredBy, saidAt, firmness }: BankWord<BankItemAnswer>,
): Promise<{ bankFileId: string; bankStatus: BankItemAnswer | null } | undefined> {
  const [changed] = await tx.query<{ bankFileId: string; bankStatus: BankItemAnswer | null }>({
    name: 'record bank status of item',
    text: `with told as (
             select item.bank_file_id, item.place,
                    case when coalesce(item.bank_status, '') in ('SETTLED', 'DISPUTED') then item.bank_status
                         when $4 <> 'REJECTED' and 'REJECTED' in (item.bank_status, file.bank_status)
                         then case when $4 <> 'SETTLED' and ${isHarmless('$8', '$9', `case when item.bank_status = 'REJECTED' then item.said_at else file.said_at end`)}
                              then coalesce(item.bank_status, $4) else 'DISPUTED' end
                         when $4 = 'REJECTED' and item.bank_status = 'ACCEPTED' and ${isBefore('$8', 'item.said_at')}
                         then 'DISPUTED' else $4 end as word
               from svc.bank_file_items as item join svc.bank_files as file using (bank_file_id)
              where file.direction = 'OUTGOING' and file.message_id = $1 and file.status in ('STAGED', 'RELEASED')
                and item.reference = $2
                and ($3::numeric is null or (item.amount = $3 and file.currency = $7))),
           changed as (
             update svc.bank_file_items as item
                set bank_status = told.word, bank_reason = $5, answered_by = $6,
                    said_at = case when $9 = 'RECEIPT' then null else $8::text end
               from told
              where item.bank_file_id = told.bank_file_id and item.place = told.place
                and item.bank_status is distinct from told.word)
           select bank_file_id as "bankFileId", word as "bankStatus" from told`,
    values: [
      messageId,
      reference,
      amount?.units ?? null,
      status,
      reason,
      answeredBy,
      amount?.currency ?? null,
      saidAt,
      firmness,
    ],
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
