import { highestOfTenant, lowestOfTenant, postingKeys, recentPostings } from '../db/checks/posting-keys.ts'
import type { SliceKeys } from '../db/checks/slices.ts'

/** The keys of postings, and of entries without a posting. */
export const entryKeys: SliceKeys = {
  id: 'posting_id',
  range: `keys as materialized (
            select organization_id, posting_id from svc.postings
             where (organization_id, posting_id) > ($1::uuid, $2::uuid)
               and (organization_id, posting_id) <= ($3::uuid, $4::uuid)
             union
            select organization_id, posting_id from svc.entries
             where (organization_id, posting_id) > ($1::uuid, $2::uuid)
               and (organization_id, posting_id) <= ($3::uuid, $4::uuid))`,
  end: postingKeys.end,
  recent: `${recentPostings},
           keys as materialized (
             select organization_id, posting_id from recent
              union
             select written.organization_id, written.posting_id
               from tenants
              cross join lateral (
                    select organization_id, posting_id from svc.entries as entry
                     where entry.organization_id = tenants.organization_id
                       and entry.posting_id > ${lowestOfTenant} and entry.posting_id <= ${highestOfTenant}) as written
              where tenants.organization_id between $3::uuid and $5::uuid)`,
}

export const accountKeys: SliceKeys = {
  id: 'account_id',
  range: `keys as materialized (
            select organization_id, account_id from svc.ledger_accounts
             where (organization_id, account_id) > ($1::uuid, $2::uuid)
               and (organization_id, account_id) <= ($3::uuid, $4::uuid))`,
  end: `select organization_id as "organizationId", account_id::text as key from svc.ledger_accounts
         where (organization_id, account_id) > ($1::uuid, $2::uuid)
         order by organization_id, account_id offset $3 limit 1`,
  recent: `${recentPostings},
           keys as materialized (
             select distinct entry.organization_id, entry.account_id
               from recent
               join svc.entries as entry on entry.organization_id = recent.organization_id
                and entry.posting_id = recent.posting_id)`,
}

export const reserveKeys: SliceKeys = {
  id: 'reserve_id',
  range: `keys as materialized (
            select organization_id, reserve_id from svc.reserves
             where (organization_id, reserve_id) > ($1::uuid, $2::uuid)
               and (organization_id, reserve_id) <= ($3::uuid, $4::uuid))`,
  end: `select organization_id as "organizationId", reserve_id::text as key from svc.reserves
         where (organization_id, reserve_id) > ($1::uuid, $2::uuid)
         order by organization_id, reserve_id offset $3 limit 1`,
  recent: `${recentPostings},
           keys as materialized (
             select reserve.organization_id, reserve.reserve_id
               from recent
               join svc.reserves as reserve on reserve.organization_id = recent.organization_id
                and reserve.reference = recent.captures)`,
}
