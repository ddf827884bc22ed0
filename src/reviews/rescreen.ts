import type { OpenCustomer } from '../customers/sealed-customer.ts'
import type { CustomerService } from '../customers/service.ts'
import type { Database } from '../db/database.ts'
import { LeaseLost, requireFence } from '../db/work.ts'
import { findingOfMatch } from '../verification/checks/watch-list-matches.ts'
import { namesToScreen } from '../verification/names-to-screen.ts'
import type { Finding } from '../verification/submission.ts'
import type { WatchList } from '../verification/watch-list.ts'
import { screenedStatuses } from './review.ts'
import * as screenings from './screening-store.ts'
import type { ReviewService } from './service.ts'

export type RescreenDeps = {
  database: Database
  customers: CustomerService
  reviews: Pick<ReviewService, 'openNewHits'>
  watchList: WatchList
  onFailure(error: unknown): void
}

export type RescreenService = ReturnType<typeof createRescreenService>

/** Compares whoever is served, or was, with each new watch list. */
export function createRescreenService(deps: RescreenDeps) {
  const { database, watchList } = deps
  return {
    /**
     * Carries on with up to `limit` customers. Each has its own row, lease and list number, so any number of workers can
     * share the work, and whoever comes after a crash goes on where it ended.
     */
    rescreenDue: async (limit: number, leaseMs: number): Promise<number> => {
      // Asked before anybody is compared: a list that arrives meanwhile is for the next time.
      const version = await watchList.currentVersion()
      if (version === undefined) return 0
      const claimed = await screenings.claimScreenings(database, version, { limit, leaseMs })
      for (const organizationId of new Set(claimed.map((each) => each.organizationId))) {
        const own = claimed.filter((each) => each.organizationId === organizationId)
        await rescreen(deps, version, own)
      }
      return claimed.length
    },

    /** How many still wait for the newest list. */
    countUnscreened: async (): Promise<number> => {
      const version = await watchList.currentVersion()
      return version === undefined ? 0 : screenings.countUnscreened(database, version)
    },
  }
}

/** Customers of one organization. Those without a hit, nearly all, end in one statement. */
async function rescreen(
  deps: RescreenDeps,
  version: number,
  claimed: readonly screenings.ClaimedScreening[],
): Promise<void> {
  const { database, customers } = deps
  const [{ organizationId = '' } = {}] = claimed
  const customerIds = claimed.map((each) => each.customerId)
  const opened = await customers
    .openMany(organizationId, customerIds)
    .catch(() => openOneByOne(deps, organizationId, customerIds))
  const byId = new Map(opened.map((customer) => [customer.row.customerId, customer]))
  const clean: screenings.ClaimedScreening[] = []
  for (const screening of claimed) {
    const customer = byId.get(screening.customerId)
    // One that fails keeps back no other, and comes again when its lease ends.
    const found = customer && (await screen(deps, customer).catch(deps.onFailure))
    if (!customer || !found) continue
    if (found.length === 0) clean.push(screening)
    else await recordMatches(deps, version, screening, customer, found).catch(unlessLost(deps.onFailure))
  }
  await screenings.finishScreenings(database, version, clean)
}

/** Some cannot be opened: the others can. */
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

/** Whoever took over records it: nothing has failed. */
function unlessLost(onFailure: (error: unknown) => void) {
  return (error: unknown) => {
    if (!(error instanceof LeaseLost)) onFailure(error)
  }
}

async function screen({ customers, watchList }: RescreenDeps, customer: OpenCustomer): Promise<Finding[]> {
  // Nobody knows any more who an erased customer was.
  if (!customer.profile || !screenedStatuses.includes(customer.row.status)) return []
  const { row, profile } = customer
  const parties = namesToScreen({ customerType: row.customerType, profile, identity: customers.readIdentity(customer) })
  // A name in a script that cannot be compared was for a person to judge at the submission. It is no hit.
  return (await watchList.screen(parties)).map(findingOfMatch)
}

async function recordMatches(
  { database, reviews }: RescreenDeps,
  version: number,
  screening: screenings.ClaimedScreening,
  { row }: OpenCustomer,
  found: readonly Finding[],
): Promise<void> {
  await database.inTx(async (tx) => {
    requireFence(await screenings.finishScreenings(tx, version, [screening]))
    await reviews.openNewHits(tx, row, found)
  })
}
