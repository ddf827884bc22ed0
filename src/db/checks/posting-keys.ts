import type { Queryable } from '../database.ts'
import { type Key, keysOf, type RowKeys, type SliceKeys } from './slices.ts'

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

/** Postings whose ids are above `after` and not above `upTo`, and whose keys follow `from`, up to `to`. */
export type Window = { after: string; upTo: string; from: Key; to: Key }

/** Finds the key that is the last of `size` postings of a window; undefined when the window has fewer. */
export async function findEnd(queryable: Queryable, window: Window, size: number): Promise<Key | undefined> {
  const [last] = await queryable.query<Key>({
    text: `with recursive ${tenants}
           select made.organization_id as "organizationId", made.posting_id::text as key
             from tenants
            cross join lateral (
                  select organization_id, posting_id from svc.postings as posting
                   where posting.organization_id = tenants.organization_id
                     and posting.posting_id > ${lowestOfTenant} and posting.posting_id <= ${highestOfTenant}
                   order by posting_id limit $7) as made
            where tenants.organization_id between $3::uuid and $5::uuid
            order by made.organization_id, made.posting_id offset $7 - 1 limit 1`,
    values: [...valuesOf(window), size],
  })
  return last
}

/** Reads the keys of what the postings of a window touched. */
export async function readTouched(queryable: Queryable, { id, recent }: SliceKeys, window: Window): Promise<RowKeys> {
  const [rows] = await queryable.query<RowKeys>({
    text: `with recursive ${recent}
           select coalesce(array_agg(organization_id), '{}')::text as "organizationIds",
                  coalesce(array_agg(${id}), '{}')::text as ids, count(*)::int as count from keys`,
    values: valuesOf(window),
  })
  return rows ?? { organizationIds: '{}', ids: '{}', count: 0 }
}

function valuesOf({ after, upTo, from, to }: Window): string[] {
  return [after, upTo, from.organizationId, from.key, to.organizationId, to.key]
}

/**
 * Joins each `entry` with its `account`, found by its key ("offset 0"): joined otherwise, the planner may begin with all
 * accounts of the kind that the statement tests.
 */
export const accountOfEntry = `
  cross join lateral (
        select kind, holder, asset from svc.ledger_accounts as account
         where account.organization_id = entry.organization_id and account.account_id = entry.account_id
        offset 0) as account`

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
