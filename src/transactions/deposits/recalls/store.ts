import type { Queryable, Tx } from '../../../db/database.ts'
import type { Move } from '../../../lib/transitions.ts'
import type { Deposit } from '../deposit.ts'
import { columns as depositColumns } from '../store.ts'
import type { Recall, RecallStatus } from './recall.ts'

const selectRecalls = `select recall.bank_recall_id as "bankRecallId", recall.currency, recall.amount, recall.code,
         recall.status, recall.bank_account_id as book, recall.external_id as "externalId",
         recall.recorded_at as "recordedAt", deposit.organization_id as "organizationId",
         deposit.deposit_id as "depositId", deposit.customer_id as "customerId"
    from svc.bank_recalls as recall
    left join svc.deposits as deposit on deposit.book = recall.bank_account_id
     and deposit.external_id = recall.external_id and deposit.status <> 'ASSIGNED'`

/** Lists recalls that hold money or wait for an answer, oldest first. */
export function listHolding(database: Queryable, limit: number): Promise<Recall[]> {
  return database.query<Recall>({
    name: 'list holding recalls',
    text: `${selectRecalls}
            where recall.status in ('OPEN', 'ACCEPTED') order by recall.bank_recall_id limit $1`,
    values: [limit],
  })
}

export async function findRecall(database: Queryable, bankRecallId: string): Promise<Recall | undefined> {
  const [found] = await database.query<Recall>({
    name: 'find recall',
    text: `${selectRecalls} where recall.bank_recall_id = $1`,
    values: [bankRecallId],
  })
  return found
}

/** Finds the recalls that hold a deposit. */
export function findHolding(database: Queryable, { book, externalId }: Deposit): Promise<Recall[]> {
  return database.query<Recall>({
    name: 'find holding recalls of a deposit',
    text: `${selectRecalls}
            where recall.bank_account_id = $1 and recall.external_id = $2 and recall.status in ('OPEN', 'ACCEPTED')
            order by recall.bank_recall_id`,
    values: [book, externalId],
  })
}

/** Decides about a recall, once; false when another decision came first. */
export async function decideRecall(tx: Tx, bankRecallId: string, { from, to }: Move<RecallStatus>): Promise<boolean> {
  const decided = await tx.query({
    name: 'decide recall',
    text: `update svc.bank_recalls set status = $2, decided_at = svc.now()
            where bank_recall_id = $1 and status = any($3) returning bank_recall_id`,
    values: [bankRecallId, to, from],
  })
  return decided.length > 0
}

export type RecalledPayment = { book: string; externalId: string }

/** Locks the deposit of a payment. */
export async function lockDeposits(tx: Tx, { book, externalId }: RecalledPayment): Promise<void> {
  await tx.query({
    name: 'lock recalled deposits',
    text: `select deposit_id from svc.deposits where book = $1 and external_id = $2 and status <> 'ASSIGNED'
            order by organization_id, deposit_id for no key update`,
    values: [book, externalId],
  })
}

/**
 * Ends the recalls of a payment that the bank has taken back, all of it or their amounts. A debit answers one recall: what it
 * took since a recall came counts less what other recalls got, for one of the same amount first, else for the oldest. `taken`
 * is a debit that is not recorded yet.
 */
export async function settleRecalls(
  tx: Tx,
  { book, externalId }: RecalledPayment,
  taken: bigint,
  { from, to }: Move<RecallStatus>,
): Promise<void> {
  await tx.query({
    name: 'settle recalls of a deposit',
    text: `with deposit as (
             select organization_id, deposit_id, amount - reversed_amount - $3::numeric as left_amount
               from svc.deposits where book = $1 and external_id = $2 and status <> 'ASSIGNED'),
           waiting as (
             select bank_recall_id, recorded_at,
                    sum(amount) over (order by amount = $3 desc, bank_recall_id) as wanted
               from svc.bank_recalls where bank_account_id = $1 and external_id = $2 and status = any($5))
           update svc.bank_recalls as recall set status = $4, decided_at = svc.now()
             from waiting cross join deposit
            where recall.bank_recall_id = waiting.bank_recall_id
              and (deposit.left_amount = 0
                   or waiting.wanted <= $3
                    + (select coalesce(sum(reversal.amount), 0) from svc.deposit_reversals as reversal
                        where reversal.organization_id = deposit.organization_id
                          and reversal.deposit_id = deposit.deposit_id and reversal.recorded_at >= waiting.recorded_at)
                    - (select coalesce(sum(other.amount), 0) from svc.bank_recalls as other
                        where other.bank_account_id = $1 and other.external_id = $2 and other.status = $4
                          and other.decided_at >= waiting.recorded_at))`,
    values: [book, externalId, taken, to, from],
  })
}

/** Counts a change of a deposit's recall as a change of the deposit. A worker looks again at a HELD one that it re-checks. */
export function touchDeposits(tx: Tx, { book, externalId }: RecalledPayment): Promise<Deposit[]> {
  return tx.query<Deposit>({
    name: 'touch recalled deposits',
    text: `update svc.deposits as deposit
              set version = version + 1, updated_at = date_trunc('milliseconds', svc.now()),
                  due_at = case when due_at is not null then svc.now() end, fence = fence + 1, lease_until = null
            where book = $1 and external_id = $2 and status <> 'ASSIGNED'
        returning ${depositColumns}`,
    values: [book, externalId],
  })
}

/** True while a recall holds this deposit. */
export async function isDepositRecalled(
  tx: Tx,
  { organizationId, depositId }: Pick<Deposit, 'organizationId' | 'depositId'>,
): Promise<boolean> {
  const found = await tx.query({
    name: 'is this deposit recalled',
    text: `select recall.bank_recall_id from svc.deposits as deposit
             join svc.bank_recalls as recall on recall.bank_account_id = deposit.book
              and recall.external_id = deposit.external_id and recall.status in ('OPEN', 'ACCEPTED')
            where deposit.organization_id = $1 and deposit.deposit_id = $2 limit 1`,
    values: [organizationId, depositId],
  })
  return found.length > 0
}
