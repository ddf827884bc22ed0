import type { Tx } from '../../../db/database.ts'
import type { BankFileAnswer, BankItemAnswer } from '../bank-file.ts'

/** Records the bank's word about a file; the former word when it stays. A rejection is final. */
export async function recordFileStatus(
  tx: Tx,
  messageId: string,
  status: BankFileAnswer,
  reason: string,
): Promise<{ bankFileId: string; bankStatus: BankFileAnswer | null } | undefined> {
  const [changed] = await tx.query<{ bankFileId: string; bankStatus: BankFileAnswer | null }>({
    name: 'record bank status of file',
    text: `update svc.bank_files
              set bank_status = case when bank_status in ('REJECTED', 'DUPLICATE') then bank_status else $2 end,
                  bank_reason = case when bank_status in ('REJECTED', 'DUPLICATE') then bank_reason else $3 end,
                  changed_at = svc.now()
            where direction = 'OUTGOING' and message_id = $1 and status in ('STAGED', 'RELEASED')
        returning bank_file_id as "bankFileId", bank_status as "bankStatus"`,
    values: [messageId, status, reason],
  })
  return changed
}

/** Records the bank's word about a payment of a file; undefined when the file has no such payment. */
export async function recordItemStatus(
  tx: Tx,
  { messageId, reference, amount }: { messageId: string; reference: string; amount: bigint | null },
  status: BankItemAnswer,
  reason: string,
): Promise<{ bankFileId: string } | undefined> {
  const [changed] = await tx.query<{ bankFileId: string }>({
    name: 'record bank status of item',
    text: `update svc.bank_file_items as item
              set bank_status = case item.bank_status when 'REJECTED' then item.bank_status else $4 end,
                  bank_reason = case item.bank_status when 'REJECTED' then item.bank_reason else $5 end
             from svc.bank_files as file
            where file.bank_file_id = item.bank_file_id and file.direction = 'OUTGOING' and file.message_id = $1
              and file.status in ('STAGED', 'RELEASED') and item.reference = $2
              and ($3::numeric is null or item.amount = $3)
        returning item.bank_file_id as "bankFileId"`,
    values: [messageId, reference, amount, status, reason],
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
