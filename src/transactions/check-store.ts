import type { Queryable, Tx } from '../db/database.ts'
import type { Check } from '../db/verify.ts'

/** Invariants of all transactions, payouts and deposits. Each is one statement, so it reads one snapshot. */
export const transactionChecks: readonly Check[] = [
  {
    isMoney: true,
    name: 'a transaction is COMPLETED exactly when its payout is confirmed and posted',
    sql: `select format('transaction %s of organization %s is %s, its payout is %s and %s', transaction.transaction_id,
                   transaction.organization_id, transaction.status, coalesce(payout.status, 'missing'),
                   case when posting.posting_id is null then 'not posted' else 'posted' end) as violation,
                 transaction.organization_id, transaction.destination_asset as asset
            from svc.transactions as transaction
            left join svc.payouts as payout on payout.organization_id = transaction.organization_id
             and payout.transaction_id = transaction.transaction_id and payout.purpose = 'PAYOUT'
            left join svc.postings as posting on posting.organization_id = transaction.organization_id
             and posting.reference = format('transaction:%s:payout', transaction.transaction_id)
           where (transaction.status = 'COMPLETED') <> coalesce(payout.status = 'CONFIRMED', false)
              or (posting.posting_id is not null) <> coalesce(payout.status in ('CONFIRMED', 'RETURNED'), false)
              or coalesce(transaction.failure_reason = 'destination_returned_funds', false) <>
                 coalesce(payout.status = 'RETURNED', false)`,
  },
  {
    isMoney: true,
    name: 'a finished transaction has no open reserve and no open payout',
    sql: `select format('transaction %s of organization %s is %s, but has an open reserve', transaction.transaction_id,
                   transaction.organization_id, transaction.status) as violation, transaction.organization_id,
                 transaction.source_asset as asset
            from svc.transactions as transaction
            join svc.reserves as reserve on reserve.organization_id = transaction.organization_id
             and reserve.reference = format('transaction:%s:source', transaction.transaction_id)
           where transaction.status in ('COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED') and reserve.status = 'OPEN'
           union all
          select format('transaction %s of organization %s is %s, but its payout %s is %s', transaction.transaction_id,
                   transaction.organization_id, transaction.status, payout.payout_id, payout.status), payout.organization_id, payout.asset
            from svc.transactions as transaction
            join svc.payouts as payout on payout.organization_id = transaction.organization_id
             and payout.transaction_id = transaction.transaction_id
           where payout.purpose = 'PAYOUT' and payout.status in ('WAITING', 'SENDING', 'SENT')
             and transaction.status <> 'PROCESSING'`,
  },
  {
    isMoney: true,
    name: 'no obligation is paid twice, and no quote is used twice',
    sql: `select format('%s payouts of transaction %s of organization %s are live', count(*), transaction_id,
                   organization_id) as violation, organization_id, min(asset) as asset
            from svc.payouts
           where transaction_id is not null and deposit_id is null and status <> 'REFUSED'
             and not (purpose = 'REPAYMENT' and status = 'RETURNED')
           group by organization_id, transaction_id, purpose having count(*) > 1
           union all
          select format('%s returns of deposit %s of organization %s are live', count(*), deposit_id, organization_id),
                 organization_id, min(asset)
            from svc.payouts where deposit_id is not null and status <> 'REFUSED'
           group by organization_id, deposit_id having count(*) > 1
           union all
          select format('quote %s of organization %s has %s transactions', quote_id, organization_id, count(*)),
                 organization_id, min(destination_asset)
            from svc.transactions group by organization_id, quote_id having count(*) > 1`,
  },
  {
    isMoney: true,
    name: 'repayments do not exceed returned funds, and are reserved until they are confirmed',
    sql: `select format('transaction %s of organization %s has returns of %s, but repayments of %s', transaction_id,
                   organization_id, coalesce(sum(returned_amount), 0),
                   sum(amount) filter (where purpose = 'REPAYMENT')) as violation, organization_id, min(asset) as asset
            from svc.payouts
           where transaction_id is not null and deposit_id is null and status <> 'REFUSED' and purpose <> 'RETURN'
           group by organization_id, transaction_id
          having sum(amount) filter (where purpose = 'REPAYMENT') > coalesce(sum(returned_amount), 0)
           union all
          select format('payout %s of organization %s is %s, but its reserve is %s', payout.payout_id,
                   payout.organization_id, payout.status, coalesce(reserve.status, 'missing')), payout.organization_id,
                 payout.asset
            from svc.payouts as payout
            left join svc.reserves as reserve on reserve.organization_id = payout.organization_id
             and reserve.reference = format('transaction:%s:owed-again:%s', payout.transaction_id, payout.payout_id)
           where payout.purpose = 'REPAYMENT' and reserve.status is distinct from
                 case payout.status when 'REFUSED' then 'RELEASED' when 'CONFIRMED' then 'CAPTURED'
                                    when 'RETURNED' then 'CAPTURED' else 'OPEN' end`,
  },
  {
    isMoney: true,
    name: 'the ledger holds every deposit where its status says',
    sql: `select format('deposit %s of organization %s is %s, but suspense holds %s of %s', deposit.deposit_id,
                   deposit.organization_id, deposit.status, coalesce(booked.suspense, 0), deposit.asset) as violation,
                 deposit.organization_id, deposit.asset
            from svc.deposits as deposit
            left join lateral (
                 select count(*) as entries,
                        sum(entry.amount) filter (where account.kind = 'SUSPENSE') as suspense,
                        sum(entry.amount) filter (where account.kind = 'CLEARING') as clearing
                   from svc.postings as posting
                   join svc.entries as entry on entry.organization_id = posting.organization_id
                    and entry.posting_id = posting.posting_id
                   join svc.ledger_accounts as account on account.organization_id = entry.organization_id
                    and account.account_id = entry.account_id
                  where posting.organization_id = deposit.organization_id
                    and posting.reference >= format('deposit:%s:', deposit.deposit_id)
                    and posting.reference < format('deposit:%s;', deposit.deposit_id)) as booked on true
            left join svc.payouts as payout on payout.organization_id = deposit.organization_id
             and payout.deposit_id = deposit.deposit_id and payout.status <> 'REFUSED'
           where booked.entries = 0 or coalesce(booked.clearing, 0) <> deposit.applied_amount
              or coalesce(booked.suspense, 0) <> case
                   when deposit.status in ('HELD', 'UNMATCHED') then deposit.amount
                   when payout.status in ('WAITING', 'SENDING', 'SENT') then payout.amount
                   when deposit.status = 'APPLIED' and payout.payout_id is null
                     then deposit.amount - deposit.applied_amount else 0 end`,
  },
  {
    isMoney: true,
    name: 'a deposit counts exactly its live returns',
    sql: `select format('deposit %s of organization %s counts returns of %s, but returns of %s are live',
                   deposit.deposit_id, deposit.organization_id, deposit.returned_amount, coalesce(live.amount, 0)) as violation,
                 organization_id, deposit.asset
            from svc.deposits as deposit
            full join (
                 select organization_id, deposit_id, sum(amount) as amount from svc.payouts
                  where deposit_id is not null and status <> 'REFUSED' group by organization_id, deposit_id) as live
                  using (organization_id, deposit_id)
           where deposit.returned_amount is distinct from coalesce(live.amount, 0)`,
  },
  {
    isMoney: true,
    name: 'the received amount of a transaction is the sum of its applied deposits',
    sql: `select format('transaction %s of organization %s received %s, but deposits of %s were applied',
                   transaction.transaction_id, transaction.organization_id, transaction.received_amount, coalesce(counted.amount, 0)) as violation,
                 transaction.organization_id, transaction.source_asset as asset
            from svc.transactions as transaction
            left join (
                 select organization_id, transaction_id, sum(applied_amount) as amount from svc.deposits
                  where transaction_id is not null group by organization_id, transaction_id) as counted
                  using (organization_id, transaction_id)
           where transaction.received_amount <> coalesce(counted.amount, 0)`,
  },
  {
    isMoney: true,
    name: 'clearing holds only the money of unfinished transactions',
    sql: `select format('clearing of %s in organization %s is off by %s for transaction %s', asset, organization_id,
                   sum(amount), transaction_id) as violation, organization_id, asset
            from (select posting.organization_id, account.asset, entry.amount,
                         coalesce(deposit.transaction_id::text, split_part(posting.reference, ':', 2)) as transaction_id
                    from svc.entries as entry
                    join svc.ledger_accounts as account on account.organization_id = entry.organization_id
                     and account.account_id = entry.account_id and account.kind = 'CLEARING'
                    join svc.postings as posting on posting.organization_id = entry.organization_id
                     and posting.posting_id = entry.posting_id
                    left join svc.deposits as deposit on deposit.organization_id = posting.organization_id
                     and posting.reference like 'deposit:%'
                     and deposit.deposit_id::text = split_part(posting.reference, ':', 2)
                   where posting.reference like 'transaction:%' or posting.reference like 'deposit:%') as booked
           where not exists (
                 select from svc.transactions as transaction
                  where transaction.organization_id = booked.organization_id
                    and transaction.transaction_id::text = booked.transaction_id
                    and (transaction.status in ('AWAITING_TRANSFER', 'PROCESSING')
                         or transaction.refund ->> 'status' <> 'COMPLETED'))
           group by organization_id, asset, transaction_id having sum(amount) <> 0`,
  },
]

