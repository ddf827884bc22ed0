import type { Database } from '../../db/database.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Page, PageRequest, Pages } from '../../lib/pages.ts'
import { notFound } from '../../lib/refusal.ts'
import type { DepositPresentation } from './change.ts'
import { type Deposit, undecidedStatuses } from './deposit.ts'
import { type DepositListFilter, listOf, listUndecidedOf } from './listing.ts'
import * as store from './store.ts'
import { listUndecided } from './undecided-store.ts'
import { presentDeposit } from './wire.ts'

/** Tells whose money reviewers and the platform decide about. */
export type Reviewing = {
  authority: { organizationIdsOf(caller: Caller): Promise<readonly string[]> }
}

export type DepositReadDeps = DepositPresentation & Reviewing & { database: Database; pages: Pages }
export type DepositView = ReturnType<typeof presentDeposit>
export type DepositReads = ReturnType<typeof createDepositReads>

/**
 * Shows deposits to callers. A reviewer, or the platform, who lacks `transactions:read` sees those that wait for a
 * decision: they release money that a match blocks, and must find it first.
 */
export function createDepositReads({ database, pages, authority, currencyOf }: DepositReadDeps) {
  const show = (deposit: Deposit): DepositView => presentDeposit(deposit, currencyOf)
  return {
    show,

    list: async (caller: Caller, filter: DepositListFilter, request: PageRequest): Promise<Page<DepositView>> => {
      const page = caller.scopes.has('transactions:read')
        ? await listOf({ database, pages }, caller, filter, request)
        : await listUndecidedOf({ database, pages }, caller, await authority.organizationIdsOf(caller), filter, request)
      return { ...page, items: page.items.map(show) }
    },

    read: async (caller: Caller, depositId: string): Promise<DepositView> => {
      if (!caller.scopes.has('transactions:read'))
        return show(await findForReviewer(database, authority, caller, depositId))
      const found = await store.findDeposit(database, caller.organizationIds, depositId)
      if (!found) throw notFound()
      return show(found)
    },

    /** Lists the deposits of an organization that wait for a decision, newest first, for the operator. */
    listUndecidedOf: (organizationId: string, limit: number): Promise<Deposit[]> =>
      listUndecided(database, [organizationId], {}, { after: undefined, limit }),
  }
}

/** Finds a deposit that waits for a decision, of an organization whose money the caller may release. */
export async function findForReviewer(
  database: Database,
  authority: Reviewing['authority'],
  caller: Caller,
  depositId: string,
): Promise<Deposit> {
  const found = await store.findDeposit(database, await authority.organizationIdsOf(caller), depositId)
  if (!found || !undecidedStatuses.some((status) => status === found.status)) throw notFound()
  return found
}
