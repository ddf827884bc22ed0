import type { Queryable } from '../database.ts'
import type { Due } from '../work.ts'
import type { Cursor } from './slices.ts'
import type { Violation } from './violation.ts'

export type KeptViolation = Violation & { foundAt: string }

/** The last results of a check. */
export type StoredCheck = {
  name: string
  isMoney: boolean
  isQuick: boolean
  registeredAt: Date
  checkedAt: Date | null
  durationMs: string | null
  quickAt: Date | null
  quickMs: string | null
  checkpoint: string | null
  violations: KeptViolation[]
  failure: string | null
  quickFailure: string | null
  position: Cursor | null
  sliceSize: number | null
  passStartedAt: Date | null
  passMs: string | null
  isDue: boolean
  now: Date
}

export type RegisteredCheck = { name: string; isMoney: boolean; isQuick: boolean }

/** Registers the checks of this version, and retires those that only another version knew. */
export async function registerChecks(database: Queryable, checks: readonly RegisteredCheck[]): Promise<void> {
  await database.query({
    text: `with known as (
             insert into svc.checks (name, is_money, is_quick)
             select name, is_money, is_quick from unnest($1::text[], $2::boolean[], $3::boolean[])
                    as registered (name, is_money, is_quick)
                 on conflict (name) do update
                set is_money = excluded.is_money, is_quick = excluded.is_quick, retired_at = null,
                    registered_at = case when checks.retired_at is null then checks.registered_at
                                         else excluded.registered_at end
             returning name)
           update svc.checks set retired_at = clock_timestamp()
            where retired_at is null and name <> all ($1) and not exists (select from known where known.name = checks.name)`,
    values: [
      checks.map(({ name }) => name),
      checks.map(({ isMoney }) => isMoney),
      checks.map(({ isQuick }) => isQuick),
    ],
  })
}

/** Holds while a pass over all rows is due. */
export const passDue: Due = 'exists (select from svc.checks where retired_at is null and due_at <= clock_timestamp())'

export function readChecks(database: Queryable): Promise<StoredCheck[]> {
  return database.query<StoredCheck>({
    name: 'read checks',
    text: `select name, is_money as "isMoney", is_quick as "isQuick", registered_at as "registeredAt",
                  checked_at as "checkedAt", duration_ms as "durationMs", quick_at as "quickAt", quick_ms as "quickMs",
                  checkpoint, violations, failure, quick_failure as "quickFailure", position, slice_size as "sliceSize",
                  pass_started_at as "passStartedAt", pass_ms as "passMs", due_at <= clock_timestamp() as "isDue",
                  clock_timestamp() as now
             from svc.checks where retired_at is null order by name`,
  })
}

export type CheckAges = { quickSeconds: number; fullSeconds: number }

/**
 * Lists the invariants of money whose last success is older than the set age. The age counts from the registration of a
 * check that never succeeded, and from an operator's decision to resume payouts without it.
 */
export async function listOverdueChecks(
  database: Queryable,
  { quickSeconds, fullSeconds }: CheckAges,
  resumedAt: Date | null,
): Promise<string[]> {
  const rows = await database.query<{ name: string }>({
    name: 'list overdue checks',
    text: `select name from svc.checks
            where is_money and retired_at is null
              and ((is_quick and greatest(coalesce(quick_at, registered_at), $3)
                                 < clock_timestamp() - $1 * interval '1 second')
                   or greatest(coalesce(checked_at, registered_at), $3)
                      < clock_timestamp() - $2 * interval '1 second')
            order by name`,
    values: [quickSeconds, fullSeconds, resumedAt],
  })
  return rows.map(({ name }) => name)
}

/** Records a slice of a pass that continues. False when another worker has moved the pass. */
export async function recordSlice(
  database: Queryable,
  { name, position }: Pick<StoredCheck, 'name' | 'position'>,
  slice: { next: Cursor; size: number; durationMs: number; startedAt: Date; violations: KeptViolation[] },
): Promise<boolean> {
  const recorded = await database.query({
    text: `update svc.checks
              set position = $3, slice_size = $4, pass_ms = coalesce(pass_ms, 0) + $5, pass_started_at = $6,
                  violations = $7, failure = null
            where name = $1 and position is not distinct from $2::jsonb returning name`,
    values: [
      name,
      position && JSON.stringify(position),
      JSON.stringify(slice.next),
      slice.size,
      Math.round(slice.durationMs),
      slice.startedAt,
      JSON.stringify(slice.violations),
    ],
  })
  return recorded.length > 0
}

