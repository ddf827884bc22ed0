import type { OpenCustomer } from '../customers/sealed-customer.ts'
import type { CustomerService } from '../customers/service.ts'
import type { Queryable, Tx } from '../db/database.ts'
import { type Caller, isPlatform } from '../lib/caller.ts'
import { notFound, Refusal } from '../lib/refusal.ts'
import type { OrganizationService } from '../organizations/service.ts'
import type { Review, ReviewDecision } from './review.ts'

export type AuthorityDeps = {
  customers: CustomerService
  organizations: Pick<OrganizationService, 'listIds' | 'decidesReviews'>
  /** Whether only a reviewer's key, or one of the platform, clears a match. */
  needsTwo: boolean
}

export type ReviewAuthority = ReturnType<typeof createReviewAuthority>

/** Decides who sees and decides which reviews: the organization its own, if it may, and the platform all. */
export function createReviewAuthority({ customers, organizations, needsTwo }: AuthorityDeps) {
  const organizationIdsOf = async (caller: Caller): Promise<readonly string[]> =>
    isPlatform(caller) ? organizations.listIds() : caller.organizationIds
  return {
    organizationIdsOf,

    open: async (caller: Caller, customerId: string): Promise<OpenCustomer> => {
      const opened = await customers.open(await organizationIdsOf(caller), customerId)
      if (!opened) throw notFound()
      return opened
    },

    /** Refuses a caller whose organization leaves its reviews to the platform. */
    requireDecider: async (tx: Tx, caller: Caller, { organizationId }: Review): Promise<void> => {
      if (isPlatform(caller) || (await organizations.decidesReviews(organizationId, tx))) return
      throw new Refusal('FORBIDDEN', 'The operator of Svc decides the reviews of this organization')
    },

    /** Tells whether the caller clears matches of the organization, and so releases money that a match blocks. */
    mayClear: async (caller: Caller, organizationId: string, within?: Queryable): Promise<boolean> => {
      if (isPlatform(caller)) return true
      if (!caller.scopes.has('reviews:write') || (needsTwo && !caller.isReviewer)) return false
      return organizations.decidesReviews(organizationId, within)
    },

    /** Refuses to clear a match with a key that could have submitted the data. */
    requireSecondPerson: (caller: Caller, review: Review, decision: ReviewDecision): void => {
      const isCleared = decision === 'APPROVE' && review.hasMatch
      if (!needsTwo || !isCleared || caller.isReviewer || isPlatform(caller)) return
      throw new Refusal(
        'FORBIDDEN',
        "Clearing a match needs a reviewer's key, which submits no data: ask the operator of Svc",
      )
    },
  }
}
