import type { Job } from '../db/work.ts'
import type { createAdvanceService } from './advance.ts'
import type { DepositService } from './deposits/service.ts'
import type { createPayoutService } from './payouts/service.ts'

const batch = 20
const pollMs = 200

export function transactionsJob(transactions: ReturnType<typeof createAdvanceService>, leaseMs: number): Job {
  return { name: 'transactions', pollMs, runBatch: () => transactions.advanceDue(batch, leaseMs) }
}

/** Creates deposits from new sightings first, then re-checks held deposits. */
export function depositsJob(deposits: DepositService, leaseMs: number): Job {
  return {
    name: 'deposits',
    pollMs,
    runBatch: async () => (await deposits.receiveDue(batch, leaseMs)) + (await deposits.releaseDue(batch, leaseMs)),
  }
}

export function payoutsJob(payouts: ReturnType<typeof createPayoutService>, leaseMs: number): Job {
  return { name: 'payouts', pollMs, runBatch: () => payouts.payDue(batch, leaseMs) }
}
