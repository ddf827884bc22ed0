import type { Database } from '../../db/database.ts'
import { type AccountScreeningDeps, isAccountBlocked } from '../screening/account.ts'
import { isRejected } from '../screening/eligibility.ts'
import { readEligibilities } from '../screening/eligibility-store.ts'
import { recordScreening } from './start-store.ts'
import type { ClaimedPayout } from './store.ts'

export type EligibilityDeps = AccountScreeningDeps & { database: Database; onFailure(error: unknown): void }

/** Payouts that may leave now, payouts that must wait, and those of them whose customer a reviewer has rejected. */
export type Eligibility = Record<'ready' | 'stopped' | 'rejected', ClaimedPayout[]>

/**
 * Decides whether payouts may leave. None leaves for a customer who is blocked by a watch-list match, or to a
 * destination that matches the list in force, unless a reviewer has released it. A PAYOUT needs an ACTIVE customer;
 * refunds and returns of a DEACTIVATED customer leave. Must run outside a database transaction.
 */
export async function chooseEligible(deps: EligibilityDeps, payouts: readonly ClaimedPayout[]): Promise<Eligibility> {
  const { database, screening } = deps
  const found: Eligibility = { ready: [], stopped: [], rejected: [] }
  for (const [organizationId, own] of Map.groupBy(payouts, (payout) => payout.organizationId)) {
    const customerIds = own.map(({ customerId }) => customerId)
    const blocked = await screening.findBlocked(database, organizationId, customerIds)
    const customers = await readEligibilities(database, organizationId, customerIds)
    for (const payout of own) {
      const customer = customers.get(payout.customerId)
      const isPayout = payout.purpose === 'PAYOUT'
      const isToReject = isPayout && customer !== undefined && isRejected(customer)
      if (isToReject) found.rejected.push(payout)
      const isBlocked = blocked.has(payout.customerId) && !payout.isReleased
      const isStopped = isToReject || isBlocked || (isPayout && customer?.status !== 'ACTIVE')
      found[isStopped ? 'stopped' : 'ready'].push(payout)
    }
  }
  const listed = new Set(await findListed(deps, found.ready))
  return {
    ready: found.ready.filter((payout) => !listed.has(payout)),
    stopped: [...found.stopped, ...listed],
    rejected: found.rejected,
  }
}

/**
 * Screens the destinations whose last screening used another watch list. A match opens a review of the customer. A
 * payout whose destination cannot be screened does not leave.
 */
async function findListed(deps: EligibilityDeps, payouts: readonly ClaimedPayout[]): Promise<ClaimedPayout[]> {
  const version = (await deps.screening.listVersion()) ?? 0
  const due = payouts.filter(({ isReleased, screenedVersion }) => !isReleased && screenedVersion !== version)
  const stopped: ClaimedPayout[] = []
  for (const payout of due) {
    const isBlocked = await isAccountBlocked(deps, payout).catch((error: unknown) => {
      deps.onFailure(error)
      return true
    })
    if (isBlocked) stopped.push(payout)
  }
  await recordScreening(
    deps.database,
    due.filter((payout) => !stopped.includes(payout)),
    version,
  )
  return stopped
}
