import type { Queryable } from './database.ts'

/**
 * A table whose rows are background work. It has `due_at` (when the row is due), `lease_until` (how long a worker holds
 * it, in real time) and `fence` (a number that grows with each claim, so that a worker that lost its lease writes nothing).
 */
export type WorkTable = {
  table: string
  key: readonly string[]
  /** Most work is due by business time, which the sandbox can move; upkeep is due by real time. */
  dueBy: 'business time' | 'real time'
}

export type Claimed<Row> = Row & { fence: string }

/** Another worker took the row over after this worker's lease ended, so this worker must record nothing. */
export class LeaseLost extends Error {}

export type ClaimOptions = {
  limit: number
  leaseMs: number
  /** Columns to return beside the key and the fence. */
  columns?: readonly string[]
  /** Only rows whose column has one of these values; at most `each` rows for each of them, which are then uuids. */
  only?: { column: string; values: readonly string[]; each?: number }
  /** Only rows of one lane: those whose text column has one of these values. Needs an index on the column and `due_at`. */
  lane?: { column: string; values: readonly string[] }
}

/** Claims up to `limit` due rows without a lease. Two workers never get the same row while its lease lasts. */
export function claimWork<Row extends object>(
  database: Queryable,
  { table, key, dueBy }: WorkTable,
  { limit, leaseMs, columns = [], only, lane }: ClaimOptions,
): Promise<Claimed<Row>[]> {
  // Read once, so that the index ends at it: see `realNow`.
  const now = dueBy === 'business time' ? 'svc.now()' : '(select clock_timestamp())'
  const same = key.map((column) => `work.${column} = due.${column}`).join(' and ')
  const selectDue = (filter: string, most: string) =>
    `select ${key.join(', ')} from ${table}
      where ${filter} due_at <= ${now} and (lease_until is null or lease_until < clock_timestamp())
      order by due_at limit ${most} for update skip locked`
  const values: unknown[] = [limit, leaseMs]
  const parameter = (value: unknown) => `$${values.push(value)}`
  /** Takes from each of these values in turn, so that rows of other values need not be skipped one by one. */
  const selectEach = (type: string, of: readonly string[], filter: string, most: string) =>
    `select ${key.join(', ')} from unnest(${parameter(of)}::${type}[]) as share (value)
       cross join lateral (${selectDue(`${filter} = share.value and`, most)}) as due limit $1`
  const isShared = only?.each !== undefined
  const select = () => {
    if (only && isShared) {
      const inLane = lane ? `${lane.column} = any(${parameter(lane.values)}) and ` : ''
      return selectEach('uuid', only.values, `${inLane}${only.column}`, parameter(only.each))
    }
    if (only) return selectDue(`${only.column} = any(${parameter(only.values)}) and`, '$1')
    return lane ? selectEach('text', lane.values, lane.column, '$1') : selectDue('', '$1')
  }
  return database.query<Claimed<Row>>({
    // PostgreSQL cuts names after 63 bytes.
    name: `claim ${table} ${[...columns, only?.column, lane?.column, isShared ? 'shared' : ''].join()}`.slice(0, 63),
    text: `with due as (${select()})
           update ${table} as work
              set lease_until = clock_timestamp() + $2 * interval '1 millisecond', fence = work.fence + 1
             from due where ${same}
        returning ${[...key, ...columns].map((column) => `work.${column}`).join(', ')}, work.fence`,
    values,
  })
}

/** Throws unless a guarded write (`… where fence = $n`) touched its row. */
export function requireFence(touched: readonly unknown[]): void {
  if (touched.length === 0) throw new LeaseLost('the lease ended and another worker took this over')
}

/** Due rows of one kind: how a worker claims them, advances one, and postpones one that failed. */
export type DueWork<Row> = {
  claim(): Promise<readonly Row[]>
  advance(row: Row): Promise<void>
  postpone(row: Row): Promise<void>
  onFailure(error: unknown): void
  onClaimed?(): void
  onAdvanced?(): void
}

/** Claims due rows and advances them one by one; answers how many there were. A row that fails blocks no other. */
export async function advanceDue<Row>(work: DueWork<Row>): Promise<number> {
  const claimed = await work.claim()
  if (claimed.length > 0) work.onClaimed?.()
  for (const row of claimed) await advanceClaimed(work, row)
  return claimed.length
}

/**
 * Advances one claimed row. A failure is reported and the row postponed. A lost lease is no failure: another worker has
 * the row, or has finished it.
 */
export async function advanceClaimed<Row>(work: Omit<DueWork<Row>, 'claim' | 'onClaimed'>, row: Row): Promise<void> {
  try {
    await work.advance(row)
  } catch (error) {
    if (error instanceof LeaseLost) return
    work.onFailure(error)
    await work.postpone(row)
  } finally {
    work.onAdvanced?.()
  }
}

/** Runs work that may outlast its lease, and renews the lease while the worker lives. */
export async function whileLeased<Result>(
  renew: () => Promise<unknown>,
  leaseMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const timer = setInterval(() => void renew().catch(() => {}), leaseMs / 3)
  return work().finally(() => clearInterval(timer))
}

/**
 * A condition in SQL that holds while a job has work. A worker evaluates it several times a second, so it must be about
 * as cheap as one step in an index. It may hold for work that the job then cannot claim, but never the other way round.
 * It has no parameters, so that PostgreSQL plans it once.
 */
export type Due = string

/** One kind of work: claims a batch, does it, and answers how many rows it had. */
export type Job = {
  name: string
  runBatch(): Promise<number>
  /** Tells whether the job has work. A job without it runs after each pause. */
  due?: Due | undefined
  /** Looks for work outside the database, such as in a folder. */
  hasArrivals?(): Promise<boolean>
  /** The pause after an empty batch; by default the worker's. A job with `due` also waits until that holds. */
  pollMs?: number
  /** The pause after an empty batch, when it changes from batch to batch. */
  pauseMs?(): number
  /** Receives the function that lets the job look at once. */
  onStart?(wake: () => void): void
  /** True when the work of this job makes no work for others. */
  isUpkeep?: boolean
  /** The job that has work after this one had some: the worker runs it at once. */
  wakes?: string
  /** Releases leases that the job holds between batches, so that the next worker need not wait for them to end. */
  release?(): Promise<void>
}

export type Worker = {
  /** Polls now instead of after the pause; call it after a commit that made work. */
  wake(): void
  /** Claims no more work and waits for batches in progress. */
  stop(): Promise<void>
}
