import { type Asset, scaleOf } from '../../catalog/currencies.ts'
import type { Caller } from '../../lib/caller.ts'
import { formatAmount } from '../../lib/money.ts'
import { createFeePayoutService, type FeePayoutDeps } from './payout.ts'
import * as store from './store.ts'

type Balance = { organizationId: string; currency: object; balance: string; availableBalance: string }

export type DeveloperFeeDeps = FeePayoutDeps

export type DeveloperFeeService = ReturnType<typeof createDeveloperFeeService>

/** Shows the fees that Svc collected for integrators and still owes them, and pays them out. */
export function createDeveloperFeeService(deps: DeveloperFeeDeps) {
  const { database, ledger, currencyOf } = deps
  return {
    ...createFeePayoutService(deps),

    /** Lists the balances of the caller's organization and its children, by organization and currency. */
    list: async ({ organizationIds }: Caller) => {
      const developerFees: Balance[] = []
      for (const organizationId of organizationIds) {
        const collected = await store.readCollected(database, organizationId)
        const withheld = await store.readWithheld(database, organizationId)
        for (const { asset, posted } of await ledger.positions(database, organizationId, ['DEVELOPER_FEES'])) {
          const held = collected.filter((each) => each.asset === asset)
          const free = held.reduce((sum, { amount }) => sum + BigInt(amount), -(withheld.get(asset) ?? 0n))
          const scale = scaleOf(asset as Asset)
          developerFees.push({
            organizationId,
            currency: currencyOf(asset as Asset),
            balance: formatAmount(posted, scale),
            availableBalance: formatAmount(free > 0n ? free : 0n, scale),
          })
        }
      }
      return { developerFees, receivers: await store.readReceivers(database, organizationIds) }
    },
  }
}
