import type { CustomerService } from '../customers/service.ts'
import { deriveKey } from '../encryption/deployment-secrets.ts'
import { makePaymentAccountService } from '../payment-accounts/service.ts'
import { sandboxVirtualAccounts } from '../sandbox/virtual-accounts.ts'
import type { AppOptions, CustomerParts } from './parts.ts'

export function makePaymentAccountServices(
  { config, walletAddresses }: AppOptions,
  parts: CustomerParts & { customers: CustomerService },
) {
  const { database, secret, pages, audit, vault, customers, address } = parts
  const { environment } = config
  const paymentAccounts = makePaymentAccountService({
    ...{ database, pages, audit, vault, customers, environment },
    sandboxContracts: () => ({}),
    formKey: deriveKey(secret, 'form links'),
    formsUrl: () => config.formsUrl ?? `${address.baseUrl}/forms`,
    hashKey: deriveKey(secret, 'payment accounts'),
    addresses: walletAddresses ?? noAddresses,
    virtualAccounts: environment === 'sandbox' ? sandboxVirtualAccounts : undefined,
    uses: [],
    balancesOf: async () => [],
    usdValueOf: () => undefined,
  })
  return { paymentAccounts }
}

/** Until a signer derives addresses there are none to hand out. */
const noAddresses = { take: async () => undefined, isOurs: async () => false }
