import { highestId, lowestId } from '../../lib/ids.ts'
import type { Database, Queryable } from '../database.ts'
import { type FoundRow, selectFound, toViolation, type Violation } from './violation.ts'

/** The place up to which a pass has checked. Stored as JSON. */
export type Cursor = Record<string, unknown>

/** The key of a row: an organization and an id. */
export type Key = { organizationId: string; key: string }

export type SlicedCheck = {
  /** Checks about `size` rows after the cursor; the answer has no cursor when the pass is complete. */
  slice(queryable: Queryable, after: Cursor | undefined, size: number): Promise<SliceAnswer>
  /** The parts that check what recent postings touched. Absent when only a full pass can check the invariant. */
  recent?: readonly SlicePart[]
}

export type SliceAnswer = { found: Violation[]; next: Cursor | undefined }
export type Slice = SliceAnswer & { size: number; durationMs: number }

/** The time limit of a statement of a slice: far below that of a request, so that a pass never stands in the way. */
export const sliceLimitMs = 5_000
/** The time limit of a slice of the smallest size: a busy database is slow, and the check still has to end. */
const smallestLimitMs = 60_000
/** The duration that slices are sized for. */
const idealMs = 1_000
export const smallestSize = 50
const largestSize = 50_000
export const firstSize = 5_000

/** Runs one slice. A slice that takes too long is divided, down to a smallest size at which the check fails. */
export async function runSlice(
  database: Database,
  check: SlicedCheck,
  after: Cursor | undefined,
  size: number,
): Promise<Slice> {
  const started = performance.now()
  try {
    const answer = await withSliceLimits(database, (tx) => check.slice(tx, after, size), limitOf(size))
    return { ...answer, size, durationMs: performance.now() - started }
  } catch (error) {
    if (!isTooSlow(error) || size <= smallestSize) throw error
    return runSlice(database, check, after, divide(size))
  }
}

/** The size of a slice after one that took too long. */
export function divide(size: number): number {
  return Math.max(smallestSize, Math.floor(size / 4))
}

/** The time limit of a statement of a slice of this size. */
export function limitOf(size: number): number {
  return size <= smallestSize ? smallestLimitMs : sliceLimitMs
}

/** Sizes the next slice after the duration of this one. */
export function nextSize({ size, durationMs }: Slice): number {
  const factor = Math.min(2, Math.max(0.25, idealMs / Math.max(1, durationMs)))
  return Math.round(Math.min(largestSize, Math.max(smallestSize, size * factor)))
}

export function isTooSlow(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '57014'
}

/**
 * Runs the statements of a slice in one database transaction, with a time limit of their own. They join in the order in
 * which they are written, and look every row up by an index, because the planner cannot know how few rows a slice has,
 * nor how many a table has that was never analyzed.
 */
export function withSliceLimits<Result>(
  database: Database,
  work: (queryable: Queryable) => Promise<Result>,
  limitMs = sliceLimitMs,
): Promise<Result> {
  return database.inTx(async (tx) => {
    await tx.query({
      name: 'limit slice',
      text: `select set_config('statement_timeout', $1, true), set_config('enable_seqscan', 'off', true),
                    set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
                    set_config('enable_material', 'off', true), set_config('join_collapse_limit', '1', true),
                    set_config('jit', 'off', true), set_config('max_parallel_workers_per_gather', '0', true)`,
      values: [String(limitMs)],
    })
    return work({ query: (statement) => tx.query({ ...statement, query_timeout: limitMs + 2_000 }) })
  })
}

/**
 * The rows that a pass reads, by a key of an organization and an id, as a common table expression `keys`. `id`: the
 * column of the id. `range`: those after ($1, $2) and up to ($3, $4). `end`: the last key of a slice of $3 rows after
 * ($1, $2).
 */
export type PassKeys = { id: string; range: string; end: string }

/** `recent`: the rows that the postings of a window touched, see recentPostings. */
export type SliceKeys = PassKeys & { recent: string }

/** Names the rows of a tenant table by this id, in the order of its primary key. */
export function keysOf(table: string, id: string): PassKeys {
  const isAfter = `(organization_id, ${id}) > ($1::uuid, $2::uuid)`
  return {
    id,
    range: `keys as materialized (
              select organization_id, ${id} from ${table}
               where ${isAfter} and (organization_id, ${id}) <= ($3::uuid, $4::uuid))`,
    end: `select organization_id as "organizationId", ${id}::text as key from ${table}
           where ${isAfter} order by organization_id, ${id} offset $3 limit 1`,
  }
}

/** A part of a check: a statement that finds the violations of the rows in `slice`. */
export type PassPart = { keys: PassKeys; sql: string }
export type SlicePart = { keys: SliceKeys; sql: string }

type KeyCursor = Key & { part: number }

/** Creates a check of parts that are read slice by slice, in the order of their keys. */
export function passByKeys(parts: readonly PassPart[]): Pick<SlicedCheck, 'slice'> {
  return {
    slice: async (queryable, after, size) => {
      const { part: number, organizationId, key } = (after as KeyCursor | undefined) ?? firstOf(0)
      const part = parts[number]
      if (!part) return { found: [], next: undefined }
      const { id, end, range } = part.keys
      const [last] = await queryable.query<Key>({
        text: end,
        values: [organizationId, key, size - 1],
      })
      const upTo = last ?? { organizationId: highestId, key: highestId }
      const values = [organizationId, key, upTo.organizationId, upTo.key]
      const found = await findViolations(queryable, { id, keys: range }, part.sql, values)
      if (last) return { found, next: { part: number, ...last } }
      return { found, next: number + 1 < parts.length ? firstOf(number + 1) : undefined }
    },
  }
}

/** Creates a check that is also made of what recent postings touched. */
export function sliceByKeys(parts: readonly SlicePart[]): Required<SlicedCheck> {
  return { ...passByKeys(parts), recent: parts }
}

function firstOf(part: number): KeyCursor {
  return { part, organizationId: lowestId, key: lowestId }
}

/** Finds violations of the rows whose keys the common table expression `keys` has. */
function findViolations(
  queryable: Queryable,
  { id, keys }: { id: string; keys: string },
  sql: string,
  values: string[],
): Promise<Violation[]> {
  const listed = `select array_agg(organization_id) as organization_ids, array_agg(${id}) as ids from keys`
  return findListed(queryable, { id, listed: `${keys}, listed as materialized (${listed})` }, sql, values)
}

/** The keys of rows, as PostgreSQL writes arrays: they go back as they came. */
export type RowKeys = { organizationIds: string; ids: string; count: number }

/** Finds violations of the rows with these keys. */
export function findAmong(queryable: Queryable, { keys, sql }: SlicePart, rows: RowKeys): Promise<Violation[]> {
  const listed = `listed as materialized (select $1::uuid[] as organization_ids, $2::uuid[] as ids)`
  return findListed(queryable, { id: keys.id, listed }, sql, [rows.organizationIds, rows.ids])
}

/**
 * Finds violations of the rows in `slice`. The keys go through arrays, because the planner takes those for short lists:
 * it then begins each join with the slice, never with a whole table.
 */
async function findListed(
  queryable: Queryable,
  { id, listed }: { id: string; listed: string },
  sql: string,
  values: string[],
): Promise<Violation[]> {
  const text = `with recursive ${listed},
                     slice as materialized (
                       select unnest(organization_ids) as organization_id, unnest(ids) as ${id} from listed)
                ${selectFound(sql)}`
  return (await queryable.query<FoundRow>({ text, values })).map(toViolation)
}
