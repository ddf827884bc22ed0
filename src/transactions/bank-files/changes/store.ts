import type { Queryable, Tx } from '../../../db/database.ts'
import type { PageSlice } from '../../../lib/pages.ts'
import type { Move } from '../../../lib/transitions.ts'
import type { ChangeStatus, StoredChange } from './change.ts'

export type NewChange = Pick<
  StoredChange,
  'bankChangeId' | 'changeId' | 'reference' | 'code' | 'sealedCorrection' | 'isRefused'
> & {
  bankFileId: string
  /** It corrects coordinates, so an operator decides about it. */
  isCorrection: boolean
}

/**
 * Records a notification once, however often the bank sends it, with the payout that a file of ours has paid by ACH under
 * its reference. Answers undefined when it is known.
 */
export async function insertChange(tx: Tx, change: NewChange): Promise<{ payoutId: string | null } | undefined> {
  const [inserted] = await tx.query<{ payoutId: string | null }>({
    name: 'insert bank change',
    text: `insert into svc.bank_changes (bank_change_id, change_id, bank_file_id, reference, payout_id, code,
                  sealed_correction, is_refused, status, recorded_at)
           values ($1, $2, $3, $4,
                  (select payout.payout_id
                     from svc.bank_file_items as item join svc.bank_files as file using (bank_file_id)
                     join svc.payouts as payout using (payout_id)
                    where item.reference = $4 and file.status in ('STAGED', 'RELEASED') and payout.method = 'ACH' limit 1),
                  $5, $6, $7, case when $8 then 'OPEN' else 'NOTED' end, svc.now())
               on conflict (change_id) do nothing returning payout_id as "payoutId"`,
    values: [
      change.bankChangeId,
      change.changeId,
      change.bankFileId,
      change.reference,
      change.code,
      change.sealedCorrection,
      change.isRefused,
      change.isCorrection,
    ],
  })
  return inserted
}

const columns = `change.bank_change_id as "bankChangeId", change.change_id as "changeId", change.reference, change.code,
  change.is_refused as "isRefused", change.status, change.sealed_correction as "sealedCorrection",
  payout.organization_id as "organizationId", payout.payout_id as "payoutId",
  payout.transaction_id as "transactionId", payout.payment_account_id as "paymentAccountId",
  payout.details_version as "paidVersion", change.recorded_at as "recordedAt", change.decided_at as "decidedAt"`

/** Lists all notifications, OPEN ones first, then newest first. */
export function listAllChanges(database: Queryable, limit: number): Promise<StoredChange[]> {
  return database.query<StoredChange>({
    name: 'list bank changes',
    text: `select ${columns} from svc.bank_changes as change
             left join svc.payouts as payout on payout.payout_id = change.payout_id
            order by change.status = 'OPEN' desc, change.bank_change_id desc limit $1`,
    values: [limit],
  })
}

/** Lists the notifications about payouts of these organizations, newest first. */
export function listChanges(
  database: Queryable,
  organizationIds: readonly string[],
  status: ChangeStatus | undefined,
  slice: PageSlice,
): Promise<StoredChange[]> {
  return database.query<StoredChange>({
    name: 'list bank changes of organizations',
    text: `select ${columns} from svc.bank_changes as change
             left join svc.payouts as payout on payout.payout_id = change.payout_id
            where payout.organization_id = any($1) and ($2::text is null or change.status = $2)
              and ($3::uuid is null or change.bank_change_id < $3)
            order by change.bank_change_id desc limit $4`,
    values: [organizationIds, status ?? null, slice.after ?? null, slice.limit],
  })
}

export async function findChange(database: Queryable, bankChangeId: string): Promise<StoredChange | undefined> {
  const [found] = await database.query<StoredChange>({
    name: 'find bank change',
    text: `select ${columns} from svc.bank_changes as change
             left join svc.payouts as payout on payout.payout_id = change.payout_id where change.bank_change_id = $1`,
    values: [bankChangeId],
  })
  return found
}

/** Records a decision that makes no version; false when another one came first. */
export async function decideChange(tx: Tx, bankChangeId: string, { from, to }: Move<ChangeStatus>): Promise<boolean> {
  const decided = await tx.query({
    name: 'decide bank change',
    text: `update svc.bank_changes set status = $3, decided_at = svc.now()
            where bank_change_id = $1 and status = any($2) returning bank_change_id`,
    values: [bankChangeId, from, to],
  })
  return decided.length > 0
}
