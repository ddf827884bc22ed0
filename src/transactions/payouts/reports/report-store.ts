import type { Queryable, Tx } from '../../../db/database.ts'
import { type Claimed, claimWork, type WorkTable } from '../../../db/work.ts'
import { dueIn } from '../../../db/workers/due.ts'
import { isUuid } from '../../../lib/ids.ts'
import { findPayout } from '../manual-settlement-store.ts'
import type { Payout } from '../payout.ts'
import { type ClaimedPayout, columns } from '../store.ts'

const reports: WorkTable = { table: 'svc.rail_reports', key: ['rail', 'report_id'], dueBy: 'real time' }

/** A report as it is kept: amounts are texts. */
export type StoredReport = { rail: string; reportId: string; reference: string; content: unknown }

/** Stores a report once; false when the rail has given one with this id before. */
export async function insertReport(
  database: Queryable,
  { rail, reportId, reference, content }: StoredReport,
): Promise<boolean> {
  const inserted = await database.query({
    name: 'insert rail report',
    text: `insert into svc.rail_reports (rail, report_id, reference, content, received_at, due_at)
           values ($1, $2, $3, $4, svc.now(), clock_timestamp()) on conflict do nothing returning report_id`,
    values: [rail, reportId, reference, JSON.stringify(content)],
  })
  return inserted.length > 0
}

export type ClaimedReport = Claimed<{
  rail: string
  report_id: string
  reference: string
  redirected_to: string | null
  content: unknown
}>

export const dueReports = dueIn(reports)

export function claimReports(database: Queryable, limit: number, leaseMs: number): Promise<ClaimedReport[]> {
  return claimWork(database, reports, { limit, leaseMs, columns: ['reference', 'redirected_to', 'content'] })
}

/** Ends the work about a report with its result, or, without one, tries again later. */
export async function finishReport(
  database: Queryable,
  { rail, report_id, fence }: ClaimedReport,
  { result, retryInSeconds }: { result?: 'APPLIED' | 'UNMATCHED'; retryInSeconds?: number },
): Promise<void> {
  await database.query({
    name: 'finish rail report',
    text: `update svc.rail_reports
              set result = $4, lease_until = null, due_at = clock_timestamp() + $5 * interval '1 second'
            where rail = $1 and report_id = $2 and fence = $3`,
    values: [rail, report_id, fence, result ?? null, retryInSeconds ?? null],
  })
}

/** Locks an unmatched report; answers its content, or undefined when there is none. */
export async function lockUnmatched(tx: Tx, rail: string, reportId: string): Promise<unknown> {
  const [report] = await tx.query<{ content: unknown }>({
    name: 'lock unmatched rail report',
    text: `select content from svc.rail_reports where rail = $1 and report_id = $2 and result = 'UNMATCHED'
              for no key update`,
    values: [rail, reportId],
  })
  return report?.content
}

/** Lets an unmatched report count for a payout; answers its reference, or undefined when there is none. */
export async function redirectReport(
  tx: Tx,
  rail: string,
  reportId: string,
  payoutId: string,
): Promise<string | undefined> {
  const [redirected] = await tx.query<{ reference: string }>({
    name: 'redirect rail report',
    text: `update svc.rail_reports set result = null, redirected_to = $3, due_at = clock_timestamp()
            where rail = $1 and report_id = $2 and result = 'UNMATCHED' returning reference`,
    values: [rail, reportId, payoutId],
  })
  return redirected?.reference
}

async function findByShortReference(database: Queryable, reference: string): Promise<string | undefined> {
  const [known] = await database.query<{ payoutId: string }>({
    name: 'find payout by its short reference',
    text: `select payout_id as "payoutId" from svc.payout_references where short_reference = upper($1)`,
    values: [reference],
  })
  return known?.payoutId
}

export type OpenReport = StoredReport & { state: 'UNMATCHED' | 'WAITING'; receivedAt: Date }

/** Lists reports that match no payout, and those that still wait to be applied, oldest first. */
export function listOpenReports(database: Queryable, limit: number): Promise<OpenReport[]> {
  return database.query<OpenReport>({
    name: 'list open rail reports',
    text: `select rail, report_id as "reportId", reference, content, received_at as "receivedAt",
                  coalesce(result, 'WAITING') as state
             from svc.rail_reports where result = 'UNMATCHED' or due_at is not null
            order by received_at, rail, report_id limit $1`,
    values: [limit],
  })
}

export async function countUnmatched(database: Queryable): Promise<number> {
  const [counted] = await database.query<{ count: number }>({
    name: 'count unmatched rail reports',
    text: `select count(*)::int as count from svc.rail_reports where result = 'UNMATCHED'`,
  })
  return counted?.count ?? 0
}

/** Resolves an unmatched report, once; answers its reference, or undefined when there is none. */
export async function resolveReport(tx: Tx, rail: string, reportId: string): Promise<string | undefined> {
  const [resolved] = await tx.query<{ reference: string }>({
    name: 'resolve rail report',
    text: `update svc.rail_reports set result = 'RESOLVED'
            where rail = $1 and report_id = $2 and result = 'UNMATCHED' returning reference`,
    values: [rail, reportId],
  })
  return resolved?.reference
}

/** Finds the payout that a report names by its id or its short reference. */
export async function findReported(database: Queryable, reference: string): Promise<Payout | undefined> {
  const payoutId = isUuid(reference) ? reference : await findByShortReference(database, reference)
  return payoutId === undefined ? undefined : findPayout(database, payoutId)
}

/** Takes a payout from the workers; undefined while one of them calls the rail about it. */
export async function takeReported(
  database: Queryable,
  { organizationId, payoutId }: Pick<Payout, 'organizationId' | 'payoutId'>,
  leaseMs: number,
): Promise<ClaimedPayout | undefined> {
  const [taken] = await database.query<ClaimedPayout>({
    name: 'take payout for a report',
    text: `update svc.payouts as payout
              set fence = fence + 1, lease_until = clock_timestamp() + $3 * interval '1 millisecond'
            where organization_id = $1 and payout_id = $2 and (lease_until is null or lease_until <= clock_timestamp())
        returning ${columns}, payout.fence::text as fence`,
    values: [organizationId, payoutId, leaseMs],
  })
  return taken
}
