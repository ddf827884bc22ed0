import type { Audit } from '../db/audit/audit.ts'
import type { Database } from '../db/database.ts'
import { standingDutyJob } from '../db/standing-duty.ts'
import type { Job } from '../db/work.ts'
import type { createAdvanceService } from './advance.ts'
import type { DepositService } from './deposits/service.ts'
import { destinationAlertDuty } from './destination-alerts/service.ts'
import type { PayoutService } from './payouts/service.ts'

const batch = 20
/** Sets of deposits and transactions share one database transaction, so that larger ones cost less each. */
const setSize = 100
const pollMs = 200

export function transactionsJob(transactions: ReturnType<typeof createAdvanceService>, leaseMs: number): Job {
  return {
    name: 'transactions',
    pollMs,
    due: transactions.due,
    runBatch: () => transactions.advanceDue(setSize, leaseMs),
  }
}

/** Creates deposits from new sightings first, then re-checks held deposits. */
export function depositsJob(deposits: DepositService, leaseMs: number): Job {
  return {
    name: 'deposits',
    pollMs,
    due: deposits.due,
    wakes: 'transactions',
    runBatch: async () => (await deposits.receiveDue(setSize, leaseMs)) + (await deposits.releaseDue(batch, leaseMs)),
  }
}

/** Each rail has jobs of its own: a rail that does not answer delays its own payouts alone. */
export function payoutJobs({ lanes, reports }: PayoutService, leaseMs: number): Job[] {
  return [
    ...lanes.flatMap(({ name, due, together, payDue }) =>
      Array.from({ length: together }, (_, at) => ({
        name: at === 0 ? `payouts: ${name}` : `payouts: ${name}, ${at + 1}`,
        pollMs,
        due,
        runBatch: () => payDue(batch, leaseMs),
      })),
    ),
    { name: 'rail reports', due: reports.due, runBatch: () => reports.applyDue(batch, leaseMs) },
  ]
}

/** Tells of first large payouts. Less often than other jobs: each event of any kind makes it due. */
export function destinationAlertJob(database: Database, audit: Audit, leastUsd: number, leaseMs: number): Job {
  return { ...standingDutyJob(database, destinationAlertDuty(audit, { leastUsd }), leaseMs), pollMs: 1_000 }
}
