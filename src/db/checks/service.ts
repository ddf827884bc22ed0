import { type Database, describeFailure, type Queryable } from '../database.ts'
import { type Check, type CheckResult, findAtOnce, type InvariantReport, verify } from '../verify.ts'
import { LeaseLost } from '../work.ts'
import { keep } from './kept-violations.ts'
import { checkRecent, findHorizon, hasPostingsAbove, quickSize, type RecentScope } from './quick.ts'
import { idAt } from './settled.ts'
import { divide, firstSize, nextSize, runSlice, type SlicedCheck } from './slices.ts'
import * as store from './store.ts'
import type { Violation } from './violation.ts'

export type CheckDeps = {
  database: Database
  checks: readonly Check[]
  /** Receives the violations as soon as they are found. */
  onResults(results: readonly CheckResult[], actor: CheckActor): Promise<void>
  onFailure(error: unknown): void
}

export type CheckActor = 'worker' | 'command line'
export type CheckService = ReturnType<typeof createCheckService>

/** The part of a pass that one batch of the worker may take, so that a stopping worker does not wait for the rest. */
const batchMs = 5_000
const hourMs = 3_600_000

/** Runs the checks of the stored data and keeps their results. */
export function createCheckService(deps: CheckDeps) {
  const { database, checks } = deps

  return {
    register: () => store.registerChecks(database, checks.map(describe)),

    read: (queryable: Queryable = database): Promise<store.StoredCheck[]> => store.readChecks(queryable),

    /** Runs every check to its end, for an operator, and keeps the results. */
    verify: async (actor: CheckActor, onResult?: (result: CheckResult) => void): Promise<InvariantReport> => {
      await store.registerChecks(database, checks.map(describe))
      const startedAt = new Date()
      const report = await verify(database, checks, onResult)
      await recordResults(deps, report.checks, startedAt)
      await deps.onResults(report.checks, actor)
      return report
    },

    /** Checks recent postings and small tables; a duty of one worker. */
    checkQuickly: async (): Promise<{ checked: number; failed: number }> => {
      const horizon = await findHorizon(database)
      const stored = new Map((await store.readChecks(database)).map((each) => [each.name, each]))
      const quiet = await recordQuiet(deps, stored, horizon)
      const outcome = { checked: quiet.size, failed: 0 }
      const count = (isSuccess: boolean) => {
        outcome[isSuccess ? 'checked' : 'failed'] += 1
      }
      const due = checks.flatMap((check) => {
        const known = stored.get(check.name)
        return known?.isQuick && !quiet.has(check.name) ? [{ check, known }] : []
      })
      for (const { check, known } of due) if (!('slice' in check)) count(await runAtOnce(deps, check, known))
      const recent = due.flatMap(({ check, known }) => {
        if (!('slice' in check && check.recent)) return []
        // Older postings are checked by the first pass.
        const after = known.checkpoint ?? idAt(known.registeredAt.getTime() - hourMs)
        return [
          { check: { ...check, recent: check.recent }, after, checkpoint: after, size: quickSize, now: known.now },
        ]
      })
      for (let wanted = recent; wanted.length > 0; ) {
        const slow: RecentRun[] = []
        for (const group of Map.groupBy(
          wanted,
          ({ after, checkpoint, size }) => `${after} ${checkpoint} ${size}`,
        ).values()) {
          slow.push(...(await runTogether(deps, group, { horizon, count })))
        }
        wanted = slow
      }
      return outcome
    },

    /** Continues or begins due passes over all rows, for some seconds; a duty of one worker. */
    checkFully: async (): Promise<{ hasMore: boolean }> => {
      const until = performance.now() + batchMs
      let stored = await store.readChecks(database)
      for (const check of checks) {
        for (;;) {
          const known = stored.find(({ name }) => name === check.name)
          if (!known?.isDue) break
          await runDueSlice(deps, check, known)
          stored = await store.readChecks(database)
          if (performance.now() >= until) return { hasMore: true }
        }
      }
      return { hasMore: false }
    },
  }
}

function describe(check: Check): store.RegisteredCheck {
  return { name: check.name, isMoney: check.isMoney ?? false, isQuick: isQuick(check) }
}

function isQuick(check: Check): boolean {
  return check.isQuick ?? ('slice' in check && check.recent !== undefined)
}

async function runDueSlice(deps: CheckDeps, check: Check, known: store.StoredCheck): Promise<void> {
  const { database } = deps
  const started = performance.now()
  try {
    if (!('slice' in check)) {
      const found = await findAtOnce(database, check)
      await reportFound(deps, check, found)
      return await finishPass(deps, known, { found, durationMs: performance.now() - started, startedAt: known.now })
    }
    const slice = await runSlice(database, check, known.position ?? undefined, known.sliceSize ?? firstSize)
    await reportFound(deps, check, slice.found)
    const startedAt = known.passStartedAt ?? known.now
    if (!slice.next) {
      const durationMs = Number(known.passMs ?? 0) + slice.durationMs
      return await finishPass(deps, known, { found: slice.found, durationMs, startedAt })
    }
    const violations = keep(await readViolations(database, known), slice.found, known.now)
    const { next, durationMs } = slice
    const isOurs = await store.recordSlice(database, known, {
      next,
      size: nextSize(slice),
      durationMs,
      startedAt,
      violations,
    })
    if (!isOurs) throw new LeaseLost('another worker continues this pass')
  } catch (error) {
    if (error instanceof LeaseLost) throw error
    deps.onFailure(error)
    await store.recordFailedPass(database, known.name, describeFailure(error))
  }
}

