import { recentPostings } from '../../db/checks/posting-keys.ts'
import type { SliceKeys } from '../../db/checks/slices.ts'

/** The subjects of the recent postings: a transaction or deposit, by the reference of the posting. */
const subjects = `${recentPostings},
  subjects as materialized (
    select distinct organization_id, split_part(reference, ':', 1) as type,
           case when reference ~ '^(transaction|deposit):[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:'
                then split_part(reference, ':', 2)::uuid end as id
      from recent)`

export const transactionKeys: SliceKeys = {
  id: 'transaction_id',
  range: `keys as materialized (
            select organization_id, transaction_id from svc.transactions
             where (organization_id, transaction_id) > ($1::uuid, $2::uuid)
               and (organization_id, transaction_id) <= ($3::uuid, $4::uuid))`,
  end: `select organization_id as "organizationId", transaction_id::text as key from svc.transactions
         where (organization_id, transaction_id) > ($1::uuid, $2::uuid)
         order by organization_id, transaction_id offset $3 limit 1`,
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
  id: 'deposit_id',
  range: `keys as materialized (
            select organization_id, deposit_id from svc.deposits
             where (organization_id, deposit_id) > ($1::uuid, $2::uuid)
               and (organization_id, deposit_id) <= ($3::uuid, $4::uuid))`,
  end: `select organization_id as "organizationId", deposit_id::text as key from svc.deposits
         where (organization_id, deposit_id) > ($1::uuid, $2::uuid)
         order by organization_id, deposit_id offset $3 limit 1`,
  recent: `${subjects},
           keys as materialized (
             select organization_id, id as deposit_id from subjects where type = 'deposit' and id is not null)`,
}
