import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { Database } from '../../db/database.ts'
import { type AccountScreeningDeps, isAccountBlocked } from './account.ts'
import { isRejected } from './eligibility.ts'
import { readEligibilities, readRecalled, readSourceWallets } from './eligibility-store.ts'

export type EligibilityDeps = AccountScreeningDeps & { database: Database; onFailure(error: unknown): void }

/** The facts about a payout that decide whether it may leave. */
type Candidate = {
  organizationId: string
  payoutId: string
  customerId: string | null
  transactionId: string | null
  purpose: string
  method: PaymentMethod
  /** Null when an address of ours receives. */
  paymentAccountId: string | null
  isReleased: boolean
  screenedVersion: number | null
}

/** Payouts that may leave now, and payouts that must wait. */
export type Eligibility<Payout> = {
  ready: Payout[]
  stopped: Payout[]
  /** Those that wait because no current watch list could tell whether they may leave. */
  unscreened: Payout[]
  /** Those of the stopped ones whose customer a reviewer has rejected. */
  rejected: Payout[]
  /** Those of the ready ones whose destination was screened now, with this list. */
  screened: Payout[]
  listVersion: number
}

/**
 * Decides whether payouts may leave. None leaves for a customer who is blocked by a watch-list match, or to a
 * destination that matches the list in force, or from a source wallet that does, unless a reviewer has released it. A PAYOUT needs an ACTIVE customer;
 * refunds and returns of a DEACTIVATED customer leave. None leaves while the customer owes a reversed deposit, so that
 * the same money is not taken twice, and none with money that a bank wants back. Without a current watch list none leaves, where one is required. Movements between addresses of ours leave. Must run outside a
 * database transaction.
 */
export async function chooseEligible<Payout extends Candidate>(
  deps: EligibilityDeps,
  payouts: readonly Payout[],
): Promise<Eligibility<Payout>> {
  const { database, screening } = deps
  const [stopped, rejected, unblocked]: [Payout[], Payout[], Payout[]] = [[], [], []]
  const [own, toCustomers] = divide(payouts)
  const recalled = await readRecalled(database, toCustomers)
  for (const [organizationId, all] of Map.groupBy(toCustomers, (payout) => payout.organizationId)) {
    const customerIds = all.flatMap(({ customerId }) => customerId ?? [])
    const blocked = await screening.findBlocked(database, organizationId, customerIds)
    const customers = await readEligibilities(database, organizationId, customerIds)
    for (const payout of all) {
      const customerId = payout.customerId ?? ''
      const customer = customers.get(customerId)
      const isPayout = payout.purpose === 'PAYOUT'
      const isToReject = isPayout && customer !== undefined && isRejected(customer)
      if (isToReject) rejected.push(payout)
      const isBlocked = blocked.has(customerId) && !payout.isReleased
      const isOwing = (customer?.owesReversal ?? false) || recalled.has(payout.payoutId)
      const isStopped = isToReject || isBlocked || isOwing || (isPayout && customer?.status !== 'ACTIVE')
      if (isStopped) stopped.push(payout)
      else unblocked.push(payout)
    }
  }
  // Read before screening: a list that is loaded meanwhile was not compared.
  const gap = await screening.findGap()
  const unscreened = unblocked.filter(({ isReleased }) => gap !== undefined && !isReleased)
  const screenable = unblocked.filter((payout) => !unscreened.includes(payout))
  const listVersion = (await screening.listVersion()) ?? 0
  const due = screenable.filter(({ isReleased, screenedVersion }) => !isReleased && screenedVersion !== listVersion)
  const listed = await findListed(deps, due)
  return {
    ready: [...own, ...screenable.filter((payout) => !listed.has(payout))],
    stopped: [...stopped, ...listed],
    unscreened,
    rejected,
    screened: due.filter((payout) => !listed.has(payout)),
    listVersion,
  }
}

/** Divides payouts into movements between addresses of ours, and payouts to customers. */
function divide<Payout extends Candidate>(payouts: readonly Payout[]): [Payout[], Payout[]] {
  const isOwn = ({ paymentAccountId }: Payout) => paymentAccountId === null
  return [payouts.filter(isOwn), payouts.filter((payout) => !isOwn(payout))]
}

/** Screens destinations and source wallets. A match opens a review of the customer. Where screening fails, the payout does not leave. */
async function findListed<Payout extends Candidate>(
  deps: EligibilityDeps,
  payouts: readonly Payout[],
): Promise<Set<Payout>> {
  const listed = new Set<Payout>()
  for (const [organizationId, own] of Map.groupBy(payouts, (payout) => payout.organizationId)) {
    const ids = own.flatMap(({ transactionId }) => transactionId ?? [])
    const sources = await readSourceWallets(deps.database, organizationId, ids)
    for (const payout of own) {
      const { paymentAccountId, customerId, method } = payout
      if (paymentAccountId === null || customerId === null) throw new Error('a payout names no customer or account')
      const source = sources.get(payout.transactionId ?? '')
      for (const account of [{ paymentAccountId, method }, ...(source ? [source] : [])]) {
        const isBlocked = await isAccountBlocked(deps, { organizationId, customerId, ...account }).catch(
          (error: unknown) => {
            deps.onFailure(error)
            return true
          },
        )
        if (isBlocked) listed.add(payout)
      }
    }
  }
  return listed
}