export type CompletePass = Pick<StoredCheck, 'name' | 'isQuick'> & { durationMs: number; violations: KeptViolation[] }

/**
 * Records complete passes. The next one of each follows after twenty times its duration: within an hour and a day. Rows
 * are locked in the order of their names, so that two runs at once do not deadlock.
 */
export async function recordPasses(database: Queryable, passes: readonly CompletePass[]): Promise<void> {
  await database.query({
    name: 'record passes',
    text: `with locked as materialized (
             select name from svc.checks where name = any ($1) order by name for no key update)
           update svc.checks
              set checked_at = clock_timestamp(), duration_ms = pass.ms, violations = pass.violations, failure = null,
                  quick_at = case when pass.is_quick then clock_timestamp() else quick_at end,
                  quick_failure = case when pass.is_quick then null else quick_failure end,
                  position = null, pass_ms = null, pass_started_at = null,
                  due_at = clock_timestamp() + least(greatest(pass.ms * 20, 3600000), 86400000) * interval '1 millisecond'
             from locked join unnest($1::text[], $2::bigint[], $3::jsonb[], $4::boolean[])
                              as pass (name, ms, violations, is_quick) using (name)
            where checks.name = pass.name`,
    values: [
      passes.map(({ name }) => name),
      passes.map(({ durationMs }) => Math.round(durationMs)),
      passes.map(({ violations }) => JSON.stringify(violations)),
      passes.map(({ isQuick }) => isQuick),
    ],
  })
}

/** Records that a pass could not continue; it is retried in a minute. */
export async function recordFailedPass(database: Queryable, name: string, failure: string): Promise<void> {
  await database.query({
    text: `update svc.checks set failure = $2, slice_size = null, due_at = clock_timestamp() + interval '1 minute'
            where name = $1`,
    values: [name, failure],
  })
}

export type RecordedRun = Pick<StoredCheck, 'name' | 'checkpoint' | 'violations'> & {
  durationMs: number
  /** When a run began that has checked everything; null for one that goes on or has failed. */
  doneSince: Date | null
  failure: string | null
}

/** Records runs over recent postings, as far as they came. Rows are locked in the order of their names. */
export async function recordQuickRuns(database: Queryable, runs: readonly RecordedRun[]): Promise<void> {
  await database.query({
    name: 'record quick runs of checks',
    text: `with locked as materialized (
             select name from svc.checks where name = any ($1) order by name for no key update)
           update svc.checks
              set checkpoint = run.checkpoint, violations = run.violations,
                  quick_at = coalesce(run.done_since, quick_at),
                  quick_ms = case when run.done_since is null then quick_ms else run.ms end,
                  quick_failure = case when run.done_since is null then coalesce(run.failure, quick_failure) end
             from locked join unnest($1::text[], $2::uuid[], $3::jsonb[], $4::text[], $5::bigint[], $6::timestamptz[])
                              as run (name, checkpoint, violations, failure, ms, done_since) using (name)
            where checks.name = run.name`,
    values: [
      runs.map(({ name }) => name),
      runs.map(({ checkpoint }) => checkpoint),
      runs.map(({ violations }) => JSON.stringify(violations)),
      runs.map(({ failure }) => failure),
      runs.map(({ durationMs }) => Math.round(durationMs)),
      runs.map(({ doneSince }) => doneSince),
    ],
  })
}

/** Records quick runs for which there was nothing to check. */
export async function recordQuietRuns(
  database: Queryable,
  names: readonly string[],
  checkpoint: string,
): Promise<void> {
  await database.query({
    name: 'record quiet runs of checks',
    text: `update svc.checks set quick_at = clock_timestamp(), quick_ms = 0, checkpoint = $2, quick_failure = null
            where name = any ($1)`,
    values: [names, checkpoint],
  })
}
