import type { Audit } from '../../../db/audit/audit.ts'
import type { Database, Tx } from '../../../db/database.ts'
import { platformOrganizationId } from '../../../lib/ids.ts'
import type { RailReport } from '../rail.ts'
import { readReport } from './report.ts'
import * as store from './report-store.ts'

type UnmatchedReportDeps = {
  database: Database
  audit: Audit
  actor: string
  /** Joins a report with another one that tells the same and counts already; false when it tells something of its own. */
  joinReport(tx: Tx, payoutId: string, report: RailReport): Promise<boolean>
}

type ReportForPayout = { rail: string; reportId: string; payoutId: string; reason: string }

const maxShown = 100

/** Shows the operator of the deployment what rails reported and Svc could not apply. */
export function createUnmatchedReportService({ database, audit, actor, joinReport }: UnmatchedReportDeps) {
  return {
    list: (): Promise<store.OpenReport[]> => store.listOpenReports(database, maxShown),

    count: (): Promise<number> => store.countUnmatched(database),

    /** Applies a report to the payout that the operator names; false when there is no such unmatched report. Audited. */
    apply: ({ rail, reportId, payoutId, reason }: ReportForPayout): Promise<boolean> =>
      database.inTx(async (tx) => {
        const content = await store.lockUnmatched(tx, rail, reportId)
        if (content === undefined) return false
        const isJoined = await joinReport(tx, payoutId, readReport(content))
        const reference = isJoined
          ? await store.resolveReport(tx, rail, reportId)
          : await store.redirectReport(tx, rail, reportId, payoutId)
        const details = { rail, reference, payoutId, reason, isJoined }
        const act = { actor, action: 'rail_report.applied', subjectId: reportId, details }
        await audit.append(tx, { organizationId: platformOrganizationId, ...act })
        return true
      }),

    /** Ends the alarm about a report that matches no payout; false when there is none. Audited. */
    resolve: ({ rail, reportId, reason }: { rail: string; reportId: string; reason: string }): Promise<boolean> =>
      database.inTx(async (tx) => {
        const reference = await store.resolveReport(tx, rail, reportId)
        if (reference === undefined) return false
        const act = { actor, action: 'rail_report.resolved', subjectId: reportId, details: { rail, reference, reason } }
        await audit.append(tx, { organizationId: platformOrganizationId, ...act })
        return true
      }),
  }
}
