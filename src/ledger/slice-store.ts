import { highestOfTenant, lowestOfTenant, postingKeys, recentPostings } from '../db/checks/posting-keys.ts'
import { keysOf, type SliceKeys } from '../db/checks/slices.ts'

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
  ...keysOf('svc.ledger_accounts', 'account_id'),
  recent: `${recentPostings},
           keys as materialized (
             select distinct entry.organization_id, entry.account_id
               from recent
               join svc.entries as entry on entry.organization_id = recent.organization_id
                and entry.posting_id = recent.posting_id)`,
}

export const reserveKeys: SliceKeys = {
  ...keysOf('svc.reserves', 'reserve_id'),
  recent: `${recentPostings},
           keys as materialized (
             select reserve.organization_id, reserve.reserve_id
               from recent
               join svc.reserves as reserve on reserve.organization_id = recent.organization_id
                and reserve.reference = recent.captures)`,
}
