import type { SlicePart } from '../../db/checks/slices.ts'
import { depositKeys, transactionKeys } from './key-store.ts'

export const completedTransactionsArePaid: SlicePart = {
  keys: transactionKeys,
  sql: `select format('transaction %s of organization %s is %s, its payout is %s and %s', transaction.transaction_id,
                      transaction.organization_id, transaction.status, coalesce(payout.status, 'missing'),
                      case when posting.posting_id is null then 'not posted' else 'posted' end) as violation,
               transaction.organization_id, transaction.destination_asset as asset
          from slice
          join svc.transactions as transaction on transaction.organization_id = slice.organization_id
           and transaction.transaction_id = slice.transaction_id
          left join svc.payouts as payout on payout.organization_id = transaction.organization_id
           and payout.transaction_id = transaction.transaction_id and payout.purpose = 'PAYOUT'
          left join svc.postings as posting on posting.organization_id = transaction.organization_id
           and posting.reference = format('transaction:%s:payout', transaction.transaction_id)
         where (transaction.status = 'COMPLETED') <> coalesce(payout.status = 'CONFIRMED', false)
            or (posting.posting_id is not null) <> coalesce(payout.status in ('CONFIRMED', 'RETURNED'), false)
            or coalesce(transaction.failure_reason = 'destination_returned_funds', false) <>
               coalesce(payout.status = 'RETURNED', false)`,
}

/**
 * Reads reserves and payouts by their keys, and tests them afterwards ("offset 0"): while no payment was open when
 * PostgreSQL last counted, it would take an index of open rows for the test, and read all of them for each transaction.
 */
export const finishedTransactionsAreSettled: SlicePart = {
  keys: transactionKeys,
  sql: `select format('transaction %s of organization %s is %s, but has an open reserve', transaction.transaction_id,
                      transaction.organization_id, transaction.status) as violation, transaction.organization_id,
               transaction.source_asset as asset
          from slice
          join svc.transactions as transaction on transaction.organization_id = slice.organization_id
           and transaction.transaction_id = slice.transaction_id
         cross join lateral (
               select reserve.status from svc.reserves as reserve
                where reserve.organization_id = transaction.organization_id
                  and reserve.reference = format('transaction:%s:source', transaction.transaction_id)
               offset 0) as reserve
         where transaction.status in ('COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED') and reserve.status = 'OPEN'
         union all
        select format('transaction %s of organization %s is %s, but its payout %s is %s', transaction.transaction_id,
                      transaction.organization_id, transaction.status, payout.payout_id, payout.status),
               transaction.organization_id, payout.asset
          from slice
          join svc.transactions as transaction on transaction.organization_id = slice.organization_id
           and transaction.transaction_id = slice.transaction_id
         cross join lateral (
               select payout.payout_id, payout.status, payout.asset, payout.purpose from svc.payouts as payout
                where payout.organization_id = transaction.organization_id
                  and payout.transaction_id = transaction.transaction_id
               offset 0) as payout
         where payout.purpose = 'PAYOUT' and payout.status in ('WAITING', 'SENDING', 'SENT')
           and transaction.status <> 'PROCESSING'`,
}

export const sourcesAreCollected: SlicePart = {
  keys: transactionKeys,
  sql: `select format('transaction %s of organization %s has %s collections, and they are %s', slice.transaction_id,
                      slice.organization_id, coalesce(collection.owed, 0),
                      case when posting.posting_id is null then 'not posted' else 'posted' end) as violation,
               slice.organization_id, transaction.source_asset as asset
          from slice
          join svc.transactions as transaction on transaction.organization_id = slice.organization_id
           and transaction.transaction_id = slice.transaction_id
          left join svc.postings as posting on posting.organization_id = slice.organization_id
           and posting.reference = format('transaction:%s:collect', slice.transaction_id)
         cross join lateral (
               select count(*) as owed, bool_or(payout.status = 'CONFIRMED') as is_confirmed
                 from svc.payouts as payout
                where payout.organization_id = slice.organization_id
                  and payout.transaction_id = slice.transaction_id and payout.purpose = 'COLLECT') as collection
         where (collection.owed > 0) <>
               (transaction.source_asset like '%/%'
                and not (transaction.is_from_wallet and transaction.source_asset = transaction.destination_asset)
                and (transaction.status = 'COMPLETED'
                     or coalesce(transaction.failure_reason = 'destination_returned_funds', false)))
            or coalesce(collection.is_confirmed, false) <> (posting.posting_id is not null)`,
}

