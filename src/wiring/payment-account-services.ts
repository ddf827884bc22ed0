import { findAccountUse as findRuleUse } from '../automation-rules/service.ts'
import type { CustodyService } from '../custody/service.ts'
import { deriveKey } from '../encryption/deployment-secrets.ts'
import type { LedgerService } from '../ledger/service.ts'
import { createPaymentAccountService } from '../payment-accounts/service.ts'
import type { RateService } from '../quotes/rates/service.ts'
import { sandboxVirtualAccounts } from '../sandbox/virtual-accounts.ts'
import { awaitsMoneyBack } from '../transactions/refunds/refund-account.ts'
import { findAccountUse as findTransactionUse } from '../transactions/service.ts'
import { createVirtualAccounts, isOurAccount } from '../transactions/treasury/virtual-accounts.ts'
import { findingOfMatch } from '../verification/checks/watch-list-matches.ts'
import { screenWallets } from '../verification/screening/screen-customer.ts'
import type { CustomerServices } from './customer-services.ts'
import type { Deps } from './deps.ts'

/** The ranges of our banks; undefined where none is set. */
function createRanges({ config, database, log }: Deps, readTaken: () => Promise<ReadonlyMap<string, bigint>>) {
  const ranges = config.bankFiles?.virtualAccounts ?? []
  if (ranges.length === 0) return undefined
  return createVirtualAccounts({
    ranges,
    database,
    readTaken,
    onInvalid: (bankAccountId, problem) =>
      log.error({ bankAccountId, problem }, 'a range of SVC_VIRTUAL_ACCOUNTS cannot be used'),
  })
}

type Needed = Pick<CustomerServices, 'customers' | 'reviews' | 'screening'> & {
  custody: CustodyService
  ledger: LedgerService
  rates: RateService
}

export function createPaymentAccountServices(deps: Deps, needed: Needed) {
  const { customers, reviews, screening, custody, ledger, rates } = needed
  const { config, database, secret, pages, audit, vault, processState } = deps
  const { environment } = config
  const virtualAccounts = createRanges(deps, () => paymentAccounts.readTakenNumbers())
  const paymentAccounts = createPaymentAccountService({
    database,
    pages,
    audit,
    vault,
    customers,
    ledger,
    environment,
    sandboxContracts: () => ({}),
    configuredMethods: config.paymentMethods,
    formKey: deriveKey(secret, 'form links'),
    formsUrl: () => config.formsUrl ?? `${processState.baseUrl}/forms`,
    hashKey: deriveKey(secret, 'payment accounts'),
    addresses: custody,
    seals: custody.seals,
    walletScreening: {
      screen: async (wallet) => (await screenWallets(screening, [wallet])).map(findingOfMatch),
      openReview: reviews.openNewMatches,
    },
    virtualAccounts: virtualAccounts ?? (environment === 'sandbox' ? sandboxVirtualAccounts : undefined),
    isOurAccount: (currency, coordinates) =>
      isOurAccount({ database, ranges: config.bankFiles?.virtualAccounts ?? [] }, currency, coordinates),
    mostVirtualAccounts: config.mostVirtualAccounts,
    awaitsMoneyBack: (customer, methods) => awaitsMoneyBack(database, customer, methods),
    uses: [findTransactionUse, findRuleUse],
    usdValueOf: rates.usdValueOf,
  })
  return { paymentAccounts, virtualAccounts }
}
