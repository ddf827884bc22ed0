import { type Asset, scaleOf } from '../../catalog/currencies.ts'
import type { Database } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { Caller } from '../../lib/caller.ts'
import { formatAmount } from '../../lib/money.ts'

export type DeveloperFeeDeps = {
  database: Database
  ledger: Pick<LedgerService, 'positions'>
  currencyOf(asset: Asset): object
}

export type DeveloperFeeService = ReturnType<typeof createDeveloperFeeService>

/** Shows the fees that Svc collected for integrators and still owes them. */
export function createDeveloperFeeService({ database, ledger, currencyOf }: DeveloperFeeDeps) {
  return {
    /** Lists the balances of the caller's organization and its children, by organization and currency. */
    list: async ({ organizationIds }: Caller) => {
      const developerFees: { organizationId: string; currency: object; balance: string }[] = []
      for (const organizationId of organizationIds) {
        for (const { asset, posted } of await ledger.positions(database, organizationId, ['DEVELOPER_FEES'])) {
          const balance = formatAmount(posted, scaleOf(asset as Asset))
          developerFees.push({ organizationId, currency: currencyOf(asset as Asset), balance })
        }
      }
      return { developerFees }
    },
  }
}
