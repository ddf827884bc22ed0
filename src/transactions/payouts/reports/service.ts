import { contradict, isOpen, recordAnswer, recordReturns } from '../ask.ts'
import type { Rail, RailReport } from '../rail.ts'
import { advance, type StepDeps } from '../steps.ts'
import { type ClaimedPayout, postponePayouts } from '../store.ts'
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
    /** Stores a report; false when the rail has given it before. */
    receive: ({ report, ...told }: NewReport): Promise<boolean> =>
      store.insertReport(deps.database, { ...told, content: writeReport(report) }),

    applyDue: async (limit: number, leaseMs: number): Promise<number> => {
      const claimed = await store.claimReports(deps.database, limit, leaseMs)
      // One after the other: several may be about one payout.
      for (const report of claimed) await apply(report, leaseMs)
      return claimed.length
    },
  }

  async function apply(claimed: store.ClaimedReport, leaseMs: number): Promise<void> {
    const { rail, reference } = claimed
    const payout = await store.takeReported(deps.database, reference, leaseMs)
    if (!payout) {
      deps.onUnmatchedReport({ rail, reference })
      return store.finishReport(deps.database, claimed, { result: 'UNMATCHED' })
    }
    if (payout === 'BUSY') return store.finishReport(deps.database, claimed, { retryInSeconds: busySeconds })
    const served = deps.rails.of(payout.method)
    if (!served) throw new Error(`no rail serves ${payout.method}`)
    let isApplied = false
    await advance(deps, payout, async () => {
      isApplied = await applyTo(served, payout, readReport(claimed.content))
    })
    await store.finishReport(
      deps.database,
      claimed,
      isApplied ? { result: 'APPLIED' } : { retryInSeconds: earlySeconds },
    )
  }

  /** False when it comes too early: a return before the confirmation. */
  async function applyTo(rail: Rail, payout: ClaimedPayout, report: RailReport): Promise<boolean> {
    if (payout.status === 'WAITING') {
      // The rail tells of a payout that has not left.
      await contradict(deps, payout, report)
      await postponePayouts(deps.database, [payout], earlySeconds)
      return true
    }
    if (report.state !== 'RETURNED') {
      await recordAnswer(deps, rail, payout, report.state === 'CONFIRMED' ? { ...report, returns: [] } : report)
      return true
    }
    if (isOpen(payout)) {
      await postponePayouts(deps.database, [payout], 0)
      return false
    }
    if (payout.status === 'REFUSED') await contradict(deps, payout, report)
    else await recordReturns(deps, payout, [report])
    return true
  }
}
