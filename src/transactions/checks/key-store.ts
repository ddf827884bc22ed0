import { recentPostings } from '../../db/checks/posting-keys.ts'
import { keysOf, type SliceKeys } from '../../db/checks/slices.ts'

/** Holds for a reference that begins with a transaction or deposit and its id. Much faster than a regular expression. */
export const namesSubject = (reference: string): string => `
  (${reference} like 'transaction:________-____-____-____-____________:%'
   or ${reference} like 'deposit:________-____-____-____-____________:%')
  and length(split_part(${reference}, ':', 2)) = 36
  and translate(split_part(${reference}, ':', 2), '0123456789abcdef', '') = '----'`

/** The subjects of the recent postings: a transaction or deposit, by the reference of the posting. */
const subjects = `${recentPostings},
  subjects as materialized (
    select distinct organization_id, split_part(reference, ':', 1) as type,
           case when ${namesSubject('reference')} then split_part(reference, ':', 2)::uuid end as id
      from recent)`

export const transactionKeys: SliceKeys = {
  ...keysOf('svc.transactions', 'transaction_id'),
  recent: `${subjects},
           keys as materialized (
             select organization_id, id as transaction_id from subjects where type = 'transaction' and id is not null
              union
             select deposit.organization_id, deposit.transaction_id
               from subjects
               join svc.deposits as deposit on deposit.organization_id = subjects.organization_id
                and deposit.deposit_id = subjects.id
              where subjects.type = 'deposit' and deposit.transaction_id is not null)`,
}

export const depositKeys: SliceKeys = {
  ...keysOf('svc.deposits', 'deposit_id'),
  recent: `${subjects},
           keys as materialized (
             select organization_id, id as deposit_id from subjects where type = 'deposit' and id is not null)`,
}
