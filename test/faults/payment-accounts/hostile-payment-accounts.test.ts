import { expect, test } from 'vitest'
import { createCustomer } from '../../support/customers/customers.ts'
import {
  bankAccountOf,
  bankAccounts,
  createAccount,
  externalWalletOf,
  postAccount,
  serviceWalletOf,
} from '../../support/money/payment-accounts.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'
import { fillAddressPool } from '../../support/money/wallets.ts'
import { startApi } from '../../support/runner/api.ts'

const api = await startApi({ SVC_RATE_LIMIT_SANDBOX: '0' })
await fillAddressPool(api.database)
const { customerId } = await createCustomer(api, { firstName: 'Ada', lastName: 'Example' })
const destination = await createAccount(api, serviceWalletOf(customerId))

const right = [
  bankAccountOf(customerId, bankAccounts.ACH({ bankAddress: '1 Street', bankAccountType: 'SAVINGS' })),
  bankAccountOf(customerId, bankAccounts.WIRE({ bankAccountCurrency: 'USD' }), {
    isThirdParty: true,
    nickname: 'Rent',
  }),
  bankAccountOf(customerId, bankAccounts.SEPA()),
  bankAccountOf(customerId, bankAccounts.CA_INTERAC()),
  bankAccountOf(customerId, bankAccounts.IN_NEFT_RTGS_IMPS()),
  externalWalletOf(customerId, {
    chain: 'BASE',
    currency: 'USDC',
    address: { address: makeEvmAddress(), chain: 'BASE' },
  }),
  serviceWalletOf(customerId),
  {
    customerId,
    paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT',
    svcAutoFiatAccount: {
      currency: 'USD',
      destinationPaymentAccountId: destination.paymentAccountId,
      destinationCurrency: 'USDC',
      destinationPaymentMethod: 'BASE',
    },
  },
]
const tricks: unknown[] = [null, { toString: 1 }, { constructor: {} }, [], [[]], 5, '', '\u0000', 'x'.repeat(10_000)]

/** The body with each of its values, at any depth, replaced in turn. */
function replacements(body: unknown, by: unknown): object[] {
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([name, value]) => [
    { ...body, [name]: by },
    ...replacements(value, by).map((inner) => ({ ...body, [name]: inner })),
  ])
}

test.each(right.map((body) => [body.paymentAccountType, body] as const))(
  'a value of a wrong type anywhere in %s is a 400, never a 500',
  async (_type, body) => {
    for (const hostile of tricks.flatMap((trick) => replacements(body, trick))) {
      const { status } = await postAccount(api, hostile)
      expect([status, JSON.stringify(hostile)]).toEqual([400, JSON.stringify(hostile)])
    }
  },
)
