import type { Tx } from '../../../db/database.ts'

/** The latest recall of a row of `deposit`, those that hold it first. */
export const shownRecall = `(select jsonb_build_object('recallId', recall.bank_recall_id, 'status', recall.status,
      'code', recall.code, 'amount', coalesce(recall.amount, deposit.amount)::text,
      'recordedAt', recall.recorded_at, 'decidedAt', recall.decided_at)
     from svc.bank_recall_payments as named join svc.bank_recalls as recall using (bank_recall_id)
    where named.bank_account_id = deposit.book and named.external_id = deposit.external_id and named.ruled_out_at is null
    order by recall.status in ('OPEN', 'ACCEPTED') desc, recall.bank_recall_id desc limit 1)`

/** True while a recall holds the money of this sighting. */
export async function isRecalled(tx: Tx, { book, externalId }: { book: string; externalId: string }): Promise<boolean> {
  const found = await tx.query({
    name: 'is a deposit recalled',
    text: `select bank_recall_id from svc.bank_recall_payments as named join svc.bank_recalls as recall using (bank_recall_id)
            where named.bank_account_id = $1 and named.external_id = $2 and named.ruled_out_at is null
              and recall.status in ('OPEN', 'ACCEPTED') limit 1`,
    values: [book, externalId],
  })
  return found.length > 0
}
