import { findAccountUse as findRuleUse } from '../automation-rules/service.ts'
import type { CustodyService } from '../custody/service.ts'
import type { CustomerService } from '../customers/service.ts'
import { deriveKey } from '../encryption/deployment-secrets.ts'
import type { LedgerService } from '../ledger/service.ts'
import { createPaymentAccountService } from '../payment-accounts/service.ts'
import type { RateService } from '../quotes/rates/service.ts'
import { sandboxVirtualAccounts } from '../sandbox/virtual-accounts.ts'
import { findAccountUse as findTransactionUse } from '../transactions/service.ts'
import type { Deps } from './deps.ts'

type Needed = { customers: CustomerService; custody: CustodyService; ledger: LedgerService; rates: RateService }

export function createPaymentAccountServices(deps: Deps, { customers, custody, ledger, rates }: Needed) {
  const { config, database, secret, pages, audit, vault, processState } = deps
  const { environment } = config
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
    virtualAccounts: environment === 'sandbox' ? sandboxVirtualAccounts : undefined,
    uses: [findTransactionUse, findRuleUse],
    usdValueOf: rates.usdValueOf,
  })
  return { paymentAccounts }
}
