import type { Audit } from '../../../db/audit/audit.ts'
import type { Database } from '../../../db/database.ts'
import { platformOrganizationId } from '../../../lib/ids.ts'
import * as store from './report-store.ts'

type UnmatchedReportDeps = { database: Database; audit: Audit; actor: string }

type ReportForPayout = { rail: string; reportId: string; payoutId: string; reason: string }

const maxShown = 100

/** Shows the operator of the deployment what rails reported and Svc could not apply. */
export function createUnmatchedReportService({ database, audit, actor }: UnmatchedReportDeps) {
  return {
    list: (): Promise<store.OpenReport[]> => store.listOpenReports(database, maxShown),

    count: (): Promise<number> => store.countUnmatched(database),

    /** Applies a report to the payout that the operator names; false when there is no such unmatched report. Audited. */
    apply: ({ rail, reportId, payoutId, reason }: ReportForPayout): Promise<boolean> =>
      database.inTx(async (tx) => {
        const reference = await store.redirectReport(tx, rail, reportId, payoutId)
        if (reference === undefined) return false
        const details = { rail, reference, payoutId, reason }
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
