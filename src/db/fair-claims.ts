import type { Queryable } from './database.ts'
import { type Claimed, type ClaimOptions, claimWork, type WorkTable } from './work.ts'

/** A work table whose batches are shared out while a backlog exists. Needs an index on (`sharedBy`, `due_at`). */
export type SharedWorkTable = WorkTable & {
  /** The column with the organization of a row. */
  sharedBy: string
}

/** The position of one worker in the round of organizations. It is in memory: a new worker starts a new round. */
export type ClaimRound = { isSharedNext: boolean; after: string; turn: number }

const highest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export const startRound = (): ClaimRound => ({ isSharedNext: false, after: highest, turn: 0 })

/**
 * Limits the cost of a shared claim: an organization that is visited may have no due row, only a later one. The next
 * shared claim continues after the last one visited.
 */
const mostVisits = 1_000

/**
 * Claims the oldest due rows. After a full batch more rows may wait than a worker can take: the next claim shares its
 * batch out among organizations with due rows, so that one organization's backlog does not delay the others.
 */
export async function claimFairly<Row extends object>(
  database: Queryable,
  table: SharedWorkTable,
  options: Pick<ClaimOptions, 'limit' | 'leaseMs' | 'lane'>,
  round: ClaimRound,
): Promise<Claimed<Row>[]> {
  const { limit } = options
  if (round.isSharedNext) {
    round.isSharedNext = false
    const { due, last } = await visitOrganizations(database, table, limit, round.after)
    round.after = last ?? round.after
    if (due.length > 0) {
      const only = { column: table.sharedBy, values: due, each: Math.ceil(limit / due.length) }
      const claimed = await claimWork<Row>(database, table, { ...options, only })
      if (claimed.length > 0) return claimed
    }
  }
  const claimed = await claimWork<Row>(database, table, { ...options, ...rotate(options, round) })
  round.isSharedNext = claimed.length === limit
  return claimed
}

/** Begins with another value of the lane each time, so that one with many rows does not keep the others waiting. */
function rotate({ lane }: Pick<ClaimOptions, 'lane'>, round: ClaimRound): Pick<ClaimOptions, 'lane'> {
  if (!lane) return {}
  round.turn = (round.turn + 1) % lane.values.length
  const values = [...lane.values.slice(round.turn), ...lane.values.slice(0, round.turn)]
  return { lane: { column: lane.column, values } }
}

/**
 * Visits organizations in the order of their ids, starting after the last one visited, until enough have due rows. The
 * index gives each organization's earliest row in one step, however many rows it has.
 */
async function visitOrganizations(
  database: Queryable,
  { table, sharedBy, dueBy }: SharedWorkTable,
  limit: number,
  after: string,
): Promise<{ due: string[]; last: string | null }> {
  const now = dueBy === 'business time' ? '(select svc.now())' : 'clock_timestamp()'
  const [visited] = await database.query<{ due: string[]; last: string | null }>({
    name: `visit organizations of ${table}`.slice(0, 63),
    text: `with recursive visited as (
             select $1::uuid as id, null::timestamptz as due_at, false as is_wrapped, 0 as visits, 0 as found
              union all
             select next.id, next.due_at, next.is_wrapped, visits + 1, found + (next.due_at <= ${now})::int
               from visited cross join lateral (
                      (select ${sharedBy} as id, due_at, visited.is_wrapped from ${table}
                        where due_at is not null and ${sharedBy} > visited.id
                          and ${sharedBy} <= case when visited.is_wrapped then $1 else '${highest}' end::uuid
                        order by ${sharedBy}, due_at limit 1)
                      union all
                      (select ${sharedBy}, due_at, true from ${table}
                        where due_at is not null and not visited.is_wrapped and ${sharedBy} <= $1
                        order by ${sharedBy}, due_at limit 1)
                      limit 1) as next
              where visits < $2 and found < $3)
           select coalesce(array_agg(id order by visits) filter (where due_at <= ${now}), '{}') as due,
                  (array_agg(id order by visits desc) filter (where visits > 0))[1] as last
             from visited`,
    values: [after, mostVisits, limit],
  })
  return visited ?? { due: [], last: null }
}
