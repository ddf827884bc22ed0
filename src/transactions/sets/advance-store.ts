import type { Tx } from '../../db/database.ts'
import { newId } from '../../lib/ids.ts'
import type { ClaimedTransaction } from '../change-store.ts'
import { columns } from '../store.ts'
import { type Transaction, transactionMoves } from '../transaction.ts'

/**
 * Finds the transactions whose customers are ACTIVE and whose policies let them start as they are. Most organizations
 * have no rules, which is asked once for all.
 */
export async function findStartable(tx: Tx, transactions: readonly Transaction[]): Promise<Set<string>> {
  const found = await tx.query<{ transactionId: string }>({
    name: 'find transactions that may start',
    text: `select wanted.transaction_id as "transactionId"
             from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as wanted (organization_id, transaction_id, customer_id)
             join svc.customers as customer on customer.organization_id = wanted.organization_id
              and customer.customer_id = wanted.customer_id and customer.status = 'ACTIVE'
            where case when (select svc.has_rules($1, null))
                       then (svc.weigh_start(wanted.organization_id, wanted.transaction_id)).verdict = 'GO' else true end`,
    values: [
      transactions.map(({ organizationId }) => organizationId),
      transactions.map(({ transactionId }) => transactionId),
      transactions.map(({ customerId }) => customerId),
    ],
  })
  return new Set(found.map(({ transactionId }) => transactionId))
}

/** A transaction that was executed. `shown`: its JSON, when it was CREATED until now; null else. */
export type ExecutedTransaction = Transaction & { shown: string | null }

/**
 * Starts transactions where they are CREATED, records their steps, and leaves them to their payouts. Leaves those out
 * that another worker has claimed since, or that a caller or an approval has stopped. Locks them in the order of their
 * ids, each by its key alone: without statistics the planner would read every open transaction for the test of it.
 */
export function executeTransactions(
  tx: Tx,
  claimed: readonly Pick<ClaimedTransaction, 'organizationId' | 'transactionId' | 'fence'>[],
): Promise<ExecutedTransaction[]> {
  return tx.query<ExecutedTransaction>({
    name: 'execute transactions',
    text: `with held as materialized (
             select claimed.organization_id, claimed.transaction_id, transaction.status = any($6) as is_started,
                    claimed.screened_id, claimed.executed_id
               from (select organization_id, transaction_id, fence, screened_id, executed_id
                       from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::uuid[], $5::uuid[])
                            as wanted (organization_id, transaction_id, fence, screened_id, executed_id)
                      order by organization_id, transaction_id) as claimed
              cross join lateral (
                    select locked.fence, locked.status, locked.step, locked.approval_expires_at
                      from svc.transactions as locked
                     where locked.organization_id = claimed.organization_id
                       and locked.transaction_id = claimed.transaction_id limit 1 for no key update) as transaction
              where transaction.fence = claimed.fence
                and (transaction.status = any($6) or transaction.status = $7) and transaction.step = 'SCREEN'
                and transaction.approval_expires_at is null),
           noted as (
             insert into svc.transaction_steps (organization_id, transaction_id, step_id, at, kind, details)
             select organization_id, transaction_id, step_id, (select svc.now()), kind, '{}'
               from held cross join lateral (values (screened_id, 'SCREENED'), (executed_id, 'EXECUTED'))
                    as step (step_id, kind))
           update svc.transactions as transaction
              set status = $7, step = 'PAYOUT', due_at = null, lease_until = null, fence = transaction.fence + 1,
                  version = version + is_started::integer,
                  updated_at = case when is_started then date_trunc('milliseconds', (select svc.now())) else updated_at end,
                  status_history = case when is_started then array_append(status_history,
                    format('{"status":"%s","at":"%s"}', $7::text, svc.format_time((select svc.now())))::json) else status_history end,
                  status_written_at = case when is_started then array_append(status_written_at, clock_timestamp())
                                           else status_written_at end
             from held where transaction.organization_id = held.organization_id
              and transaction.transaction_id = held.transaction_id
        returning ${columns}, case when held.is_started then svc.show_transaction(transaction) end as shown`,
    values: [
      claimed.map(({ organizationId }) => organizationId),
      claimed.map(({ transactionId }) => transactionId),
      claimed.map(({ fence }) => fence),
      claimed.map(() => newId()),
      claimed.map(() => newId()),
      transactionMoves.start.from,
      transactionMoves.start.to,
    ],
  })
}
