import type { Queryable } from '../../../db/database.ts'
import { compareWithRecord, contradict, isOpen, recordOutcome, recordReturns } from '../ask.ts'
import { endContradiction } from '../manual-settlement-store.ts'
import type { Rail, RailReport } from '../rail.ts'
import { advance, type StepDeps } from '../steps.ts'
import { type ClaimedPayout, hasAttempt, postponePayouts, recordAttempt, releasePayout } from '../store.ts'
import { readReport, writeReport } from './report.ts'
import * as store from './report-store.ts'

export type NewReport = { rail: string; reportId: string; reference: string; report: RailReport }

const busySeconds = 1
const earlySeconds = 60

/**
 * Takes what rails report without being asked. A report is stored first, once, and applied afterwards like the answer
 * to a question: in the same steps, under the same guards.
 */
export function createReportService(deps: StepDeps) {
  return {
    /** Stores a report, in the watcher's database transaction if it has one; false when it was given before. */
    receive: ({ report, ...told }: NewReport, queryable: Queryable = deps.database): Promise<boolean> =>
      store.insertReport(queryable, { ...told, content: writeReport(report) }),

    due: store.dueReports,
    applyDue: async (limit: number, leaseMs: number): Promise<number> => {
      const claimed = await store.claimReports(deps.database, limit, leaseMs)
      // One after the other: several may be about one payout.
      for (const report of claimed) {
        await apply(report, leaseMs).catch((error: unknown) => {
          deps.onFailure(error)
          return store.finishReport(deps.database, report, { retryInSeconds: earlySeconds })
        })
      }
      return claimed.length
    },
  }

  async function apply(claimed: store.ClaimedReport, leaseMs: number): Promise<void> {
    const { rail, redirected_to } = claimed
    const reference = redirected_to ?? claimed.reference
    const known = await store.findReported(deps.database, reference)
    const served = known && deps.rails.of(known.method)
    // A rail speaks of its own payouts alone.
    if (!known || served?.name !== rail) {
      deps.onUnmatchedReport({ rail, reference })
      return store.finishReport(deps.database, claimed, { result: 'UNMATCHED' })
    }
    const payout = await store.takeReported(deps.database, known, leaseMs)
    if (!payout) return store.finishReport(deps.database, claimed, { retryInSeconds: busySeconds })
    let isApplied = false
    await advance(deps, payout, async () => {
      isApplied = await applyTo(deps, served, payout, readReport(claimed.content))
    })
    await store.finishReport(
      deps.database,
      claimed,
      isApplied ? { result: 'APPLIED' } : { retryInSeconds: earlySeconds },
    )
  }
}

/** False when it comes too early: a return before the confirmation. */
async function applyTo(deps: StepDeps, rail: Rail, payout: ClaimedPayout, report: RailReport): Promise<boolean> {
  if (payout.status === 'WAITING' && report.state !== 'DEAD') {
    // The rail tells of a payout that has not left. It does not leave before an operator has looked into it.
    await contradict(deps, payout, report)
    await postponePayouts(deps.database, [payout], earlySeconds)
    return true
  }
  if (report.state === 'DEAD') {
    // The report may be older than the latest attempt: only an answer counts.
    await postponePayouts(deps.database, [payout], 0)
    return true
  }
  if (report.state === 'PAID_TWICE' || report.state === 'PAID_ONCE') {
    const isKnown =
      report.state === 'PAID_TWICE' ? await recordSecond(deps, payout, report) : await endSecond(deps, payout)
    if (!isOpen(payout)) await releasePayout(deps.database, payout)
    return isKnown
  }
  if (isOpen(payout)) {
    if (report.state !== 'RETURNED') {
      await recordOutcome(deps, rail, payout, report.state === 'CONFIRMED' ? { ...report, returns: [] } : report)
      return true
    }
    await postponePayouts(deps.database, [payout], 0)
    return false
  }
  // A report replaces no poll: the return window ends only with an answer of the rail.
  if (!(await compareReport(deps, payout, report))) await releasePayout(deps.database, payout)
  return true
}

async function recordSecond(deps: StepDeps, payout: ClaimedPayout, report: { state: string; amount: bigint }) {
  await contradict(deps, payout, report, report.state)
  return true
}

/** Ends the alarm about a second payment; false when it comes too early: before the second payment itself. */
async function endSecond({ database }: StepDeps, payout: ClaimedPayout): Promise<boolean> {
  if (!(await hasAttempt(database, payout, 'PAID_TWICE'))) return false
  // An alarm with another cause stays.
  if (!(await hasAttempt(database, payout, 'CONTRADICTED'))) await endContradiction(database, payout)
  await recordAttempt(database, payout, 'PAID_ONCE')
  return true
}

/** Compares a report with a recorded outcome; true when it recorded a return. */
async function compareReport(
  deps: StepDeps,
  payout: ClaimedPayout,
  report: Exclude<RailReport, { state: 'DEAD' | 'PAID_TWICE' | 'PAID_ONCE' }>,
): Promise<boolean> {
  if (report.state !== 'RETURNED') {
    return compareWithRecord(deps, payout, report.state === 'CONFIRMED' ? { ...report, returns: [] } : report)
  }
  const isRight = report.currency === undefined || report.currency === payout.asset
  if (payout.status !== 'REFUSED' && isRight) return recordReturns(deps, payout, [report])
  await contradict(deps, payout, report)
  return false
}
