import { accountOfEntry, postingKeys } from '../../db/checks/posting-keys.ts'
import type { SlicePart } from '../../db/checks/slices.ts'
import { namesSubject, transactionKeys } from './key-store.ts'

/** The clearing of each transaction and asset: its own postings and those of its deposits. */
const clearing = `
  select account.asset, sum(entry.amount) as amount
    from (select posting.organization_id, posting.posting_id from svc.postings as posting
           where posting.organization_id = transaction.organization_id
             and posting.reference >= format('transaction:%s:', transaction.transaction_id)
             and posting.reference < format('transaction:%s;', transaction.transaction_id)
           union all
          select posting.organization_id, posting.posting_id
            from svc.deposits as deposit
            join svc.postings as posting on posting.organization_id = deposit.organization_id
             and posting.reference >= format('deposit:%s:', deposit.deposit_id)
             and posting.reference < format('deposit:%s;', deposit.deposit_id)
           where deposit.organization_id = transaction.organization_id
             and deposit.transaction_id = transaction.transaction_id) as made
    join svc.entries as entry on entry.organization_id = made.organization_id and entry.posting_id = made.posting_id
   ${accountOfEntry}
   where account.kind = 'CLEARING'
   group by account.asset`

const describe = `format('clearing of %s in organization %s is off by %s for transaction %s', booked.asset,
                         transaction.organization_id, booked.amount, transaction.transaction_id)`

/** A finished transaction must have nothing in clearing, so only the others can be above zero. */
const isFinished = `transaction.status not in ('AWAITING_TRANSFER', 'PROCESSING')
           and coalesce(transaction.refund ->> 'status' = 'COMPLETED', true)`

export const clearingIsNotBelowZero: SlicePart = {
  keys: transactionKeys,
  sql: `select ${describe} as violation, transaction.organization_id, booked.asset
          from slice
          join svc.transactions as transaction on transaction.organization_id = slice.organization_id
           and transaction.transaction_id = slice.transaction_id and not (${isFinished})
         cross join lateral (${clearing}) as booked
         where booked.amount < 0`,
}

export const finishedTransactionsAreCleared: SlicePart = {
  keys: transactionKeys,
  sql: `select ${describe} as violation, transaction.organization_id, booked.asset
          from slice
          join svc.transactions as transaction on transaction.organization_id = slice.organization_id
           and transaction.transaction_id = slice.transaction_id and ${isFinished}
         cross join lateral (${clearing}) as booked
         where booked.amount <> 0`,
}

/** Finds clearing entries of transactions that do not exist, and of deposits without a transaction. */
export const clearingHasItsTransaction: SlicePart = {
  keys: postingKeys,
  sql: `select format('posting %s of organization %s moves %s of %s in clearing for no transaction', entry.posting_id,
                      entry.organization_id, entry.amount, account.asset) as violation,
               entry.organization_id, account.asset
          from (select posting.organization_id, posting.posting_id
                  from slice
                  join svc.postings as posting on posting.organization_id = slice.organization_id
                   and posting.posting_id = slice.posting_id
                 where ${namesSubject('posting.reference')}
                   and not exists (
                       select from svc.transactions as transaction
                        where transaction.organization_id = posting.organization_id
                          and transaction.transaction_id = case
                              when posting.reference like 'transaction:%' then split_part(posting.reference, ':', 2)::uuid
                              else (select deposit.transaction_id from svc.deposits as deposit
                                     where deposit.organization_id = posting.organization_id
                                       and deposit.deposit_id = split_part(posting.reference, ':', 2)::uuid) end)
                offset 0) as orphan
          join svc.entries as entry on entry.organization_id = orphan.organization_id
           and entry.posting_id = orphan.posting_id
         ${accountOfEntry}
         where account.kind = 'CLEARING'`,
}
