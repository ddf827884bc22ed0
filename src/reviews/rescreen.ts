import type { OpenCustomer } from '../customers/sealed-customer.ts'
import type { CustomerService } from '../customers/service.ts'
import type { Database } from '../db/database.ts'
import { LeaseLost, requireFence } from '../db/work.ts'
import { findingOfMatch } from '../verification/checks/watch-list-matches.ts'
import { type FindWallets, type RegisteredWallet, screenCustomer } from '../verification/screening/screen-customer.ts'
import type { ScreeningLookups } from '../verification/screening/screening-lookups.ts'
import type { Finding } from '../verification/submission.ts'
import { screenedStatuses } from './review.ts'
import * as screenings from './screening-store.ts'
import type { ReviewService } from './service.ts'

export type RescreenDeps = {
  database: Database
  customers: CustomerService
  reviews: Pick<ReviewService, 'openNewMatches'>
  watchList: ScreeningLookups
  findWallets: FindWallets
  onFailure(error: unknown): void
}

export type RescreenService = ReturnType<typeof createRescreenService>

/** Re-screens active and deactivated customers against each new watch list. */
export function createRescreenService(deps: RescreenDeps) {
  const { database, watchList } = deps
  return {
    /**
     * Re-screens up to `limit` customers. Each has its own lease and screened version, so workers share the work and
     * resume it after a crash.
     */
    rescreenDue: async (limit: number, leaseMs: number): Promise<number> => {
      // Read before any comparison, so that customers compared with an older list are never recorded as newer.
      const version = await watchList.currentVersion()
      if (version === undefined) return 0
      const claimed = await screenings.claimScreenings(database, version, { limit, leaseMs })
      for (const organizationId of new Set(claimed.map((each) => each.organizationId))) {
        const own = claimed.filter((each) => each.organizationId === organizationId)
        await rescreen(deps, version, own)
      }
      return claimed.length
    },

    /** Counts customers not yet screened against the newest list. */
    countUnscreened: async (): Promise<number> => {
      const version = await watchList.currentVersion()
      return version === undefined ? 0 : screenings.countUnscreened(database, version)
    },
  }
}

/** Re-screens customers of one organization. Those without a match, nearly all, finish in one statement. */
async function rescreen(
  deps: RescreenDeps,
  version: number,
  claimed: readonly screenings.ClaimedScreening[],
): Promise<void> {
  const { database, customers } = deps
  const [{ organizationId = '' } = {}] = claimed
  const customerIds = claimed.map((each) => each.customerId)
  const openedCustomers = await customers
    .openMany([organizationId], customerIds)
    .catch(() => openOneByOne(deps, organizationId, customerIds))
  const byId = new Map(openedCustomers.map((opened) => [opened.customer.customerId, opened]))
  const wallets = Map.groupBy(await deps.findWallets(organizationId, customerIds), ({ customerId }) => customerId)
  const clean: screenings.ClaimedScreening[] = []
  for (const screening of claimed) {
    const opened = byId.get(screening.customerId)
    // A customer that fails delays no other and is retried when its lease ends.
    const own = wallets.get(screening.customerId) ?? []
    const found = opened && (await screen(deps, opened, own).catch(deps.onFailure))
    if (!opened || !found) continue
    if (found.length === 0) clean.push(screening)
    else await recordMatches(deps, version, screening, opened, found).catch(unlessLost(deps.onFailure))
  }
  await screenings.finishScreenings(database, version, clean)
}

/** Opens the customers that can be opened and reports the others. */
async function openOneByOne(
  { customers, onFailure }: RescreenDeps,
  organizationId: string,
  customerIds: readonly string[],
): Promise<OpenCustomer[]> {
  const opened: OpenCustomer[] = []
  for (const customerId of customerIds) {
    const customer = await customers.open([organizationId], customerId).catch(onFailure)
    if (customer) opened.push(customer)
  }
  return opened
}

/** Ignores a lost lease: the worker that took over records the result. */
function unlessLost(onFailure: (error: unknown) => void) {
  return (error: unknown) => {
    if (!(error instanceof LeaseLost)) onFailure(error)
  }
}

async function screen(
  { customers, watchList }: RescreenDeps,
  opened: OpenCustomer,
  wallets: readonly RegisteredWallet[],
): Promise<Finding[]> {
  const { customer, profile } = opened
  // An erased customer has no profile.
  if (!profile || !screenedStatuses.includes(customer.status)) return []
  const { customerType } = customer
  const identity = customers.readIdentity(opened)
  // Names that cannot be compared are left out: a reviewer judged them at the submission.
  return (await screenCustomer(watchList, { customerType, profile, identity, wallets })).map(findingOfMatch)
}

async function recordMatches(
  { database, reviews }: RescreenDeps,
  version: number,
  screening: screenings.ClaimedScreening,
  { customer }: OpenCustomer,
  found: readonly Finding[],
): Promise<void> {
  await database.inTx(async (tx) => {
    requireFence(await screenings.finishScreenings(tx, version, [screening]))
    await reviews.openNewMatches(tx, customer, found)
  })
}
