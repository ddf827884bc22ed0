import type { SlicePart } from '../../db/checks/slices.ts'
import { depositKeys, transactionKeys } from './key-store.ts'

/** The entries of each deposit's postings, found by the references that start with its id. */
const bookings = `
  select count(*) as entries,
         coalesce(sum(entry.amount) filter (where account.kind = 'SUSPENSE'), 0) as suspense,
         coalesce(sum(entry.amount) filter (where account.kind = 'CLEARING'), 0) as clearing
    from svc.postings as posting
    join svc.entries as entry on entry.organization_id = posting.organization_id
     and entry.posting_id = posting.posting_id
    join svc.ledger_accounts as account on account.organization_id = entry.organization_id
     and account.account_id = entry.account_id
   where posting.organization_id = deposit.organization_id
     and posting.reference >= format('deposit:%s:', deposit.deposit_id)
     and posting.reference < format('deposit:%s;', deposit.deposit_id)`

export const depositsAreWhereTheySay: SlicePart = {
  keys: depositKeys,
  sql: `select format('deposit %s of organization %s is %s, but suspense holds %s of %s', deposit.deposit_id,
                      deposit.organization_id, deposit.status, booked.suspense, deposit.asset) as violation,
               deposit.organization_id, deposit.asset
          from slice
          join svc.deposits as deposit on deposit.organization_id = slice.organization_id
           and deposit.deposit_id = slice.deposit_id
         cross join lateral (${bookings}) as booked
          left join svc.payouts as payout on payout.organization_id = deposit.organization_id
           and payout.deposit_id = deposit.deposit_id and payout.status <> 'REFUSED'
         where booked.entries = 0 or booked.clearing <> deposit.applied_amount
            or booked.suspense <> case
                 when deposit.status in ('HELD', 'UNMATCHED') then deposit.amount - deposit.covered_amount
                 when payout.status in ('WAITING', 'SENDING', 'SENT') then payout.amount
                 when deposit.applied_amount > 0 and payout.payout_id is null
                   then deposit.amount - deposit.covered_amount - deposit.applied_amount else 0 end`,
}

export const returnsAreCounted: SlicePart = {
  keys: depositKeys,
  sql: `select format('deposit %s of organization %s counts returns of %s, but returns of %s are live',
                      deposit.deposit_id, deposit.organization_id, deposit.returned_amount,
                      coalesce(live.amount, 0)) as violation, deposit.organization_id, deposit.asset
          from slice
          join svc.deposits as deposit on deposit.organization_id = slice.organization_id
           and deposit.deposit_id = slice.deposit_id
         cross join lateral (
               select sum(amount) as amount from svc.payouts as payout
                where payout.organization_id = deposit.organization_id and payout.deposit_id = deposit.deposit_id
                  and payout.status <> 'REFUSED') as live
         where deposit.returned_amount <> coalesce(live.amount, 0)`,
}

export const reversalsAreCounted: SlicePart = {
  keys: depositKeys,
  sql: `select format('deposit %s of organization %s counts reversals of %s, %s of them covered, but has %s and %s',
                      deposit.deposit_id, deposit.organization_id, deposit.reversed_amount, deposit.covered_amount,
                      coalesce(made.amount, 0), coalesce(made.covered, 0)) as violation,
               deposit.organization_id, deposit.asset
          from slice
          join svc.deposits as deposit on deposit.organization_id = slice.organization_id
           and deposit.deposit_id = slice.deposit_id
         cross join lateral (
               select sum(reversal.amount) as amount, sum(reversal.amount - reversal.owed_amount) as covered
                 from svc.deposit_reversals as reversal
                where reversal.organization_id = deposit.organization_id
                  and reversal.deposit_id = deposit.deposit_id) as made
         where deposit.reversed_amount <> coalesce(made.amount, 0)
            or deposit.covered_amount <> coalesce(made.covered, 0)
            or deposit.status = 'REVERSED' and deposit.reversed_amount <> deposit.amount`,
}

export const suspenseIsNotBelowZero: SlicePart = {
  keys: depositKeys,
  sql: `select format('suspense of deposit %s of organization %s is %s of %s', deposit.deposit_id,
                      deposit.organization_id, booked.suspense, deposit.asset) as violation,
               deposit.organization_id, deposit.asset
          from slice
          join svc.deposits as deposit on deposit.organization_id = slice.organization_id
           and deposit.deposit_id = slice.deposit_id
         cross join lateral (${bookings}) as booked
         where booked.suspense < 0`,
}

export const receivedAmountsAreApplied: SlicePart = {
  keys: transactionKeys,
  sql: `select format('transaction %s of organization %s received %s, but deposits of %s were applied',
                      transaction.transaction_id, transaction.organization_id, transaction.received_amount,
                      coalesce(counted.amount, 0)) as violation,
               transaction.organization_id, transaction.source_asset as asset
          from slice
          join svc.transactions as transaction on transaction.organization_id = slice.organization_id
           and transaction.transaction_id = slice.transaction_id
         cross join lateral (
               select sum(applied_amount) as amount from svc.deposits as deposit
                where deposit.organization_id = transaction.organization_id
                  and deposit.transaction_id = transaction.transaction_id) as counted
         where transaction.received_amount <> coalesce(counted.amount, 0)`,
}
