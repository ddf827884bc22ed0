import type { Audit } from '../db/audit/audit.ts'
import type { Database, Queryable } from '../db/database.ts'
import type { CheckResult, InvariantReport } from '../db/verify.ts'
import { newId, platformOrganizationId } from '../lib/ids.ts'
import * as store from './halt-store.ts'

export type HaltDeps = {
  database: Database
  audit: Audit
  /** Reports that payouts have just been halted. */
  onHalted(halt: store.PayoutHalt): void
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

/** Halts payouts when an invariant of money is violated, until an operator resumes them. */
export function createPayoutHaltService({ database, audit, onHalted }: HaltDeps) {
  const halt = async (wanted: store.PayoutHalt, actor: string): Promise<void> => {
    const isNew = await database.inTx(async (tx) => {
      const subjectId = newId()
      if (!(await store.insertHalt(tx, subjectId, wanted))) return false
      const { kind, asset, checks: violated } = wanted
      const details = { kind, asset, violated }
      const act = { actor, action: 'payouts.halted', subjectId, details }
      await audit.append(tx, { organizationId: platformOrganizationId, ...act })
      return true
    })
    if (isNew) onHalted(wanted)
  }
  return {
    /** Halts payouts of an asset because a worker found an invariant violated before the next check did. */
    haltAsset: (asset: string, invariant: string): Promise<void> =>
      halt({ kind: 'VIOLATED', asset, checks: [invariant] }, 'worker'),

    /** Reads the halts. The payout worker calls it in the database transaction that starts payouts. */
    readHalts: async (queryable: Queryable): Promise<PayoutHalts> => {
      const halts = await store.readOpenHalts(queryable)
      return { halts, isHalted: (asset) => halts.some((halt) => halt.asset === null || halt.asset === asset) }
    },

    /** Halts the assets of the violated invariants of money; all assets when one of them names no asset. */
    haltIfViolated: async (checks: readonly CheckResult[], actor: string): Promise<void> => {
      for (const wanted of haltsFor(checks)) await halt(wanted, actor)
    },

    /** Ends every halt for an operator. While an invariant is violated it needs `force`, and the next check halts again. */
    resumePayouts: async (request: ResumeRequest): Promise<ResumeOutcome> => {
      const { reason, force } = request
      const failed = request.force ? [] : request.report.checks.filter(({ ok, isMoney }) => isMoney && !ok)
      if (failed.length > 0) return { outcome: 'STILL_VIOLATED', checks: failed.map(({ name }) => name) }
      const ended = await database.inTx(async (tx) => {
        const halts = await store.endHalts(tx, ['VIOLATED', 'NOT_CHECKED'], reason)
        for (const { haltId: subjectId, kind, asset } of halts) {
          const details = { kind, asset, reason, force }
          const act = { actor: 'command line', action: 'payouts.resumed', subjectId, details }
          await audit.append(tx, { organizationId: platformOrganizationId, ...act })
        }
        return halts.map(({ kind, asset, checks }) => ({ kind, asset, checks }))
      })
      return ended.length > 0 ? { outcome: 'RESUMED', ended } : { outcome: 'NOT_HALTED' }
    },
  }
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
