import { keysOf, type SliceKeys } from './slices.ts'

/** The bounds of a window for one tenant. Each is one value, so that an index reads the slice and nothing else. */
export const lowestOfTenant = `greatest($1::uuid, case tenants.organization_id when $3::uuid then $4::uuid end)`
export const highestOfTenant = `least($2::uuid, case tenants.organization_id when $5::uuid then $6::uuid end)`

/** Jumps from one organization to the next, because ids are in order only within an organization. */
const tenants = `
  tenants as (
    (select organization_id from svc.ledger_accounts order by organization_id limit 1)
    union all
    select (select account.organization_id from svc.ledger_accounts as account
             where account.organization_id > tenants.organization_id order by account.organization_id limit 1)
      from tenants where tenants.organization_id is not null)`

/**
 * Postings of a window of ids, of every organization, as `recent`: those above $1 and not above $2, after the key
 * ($3, $4) and up to the key ($5, $6).
 */
export const recentPostings = `${tenants},
  recent as materialized (
    select made.organization_id, made.posting_id, made.reference, made.captures
      from tenants
     cross join lateral (
           select organization_id, posting_id, reference, captures from svc.postings as posting
            where posting.organization_id = tenants.organization_id
              and posting.posting_id > ${lowestOfTenant} and posting.posting_id <= ${highestOfTenant}) as made
     where tenants.organization_id between $3::uuid and $5::uuid)`

/** Finds the last key of a slice of a window, after $7 other keys. */
export const recentEnd = `with recursive ${recentPostings}
  select organization_id as "organizationId", posting_id::text as key from recent
   order by organization_id, posting_id offset $7 limit 1`

/** Finds whether any organization has a posting above $1, or an entry of one. */
export const anyRecent = `with recursive ${tenants}
  select exists (
    select from tenants
     cross join lateral (
           (select from svc.postings as posting
             where posting.organization_id = tenants.organization_id and posting.posting_id > $1::uuid limit 1)
           union all
           (select from svc.entries as entry
             where entry.organization_id = tenants.organization_id and entry.posting_id > $1::uuid limit 1)) as made
  ) as "isAny"`

export const postingKeys: SliceKeys = {
  ...keysOf('svc.postings', 'posting_id'),
  recent: `${recentPostings}, keys as materialized (select organization_id, posting_id from recent)`,
}
