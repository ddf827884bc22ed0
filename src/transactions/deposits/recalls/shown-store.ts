import type { Tx } from '../../../db/database.ts'

/** The latest recall of a row of `deposit`, those that hold it first. */
export const shownRecall = `(select jsonb_build_object('recallId', recall.bank_recall_id, 'status', recall.status,
      'code', recall.code, 'amount', recall.amount::text, 'recordedAt', recall.recorded_at, 'decidedAt', recall.decided_at)
     from svc.bank_recalls as recall
    where recall.bank_account_id = deposit.book and recall.external_id = deposit.external_id
    order by recall.status in ('OPEN', 'ACCEPTED') desc, recall.bank_recall_id desc limit 1)`

/** True while a recall holds the money of this sighting. */
export async function isRecalled(tx: Tx, { book, externalId }: { book: string; externalId: string }): Promise<boolean> {
  const found = await tx.query({
    name: 'is a deposit recalled',
    text: `select bank_recall_id from svc.bank_recalls
            where bank_account_id = $1 and external_id = $2 and status in ('OPEN', 'ACCEPTED') limit 1`,
    values: [book, externalId],
  })
  return found.length > 0
}