export type StuckCounts = { transactions: number; refunds: number; deposits: number }

/**
 * Counts work that has been open for longer than this: CREATED and PROCESSING transactions, refunds and returns, and
 * sightings without a deposit.
 */
export async function countStuckWork(database: Queryable, longerThanSeconds: number): Promise<StuckCounts> {
  const [counts] = await database.query<StuckCounts>({
    name: 'count stuck transactions',
    text: `with since as materialized (select svc.now() - $1 * interval '1 second' as moment)
           select (select count(*)::int from svc.transactions
                    where status in ('CREATED', 'PROCESSING') and updated_at < since.moment) as transactions,
                  (select count(*)::int from svc.payouts
                    where status in ('WAITING', 'SENDING', 'SENT') and purpose <> 'PAYOUT'
                      and created_at < since.moment) as refunds,
                  (select count(*)::int from svc.sightings
                    where due_at is not null and seen_at < since.moment) as deposits
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

/**
 * True while an open transaction, a refund in flight or a held deposit uses the account. A payout belongs to an open
 * transaction. Each part reads an index of open rows. For an account with many finished transactions the planner would
 * rather read the whole table, expecting a row soon; the order excludes that, except in `exists`, which ignores it.
 */
export async function isAccountNeeded(tx: Tx, organizationId: string, paymentAccountId: string): Promise<boolean> {
  const [found] = await tx.query<{ isNeeded: boolean }>({
    name: 'is account needed by a transaction',
    text: `select coalesce(
                    (select transaction_id from svc.transactions
                      where organization_id = $1 and source_payment_account_id = $2
                        and status in ('CREATED', 'AWAITING_TRANSFER', 'PROCESSING')
                      order by transaction_id limit 1),
                    (select transaction_id from svc.transactions
                      where organization_id = $1 and destination_payment_account_id = $2
                        and status in ('CREATED', 'AWAITING_TRANSFER', 'PROCESSING')
                      order by transaction_id limit 1),
                    (select payout_id from svc.payouts
                      where organization_id = $1 and payment_account_id = $2 and purpose <> 'PAYOUT'
                        and status in ('WAITING', 'SENDING', 'SENT')
                      order by payout_id limit 1),
                    (select deposit_id from svc.deposits
                      where organization_id = $1 and payment_account_id = $2 and status = 'HELD'
                      order by deposit_id limit 1)) is not null as "isNeeded"`,
    values: [organizationId, paymentAccountId],
  })
  return found?.isNeeded ?? false
}

export type OpenItems = { transactions: boolean; deposits: boolean; payouts: boolean }

/**
 * Finds the open items of a customer: transactions that are open or wait for an operator; deposits that wait for an
 * operator or are being returned; payouts that are in flight or that a bank may still return.
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
                       and status in ('HELD', 'UNMATCHED', 'RETURNING')) as deposits,
                  exists (
                    select from svc.payouts
                     where organization_id = $1 and customer_id = $2
                       and (status in ('WAITING', 'SENDING', 'SENT') or due_at is not null)) as payouts`,
    values: [organizationId, customerId],
  })
  if (!open) throw new Error('the database returned no row')
  return open
}
