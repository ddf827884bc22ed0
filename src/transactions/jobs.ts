import type { Job } from '../db/work.ts'
import type { createAdvanceService } from './advance.ts'
import type { DepositService } from './deposits/service.ts'
import type { PayoutService } from './payouts/service.ts'

const batch = 20
const pollMs = 200

export function transactionsJob(transactions: ReturnType<typeof createAdvanceService>, leaseMs: number): Job {
  return {
    name: 'transactions',
    pollMs,
    due: transactions.due,
    runBatch: () => transactions.advanceDue(batch, leaseMs),
  }
}

/** Creates deposits from new sightings first, then re-checks held deposits. */
export function depositsJob(deposits: DepositService, leaseMs: number): Job {
  return {
    name: 'deposits',
    pollMs,
    due: deposits.due,
    runBatch: async () => (await deposits.receiveDue(batch, leaseMs)) + (await deposits.releaseDue(batch, leaseMs)),
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
