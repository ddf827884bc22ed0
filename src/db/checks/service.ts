import { type Database, describeFailure, type Queryable } from '../database.ts'
import {
  type Check,
  type CheckResult,
  findAtOnce,
  type InvariantReport,
  mostViolationsShown,
  verify,
} from '../verify.ts'
import { LeaseLost } from '../work.ts'
import { checkRecent, findHorizon, hasPostingsAbove, type QuickRun } from './quick.ts'
import { idAt } from './settled.ts'
import { firstSize, nextSize, runSlice } from './slices.ts'
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
/** With more organizations and assets than this, one violation of each is kept. */
const manyGroups = 50
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
      for (const check of checks) {
        const known = stored.get(check.name)
        if (!known?.isQuick || quiet.has(check.name)) continue
        outcome[(await runQuickly(deps, check, known, horizon)) ? 'checked' : 'failed'] += 1
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
    const violations = keep(known.violations, slice.found, known.now)
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
  const since = known.violations.filter(({ foundAt }) => new Date(foundAt) >= pass.startedAt)
  const violations = keep(since, pass.found, known.now)
  await store.recordPasses(database, [{ name: known.name, isQuick: false, durationMs: pass.durationMs, violations }])
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

async function runQuickly(
  deps: CheckDeps,
  check: Check,
  known: store.StoredCheck,
  horizon: string | undefined,
): Promise<boolean> {
  const { database } = deps
  const started = performance.now()
  const run = await findQuickly(database, check, known, horizon)
  await reportFound(deps, check, run.found)
  if (!('slice' in check) && run.error === undefined) {
    const violations = keep([], run.found, known.now)
    await store.recordPasses(database, [{ ...known, durationMs: performance.now() - started, violations }])
    return true
  }
  const violations = keep(known.violations, run.found, known.now)
  const { checkpoint, error } = run
  if (error === undefined) {
    const durationMs = performance.now() - started
    await store.recordQuickRun(database, check.name, { durationMs, checkpoint, violations })
    return true
  }
  deps.onFailure(error)
  await store.recordFailedQuickRun(database, check.name, { failure: describeFailure(error), checkpoint, violations })
  return false
}

async function findQuickly(
  database: Database,
  check: Check,
  known: store.StoredCheck,
  horizon: string | undefined,
): Promise<QuickRun> {
  // Older postings are checked by the first pass.
  const checkpoint = known.checkpoint ?? idAt(known.registeredAt.getTime() - hourMs)
  try {
    if ('slice' in check && check.recent) {
      return await checkRecent(database, check.recent, { checkpoint, horizon, nowMs: known.now.getTime() })
    }
    return { found: 'slice' in check ? [] : await findAtOnce(database, check), checkpoint }
  } catch (error) {
    return { found: [], checkpoint, error }
  }
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

/** Adds violations to the known ones: each once, and some of each organization and asset, so that none hides another. */
function keep(
  known: readonly store.KeptViolation[],
  found: readonly Violation[],
  foundAt: Date,
): store.KeptViolation[] {
  const kept = new Map(known.map((each) => [each.violation, each]))
  for (const each of found) kept.set(each.violation, { ...each, foundAt: foundAt.toISOString() })
  const groups = Map.groupBy(kept.values(), ({ organizationId, asset }) => `${organizationId} ${asset}`)
  const mostOfEach = groups.size > manyGroups ? 1 : mostViolationsShown
  return [...groups.values()].flatMap((each) => each.slice(-mostOfEach))
}