/** Ends a pass: what it did not find any more is no violation, unless a quick run found it meanwhile. */
async function finishPass(
  { database }: CheckDeps,
  known: store.StoredCheck,
  pass: { found: readonly Violation[]; durationMs: number; startedAt: Date },
): Promise<void> {
  const stored = await readViolations(database, known)
  const since = stored.filter(({ foundAt }) => new Date(foundAt) >= pass.startedAt)
  const violations = keep(since, pass.found, known.now)
  await store.recordPasses(database, [{ name: known.name, isQuick: false, durationMs: pass.durationMs, violations }])
}

/** Reads the violations of a check again: a quick run may have found some while a slice ran. */
async function readViolations(database: Database, { name }: store.StoredCheck): Promise<store.KeptViolation[]> {
  const known = (await store.readChecks(database)).find((each) => each.name === name)
  return known?.violations ?? []
}

/** Records the results of a whole run in one statement: there are dozens. */
async function recordResults({ database }: CheckDeps, results: readonly CheckResult[], startedAt: Date): Promise<void> {
  const stored = new Map((await store.readChecks(database)).map((each) => [each.name, each]))
  const passes: store.CompletePass[] = []
  for (const { name, state, found, error, durationMs } of results) {
    const known = stored.get(name)
    if (!known) continue
    if (state === 'NOT_CHECKED') {
      await store.recordFailedPass(database, name, error ?? '')
      continue
    }
    const since = known.violations.filter(({ foundAt }) => new Date(foundAt) >= startedAt)
    passes.push({ name, isQuick: known.isQuick, durationMs, violations: keep(since, found, known.now) })
  }
  await store.recordPasses(database, passes)
}

/** Ends the quick runs of checks that only look at postings, when there is none since all their last runs. */
async function recordQuiet(
  { database, checks }: CheckDeps,
  stored: ReadonlyMap<string, store.StoredCheck>,
  horizon: string | undefined,
): Promise<ReadonlySet<string>> {
  const isSliced = (check: Check) => 'slice' in check && check.recent !== undefined
  const runs = checks.filter(isSliced).flatMap(({ name }) => {
    const { isQuick, checkpoint, quickFailure } = stored.get(name) ?? {}
    // One that failed has to show that it can run.
    return isQuick && checkpoint && quickFailure === null ? [{ name, checkpoint }] : []
  })
  const [oldest] = runs.map(({ checkpoint }) => checkpoint).sort()
  if (horizon === undefined || oldest === undefined) return new Set()
  if (await hasPostingsAbove(database, oldest)) return new Set()
  const names = runs.map(({ name }) => name)
  await store.recordQuietRuns(database, names, horizon)
  return new Set(names)
}

/** Runs a check of a small table. Answers whether it could run. */
async function runAtOnce(
  deps: CheckDeps,
  check: Exclude<Check, SlicedCheck>,
  known: store.StoredCheck,
): Promise<boolean> {
  const { database } = deps
  const started = performance.now()
  const findAndReport = async () => {
    const found = await findAtOnce(database, check)
    await reportFound(deps, check, found)
    return { found }
  }
  const run = await findAndReport().catch((error: unknown) => ({ error }))
  if ('error' in run) {
    deps.onFailure(run.error)
    const failure = describeFailure(run.error)
    await store.recordQuickRuns(database, [{ ...known, durationMs: 0, doneSince: null, failure }])
    return false
  }
  const violations = keep([], run.found, known.now)
  await store.recordPasses(database, [{ ...known, durationMs: performance.now() - started, violations }])
  return true
}

/** A check to run over the postings after an id, in slices of a size. `now`: when the run began. */
type RecentRun = {
  check: Check & Required<SlicedCheck>
  after: string
  checkpoint: string
  size: number
  now: Date
}

/** Runs checks that have come equally far in the recent postings. Answers those that need smaller slices. */
async function runTogether(
  deps: CheckDeps,
  group: readonly RecentRun[],
  { horizon, count }: { horizon: string | undefined; count(isSuccess: boolean): void },
): Promise<RecentRun[]> {
  const { database } = deps
  const [first] = group
  if (!first) return []
  const { now } = first
  const scope: RecentScope<RecentRun['check']> = {
    ...first,
    horizon,
    nowMs: now.getTime(),
    onFound: (check, found) => reportFound(deps, check, found),
  }
  const checks = group.map(({ check }) => check)
  const slow: RecentRun[] = []
  for await (const runs of checkRecent(database, checks, scope)) {
    const stored = new Map((await store.readChecks(database)).map((each) => [each.name, each]))
    const recorded = runs.map(({ check: { name }, found, durationMs, checkpoint, end, error }) => {
      const known = stored.get(name)
      const violations = keep(known?.violations ?? [], found, known?.now ?? now)
      const failure = end === 'FAILED' ? describeFailure(error) : null
      return { name, durationMs, checkpoint, violations, failure, doneSince: end === 'DONE' ? now : null }
    })
    await store.recordQuickRuns(database, recorded)
    for (const { check, after, checkpoint, size, end, error } of runs) {
      if (end === 'TOO_SLOW') slow.push({ check, after, checkpoint, size: divide(size), now })
      if (end === 'FAILED') deps.onFailure(error)
      if (end === 'FAILED' || end === 'DONE') count(end === 'DONE')
    }
  }
  return slow
}

/** Reports violations at once, so that payouts are halted before the pass ends. */
async function reportFound({ onResults }: CheckDeps, check: Check, found: Violation[]): Promise<void> {
  if (found.length === 0) return
  const violations = found.map(({ violation }) => violation)
  const { name, isMoney = false } = check
  const result = {
    name,
    isMoney,
    ok: false,
    state: 'VIOLATED',
    violations,
    found,
    error: undefined,
    durationMs: 0,
  } as const
  await onResults([result], 'worker')
}
