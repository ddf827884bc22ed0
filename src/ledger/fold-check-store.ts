import { findSettledId, takeMark } from '../db/checks/settled.ts'
import type { SlicedCheck } from '../db/checks/slices.ts'
import { type FoundRow, selectFound, toViolation, type Violation } from '../db/checks/violation.ts'
import type { Queryable } from '../db/database.ts'
import { lowestId } from '../lib/ids.ts'
import { entriesOfUnfolded } from './store.ts'

type Sums = Record<string, { amount: string; entries: string }>

/**
 * First waits until the postings up to a horizon can no longer become more. Then sums the entries of one organization
 * after the other up to the horizon, and compares them, with the entries since, to the folded balances.
 */
type FoldCursor =
  | { mark: string; markedAt: string; tries: number }
  | { horizon: string; organizationId: string | null; postingId: string; sums: Sums }

/** A minute. Our own database transactions may last half of it, and those of other databases count as well. */
const mostTries = 1_200

/** Compares the folded balance of each account without an exact one to the sum of its folded entries. */
export const foldSlices: SlicedCheck = {
  slice: async (queryable, after, size) => {
    const cursor = after as FoldCursor | undefined
    if (!cursor) return { found: [], next: { ...(await takeMark(queryable)), tries: 0 } }
    if ('mark' in cursor) {
      const horizon = await findSettledId(queryable, cursor)
      if (!horizon && cursor.tries >= mostTries) throw new Error('a database transaction has been open for too long')
      if (!horizon) return { found: [], next: { ...cursor, tries: cursor.tries + 1 } }
      const organizationId = await readNextOrganization(queryable, null)
      return { found: [], next: { horizon, organizationId, postingId: lowestId, sums: {} } }
    }
    const { horizon, organizationId, postingId } = cursor
    if (organizationId === null) return { found: [], next: undefined }
    const { end, sums } = await sumEntries(queryable, organizationId, { after: postingId, upTo: horizon, size })
    const total = add(cursor.sums, sums)
    if (end) return { found: [], next: { horizon, organizationId, postingId: end, sums: total } }
    const found = await findWrongFolds(queryable, organizationId, horizon, total)
    const following = await readNextOrganization(queryable, organizationId)
    return { found, next: { horizon, organizationId: following, postingId: lowestId, sums: {} } }
  },
}

function add(first: Sums, second: Sums): Sums {
  const total = { ...first }
  for (const [accountId, { amount, entries }] of Object.entries(second)) {
    const before = total[accountId] ?? { amount: '0', entries: '0' }
    total[accountId] = {
      amount: String(BigInt(before.amount) + BigInt(amount)),
      entries: String(BigInt(before.entries) + BigInt(entries)),
    }
  }
  return total
}

async function readNextOrganization(queryable: Queryable, after: string | null): Promise<string | null> {
  const [next] = await queryable.query<{ organizationId: string }>({
    text: `select organization_id as "organizationId" from svc.ledger_accounts
            where $1::uuid is null or organization_id > $1::uuid order by organization_id limit 1`,
    values: [after],
  })
  return next?.organizationId ?? null
}

type Range = { after: string; upTo: string; size: number }

async function sumEntries(
  queryable: Queryable,
  organizationId: string,
  { after, upTo, size }: Range,
): Promise<{ end: string | undefined; sums: Sums }> {
  const [last] = await queryable.query<{ end: string }>({
    text: `select posting_id as "end" from svc.postings
            where organization_id = $1 and posting_id > $2 and posting_id <= $3
            order by posting_id offset $4 limit 1`,
    values: [organizationId, after, upTo, size - 1],
  })
  const rows = await queryable.query<{ accountId: string; amount: string; entries: string }>({
    text: `select account_id as "accountId", sum(amount) as amount, count(*) as entries from svc.entries
            where organization_id = $1 and posting_id > $2 and posting_id <= $3 and account_sequence is null
            group by account_id`,
    values: [organizationId, after, last?.end ?? upTo],
  })
  const sums = Object.fromEntries(rows.map(({ accountId, amount, entries }) => [accountId, { amount, entries }]))
  return { end: last?.end, sums }
}

/** Adds the entries above the horizon and takes those off that are not folded yet, all in one snapshot. */
async function findWrongFolds(
  queryable: Queryable,
  organizationId: string,
  horizon: string,
  sums: Sums,
): Promise<Violation[]> {
  const known = Object.entries(sums)
  const rows = await queryable.query<FoundRow>({
    text: `with counted as (
             select account_id, amount, entries
               from unnest($3::uuid[], $4::numeric[], $5::bigint[]) as summed (account_id, amount, entries)
              union all
             select account_id, sum(amount), count(*) from svc.entries
              where organization_id = $1 and posting_id > $2 and account_sequence is null group by account_id
              union all
             select entry.account_id, -sum(entry.amount), -count(*)
               from svc.unfolded_postings as unfolded
              ${entriesOfUnfolded}
              where unfolded.organization_id = $1 group by entry.account_id),
           total as materialized (
             select account_id, sum(amount) as amount, sum(entries)::bigint as entries from counted group by account_id)
           ${selectFound(`
             select format('account %s of organization %s was folded to %s in %s entries; they are %s in %s',
                           account.account_id, account.organization_id, account.posted, account.entry_count,
                           coalesce(total.amount, 0), coalesce(total.entries, 0)) as violation,
                    account.organization_id, account.asset
               from svc.ledger_accounts as account
               left join total using (account_id)
              where account.organization_id = $1 and not account.keeps_balance
                and (account.posted, account.entry_count) is distinct from
                    (coalesce(total.amount, 0), coalesce(total.entries, 0))`)}`,
    values: [
      organizationId,
      horizon,
      known.map(([accountId]) => accountId),
      known.map(([, { amount }]) => amount),
      known.map(([, { entries }]) => entries),
    ],
  })
  return rows.map(toViolation)
}
