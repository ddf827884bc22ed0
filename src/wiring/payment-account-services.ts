import { whyAccountInUse as rulesUse } from '../automation-rules/service.ts'
import type { CustodyService } from '../custody/service.ts'
import type { CustomerService } from '../customers/service.ts'
import { deriveKey } from '../encryption/deployment-secrets.ts'
import type { LedgerService } from '../ledger/service.ts'
import { makePaymentAccountService } from '../payment-accounts/service.ts'
import type { RateService } from '../quotes/rates/service.ts'
import { sandboxVirtualAccounts } from '../sandbox/virtual-accounts.ts'
import { whyAccountInUse as transactionsUse } from '../transactions/service.ts'
import type { AppOptions, CustomerParts } from './parts.ts'

type PaymentAccountParts = CustomerParts & {
  customers: CustomerService
  custody: CustodyService
  ledger: LedgerService
  rates: RateService
}

export function makePaymentAccountServices({ config }: AppOptions, parts: PaymentAccountParts) {
  const { database, secret, pages, audit, vault, customers, custody, ledger, rates, address } = parts
  const { environment } = config
  const paymentAccounts = makePaymentAccountService({
    ...{ database, pages, audit, vault, customers, ledger, environment },
    sandboxContracts: () => ({}),
    configuredMethods: config.paymentMethods,
    formKey: deriveKey(secret, 'form links'),
    formsUrl: () => config.formsUrl ?? `${address.baseUrl}/forms`,
    hashKey: deriveKey(secret, 'payment accounts'),
    addresses: custody,
    virtualAccounts: environment === 'sandbox' ? sandboxVirtualAccounts : undefined,
    uses: [transactionsUse, rulesUse],
    usdValueOf: rates.usdValueOf,
  })
  return { paymentAccounts }
}