export const obligationsArePaidOnce: readonly SlicePart[] = [
  {
    keys: transactionKeys,
    sql: `select format('%s payouts of transaction %s of organization %s are live', count(*), slice.transaction_id,
                        slice.organization_id) as violation, slice.organization_id, min(payout.asset) as asset
            from slice
           cross join lateral (
                 select payout.purpose, payout.status, payout.asset, payout.deposit_id from svc.payouts as payout
                  where payout.organization_id = slice.organization_id
                    and payout.transaction_id = slice.transaction_id
                 offset 0) as payout
           where payout.deposit_id is null and payout.status <> 'REFUSED'
             and not (payout.purpose = 'REPAYMENT' and payout.status in ('CONFIRMED', 'RETURNED'))
           group by slice.organization_id, slice.transaction_id, payout.purpose having count(*) > 1
           union all
          select format('quote %s of organization %s has more than one transaction', transaction.quote_id,
                        transaction.organization_id), transaction.organization_id, transaction.destination_asset
            from slice
            join svc.transactions as transaction on transaction.organization_id = slice.organization_id
             and transaction.transaction_id = slice.transaction_id
            join svc.transactions as other on other.organization_id = transaction.organization_id
             and other.quote_id = transaction.quote_id and other.transaction_id <> transaction.transaction_id`,
  },
  {
    keys: depositKeys,
    sql: `select format('%s returns of deposit %s of organization %s are live', count(*), slice.deposit_id,
                        slice.organization_id) as violation, slice.organization_id, min(payout.asset) as asset
            from slice
           cross join lateral (
                 select payout.status, payout.asset from svc.payouts as payout
                  where payout.organization_id = slice.organization_id and payout.deposit_id = slice.deposit_id
                 offset 0) as payout
           where payout.status <> 'REFUSED'
           group by slice.organization_id, slice.deposit_id having count(*) > 1`,
  },
]

export const repaymentsAreReturned: SlicePart = {
  keys: transactionKeys,
  sql: `select format('transaction %s of organization %s has returns of %s, but repayments of %s',
                      slice.transaction_id, slice.organization_id, coalesce(sum(payout.returned_amount), 0),
                      sum(payout.amount) filter (where payout.purpose = 'REPAYMENT')) as violation,
               slice.organization_id, min(payout.asset) as asset
          from slice
          join svc.payouts as payout on payout.organization_id = slice.organization_id
           and payout.transaction_id = slice.transaction_id
         where payout.deposit_id is null and payout.status <> 'REFUSED' and payout.purpose <> 'RETURN'
         group by slice.organization_id, slice.transaction_id
        having sum(payout.amount) filter (where payout.purpose = 'REPAYMENT') > coalesce(sum(payout.returned_amount), 0)
         union all
        select format('payout %s of organization %s is %s, but its reserve is %s', payout.payout_id,
                      payout.organization_id, payout.status, coalesce(reserve.status, 'missing')),
               payout.organization_id, payout.asset
          from slice
          join svc.payouts as payout on payout.organization_id = slice.organization_id
           and payout.transaction_id = slice.transaction_id and payout.purpose = 'REPAYMENT'
          left join svc.reserves as reserve on reserve.organization_id = payout.organization_id
           and reserve.reference = format('transaction:%s:owed-again:%s', payout.transaction_id, payout.payout_id)
         where reserve.status is distinct from
               case payout.status when 'REFUSED' then 'RELEASED' when 'CONFIRMED' then 'CAPTURED'
                                  when 'RETURNED' then 'CAPTURED' else 'OPEN' end`,
}
