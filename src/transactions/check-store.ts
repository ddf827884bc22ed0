import type { Queryable, Tx } from '../db/database.ts'

export type StuckCounts = { transactions: number; refunds: number; deposits: number }

/**
 * Counts work that has been open for longer than this: CREATED and PROCESSING transactions that wait for no approval,
 * refunds and returns, and sightings without a deposit.
 */
export async function countStuckWork(database: Queryable, longerThanSeconds: number): Promise<StuckCounts> {
  const [counts] = await database.query<StuckCounts>({
    name: 'count stuck transactions',
    text: `with since as materialized (select svc.now() - $1 * interval '1 second' as moment)
           select (select count(*)::int from svc.transactions
                    where status in ('CREATED', 'PROCESSING') and updated_at < since.moment
                      and approval_expires_at is null) as transactions,
                  (select count(*)::int from svc.payouts
                    where status in ('WAITING', 'SENDING', 'SENT') and purpose <> 'PAYOUT'
                      and created_at < since.moment) as refunds,
                  (select count(*)::int from svc.sightings
                    where due_at is not null and recorded_at < since.moment)
                  + (select count(*)::int from svc.sightings
                      where state = 'SEEN' and not is_own and recorded_at < since.moment) as deposits
             from since`,
    values: [longerThanSeconds],
  })
  return counts ?? { transactions: 0, refunds: 0, deposits: 0 }
}

export type UndecidedCounts = { deposits: number; refunds: number }

/** Counts what waits for an operator: unmatched deposits, unattributed ones included; stuck refunds; returned funds. */
export async function countUndecided(database: Queryable): Promise<UndecidedCounts> {
  const [counted] = await database.query<UndecidedCounts>({
    name: 'count work that waits for an operator',
    text: `select (select count(*)::int from svc.deposits where status = 'UNMATCHED') as deposits,
                  (select count(*)::int from svc.transactions
                    where refund ->> 'status' = 'WAITING_FOR_OPERATOR'
                       or repayment ->> 'status' = 'WAITING_FOR_OPERATOR') as refunds`,
  })
  return counted ?? { deposits: 0, refunds: 0 }
}

export type AccountOfCustomer = { organizationId: string; customerId: string; paymentAccountId: string }

/**
 * True while an open transaction, a refund in flight or a held deposit uses the account. A payout belongs to an open
 * transaction, and both accounts of a transaction to its customer. Each part reads an index of open rows. For an account
 * with many finished transactions the planner would rather read the whole table, expecting a row soon; the order
 * excludes that, except in `exists`, which ignores it.
 */
export async function isAccountNeeded(
  tx: Tx,
  { organizationId, customerId, paymentAccountId }: AccountOfCustomer,
): Promise<boolean> {
  const [found] = await tx.query<{ isNeeded: boolean }>({
    name: 'is account needed by a transaction',
    text: `select coalesce(
                    (select transaction_id from svc.transactions
                      where organization_id = $1 and customer_id = $3
                        and $2 in (source_payment_account_id, destination_payment_account_id)
                        and status in ('CREATED', 'AWAITING_TRANSFER', 'PROCESSING')
                      order by transaction_id limit 1),
                    (select payout_id from svc.payouts
                      where organization_id = $1 and payment_account_id = $2 and purpose <> 'PAYOUT'
                        and status in ('WAITING', 'SENDING', 'SENT')
                      order by payout_id limit 1),
                    (select deposit_id from svc.deposits
                      where organization_id = $1 and payment_account_id = $2 and status = 'HELD'
                      order by deposit_id limit 1)) is not null as "isNeeded"`,
    values: [organizationId, paymentAccountId, customerId],
  })
  return found?.isNeeded ?? false
}

export type OpenItems = { transactions: boolean; deposits: boolean; payouts: boolean }

/**
 * Finds the open items of a customer: transactions that are open or wait for an operator; deposits that wait for an
 * operator or are being returned, that were reversed and are owed, or that a bank recalls; payouts that are in flight or that a bank may still return.
 */
export async function findOpenItems(tx: Tx, organizationId: string, customerId: string): Promise<OpenItems> {
  const [open] = await tx.query<OpenItems>({
    name: 'find open items of a customer',
    text: `select exists (
                    select from svc.transactions
                     where organization_id = $1 and customer_id = $2
                       and (status in ('CREATED', 'AWAITING_TRANSFER', 'PROCESSING')
                            or refund ->> 'status' = 'WAITING_FOR_OPERATOR')) as transactions,
                  exists (
                    select from svc.deposits
                     where organization_id = $1 and customer_id = $2
                       and status in ('HELD', 'UNMATCHED', 'RETURNING'))
                  or exists (
                    select from svc.deposit_reversals
                     where organization_id = $1 and customer_id = $2 and status = 'OPEN')
                  or exists (
                    select from svc.bank_recalls as recall join svc.bank_recall_payments as named using (bank_recall_id)
                      join svc.deposits as deposit on deposit.book = named.bank_account_id
                       and deposit.external_id = named.external_id
                     where recall.status in ('OPEN', 'ACCEPTED') and named.ruled_out_at is null
                       and deposit.organization_id = $1 and deposit.customer_id = $2) as deposits,
                  exists (
                    select from svc.payouts
                     where organization_id = $1 and customer_id = $2
                       and (status in ('WAITING', 'SENDING', 'SENT') or due_at is not null)) as payouts`,
    values: [organizationId, customerId],
  })
  if (!open) throw new Error('the database returned no row')
  return open
}
