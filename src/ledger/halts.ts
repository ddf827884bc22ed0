import type { Audit } from '../db/audit/audit.ts'
import { type CheckAges, listOverdueChecks } from '../db/checks/store.ts'
import type { Database, Queryable, Tx } from '../db/database.ts'
import type { CheckResult, InvariantReport } from '../db/verify.ts'
import { newId, platformOrganizationId } from '../lib/ids.ts'
import * as store from './halt-store.ts'

export type HaltDeps = {
  database: Database
  audit: Audit
  /** Reports that payouts have just been halted. */
  onHalted(halt: store.PayoutHalt): void
  /** How old the last success of a check of money may be. */
  checkAges?: CheckAges
}

export type PayoutHalts = {
  halts: readonly store.PayoutHalt[]
  /** True when no payout of this asset may start. */
  isHalted(asset: string): boolean
}

export type ResumeRequest = { reason: string } & (
  | { force: true }
  | {
      force: false
      /** The checks as they are now. */
      report: InvariantReport
    }
)

export type ResumeOutcome =
  | { outcome: 'RESUMED'; ended: store.PayoutHalt[] }
  | { outcome: 'NOT_HALTED' }
  | { outcome: 'STILL_VIOLATED'; checks: string[] }

export const defaultCheckAges: CheckAges = { quickSeconds: 900, fullSeconds: 172_800 }

/** Halts payouts while an invariant of money is violated, or was not checked for too long. */
export function createPayoutHaltService(deps: HaltDeps) {
  const { database, checkAges = defaultCheckAges } = deps

  const readHalts = async (queryable: Queryable): Promise<PayoutHalts> => {
    const { halts, checksExcusedAt } = await store.readOpenHalts(queryable)
    // Read from the age of the results, because a worker that no longer runs cannot halt anything.
    const overdue = await listOverdueChecks(queryable, checkAges, checksExcusedAt)
    if (overdue.length > 0 && !halts.some(({ kind }) => kind === 'NOT_CHECKED')) halts.push(notChecked(overdue))
    return { halts, isHalted: (asset) => halts.some((halt) => halt.asset === null || halt.asset === asset) }
  }

  return {
    /** Halts payouts of an asset because a worker found an invariant violated before the next check did. */
    haltAsset: (asset: string, invariant: string): Promise<void> =>
      recordHalt(deps, { kind: 'VIOLATED', asset, checks: [invariant] }, 'worker'),

    /** Halts payouts of an asset together with the fact that violates an invariant. */
    haltAssetIn: async (tx: Tx, asset: string, invariant: string): Promise<void> => {
      const halt: store.PayoutHalt = { kind: 'VIOLATED', asset, checks: [invariant] }
      if (await recordHaltIn(deps, tx, halt, 'worker')) deps.onHalted(halt)
    },

    /** Reads the halts. The payout worker calls it in the database transaction that starts payouts. */
    readHalts,

    /** Halts the assets of the violated invariants of money; all assets when one of them names no asset. */
    haltIfViolated: async (checks: readonly CheckResult[], actor: string): Promise<void> => {
      for (const halt of haltsFor(checks)) await recordHalt(deps, halt, actor)
    },

    /** Records the halt while checks are overdue, and ends it once they have succeeded; a duty of one worker. */
    recordOverdueChecks: async (): Promise<void> => {
      const { halts, checksExcusedAt } = await store.readOpenHalts(database)
      const overdue = await listOverdueChecks(database, checkAges, checksExcusedAt)
      if (overdue.length > 0) return recordHalt(deps, notChecked(overdue), 'worker')
      if (!halts.some(({ kind }) => kind === 'NOT_CHECKED')) return
      const details = { reason: 'every check has succeeded' }
      await database.inTx((tx) => endHalts(deps, tx, ['NOT_CHECKED'], 'worker', details))
    },

    /** Ends every halt for an operator. While an invariant is violated it needs `force`, and the next check halts again. */
    resumePayouts: async (request: ResumeRequest): Promise<ResumeOutcome> => {
      const { reason, force } = request
      const failed = request.force ? [] : request.report.checks.filter(({ ok, isMoney }) => isMoney && !ok)
      if (failed.length > 0) return { outcome: 'STILL_VIOLATED', checks: failed.map(({ name }) => name) }
      const { halts } = await readHalts(database)
      // Without a worker, no halt of overdue checks is recorded; the record of its end excuses them for their set age.
      for (const halt of halts) if (halt.kind === 'NOT_CHECKED') await recordHalt(deps, halt, 'command line')
      const kinds = ['VIOLATED', 'NOT_CHECKED'] as const
      const ended = await database.inTx((tx) => endHalts(deps, tx, kinds, 'command line', { reason, force }))
      return ended.length > 0 ? { outcome: 'RESUMED', ended } : { outcome: 'NOT_HALTED' }
    },
  }
}

async function recordHalt(deps: HaltDeps, halt: store.PayoutHalt, actor: string): Promise<void> {
  if (await deps.database.inTx((tx) => recordHaltIn(deps, tx, halt, actor))) deps.onHalted(halt)
}

/** Records a halt; false when it was known. */
async function recordHaltIn({ audit }: HaltDeps, tx: Tx, halt: store.PayoutHalt, actor: string): Promise<boolean> {
  const subjectId = await store.insertHalt(tx, newId(), halt)
  if (!subjectId) return false
  const { kind, asset, checks: violated } = halt
  const act = { actor, action: 'payouts.halted', subjectId, details: { kind, asset, violated } }
  await audit.append(tx, { organizationId: platformOrganizationId, ...act })
  return true
}

async function endHalts(
  { audit }: HaltDeps,
  tx: Tx,
  kinds: readonly store.HaltKind[],
  actor: string,
  how: { reason: string; force?: boolean },
): Promise<store.PayoutHalt[]> {
  const ended = await store.endHalts(tx, kinds, { reason: how.reason, excusesChecks: how.force ?? false })
  for (const { haltId: subjectId, kind, asset } of ended) {
    const act = { actor, action: 'payouts.resumed', subjectId, details: { kind, asset, ...how } }
    await audit.append(tx, { organizationId: platformOrganizationId, ...act })
  }
  return ended.map(({ kind, asset, checks }) => ({ kind, asset, checks }))
}

function notChecked(checks: string[]): store.PayoutHalt {
  return { kind: 'NOT_CHECKED', asset: null, checks }
}

/** Derives one halt per affected asset. */
function haltsFor(results: readonly CheckResult[]): store.PayoutHalt[] {
  const checksByAsset = new Map<string | null, Set<string>>()
  for (const { name, found, isMoney, state } of results) {
    if (!isMoney || state !== 'VIOLATED') continue
    for (const { asset = null } of found) {
      checksByAsset.set(asset, (checksByAsset.get(asset) ?? new Set()).add(name))
    }
  }
  return [...checksByAsset].map(([asset, checks]) => ({ kind: 'VIOLATED', asset, checks: [...checks] }))
}
