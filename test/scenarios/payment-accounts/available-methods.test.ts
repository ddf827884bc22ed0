import { expect, test } from 'vitest'
import { paymentMethodNames } from '../../../src/catalog/payment-methods.ts'
import { createCustomer, readCustomer, waitForStatus } from '../../support/customers/customers.ts'
import {
  bankAccountOf,
  bankAccounts,
  createAccount,
  externalWalletOf,
  postAccount,
  serviceWalletOf,
} from '../../support/money/payment-accounts.ts'
import { makeActive } from '../../support/money/quotes.ts'
import { startWithWorkers } from '../../support/money/transactions.ts'
import { makeEvmAddress, makeSolanaAddress } from '../../support/money/wallet-addresses.ts'

const api = await startWithWorkers()

const places: Record<string, object> = {
  PR: { streetLine1: '1 Calle Sol', city: 'San Juan', postalCode: '00901' },
  GB: { streetLine1: '1 High Street', city: 'London', postalCode: 'SW1A 1AA' },
  BR: { streetLine1: 'Rua Um 1', city: 'Recife', stateRegionProvince: 'PE', postalCode: '50010-000' },
  CU: { streetLine1: 'Calle 1', city: 'Havana', postalCode: '10400' },
}

async function makeResident(customerType: string, country: string) {
  const address = places[country] && { countryCode: country, ...places[country] }
  if (customerType === 'INDIVIDUAL')
    return makeActive(api, country, address ? { kycData: { legalFirstName: 'Ada', address } } : {})
  const kybData = { businessInfo: { legalBusinessName: 'Approve', registrationCountry: country } }
  return waitForStatus(api, await createCustomer(api, { customerType, kybData }), 'ACTIVE')
}

/** Tries to open an account of this method, and tells whether it opened. */
async function canOpen(customerId: string, method: string): Promise<boolean> {
  const address = method === 'SOLANA' ? makeSolanaAddress() : makeEvmAddress()
  const body =
    method in bankAccounts
      ? bankAccountOf(customerId, bankAccounts[method as keyof typeof bankAccounts]())
      : externalWalletOf(customerId, { chain: method, currency: 'USDC', address })
  const { status, body: answer } = await postAccount(api, body)
  if (status !== 201) expect([status, answer]).toMatchObject([403, { error: 'PAYMENT_METHOD_NOT_AVAILABLE' }])
  return status === 201
}

const types = ['INDIVIDUAL', 'BUSINESS']
const countries = ['US', 'PR', 'DE', 'GB', 'CA', 'IN', 'BR', 'CU']

test.each(types.flatMap((type) => countries.map((country) => [type, country] as const)))(
  'the methods of a customer (%s of %s) are those by which accounts open',
  async (customerType, country) => {
    const customer = await makeResident(customerType, country)
    const { availablePaymentMethods } = await readCustomer(api, customer, '?includePaymentMethods=true')
    const opened: string[] = []
    for (const method of paymentMethodNames) if (await canOpen(customer.customerId, method)) opened.push(method)
    expect(opened).toEqual(availablePaymentMethods)
  },
)

test('a customer of the United States opens an auto fiat account in USD, not in EUR, for currencies open to it', async () => {
  const { customerId } = await makeActive(api, 'US')
  const wallet = await createAccount(api, serviceWalletOf(customerId))
  const autoIn = (currency: string) => ({
    customerId,
    paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT',
    svcAutoFiatAccount: {
      currency,
      destinationPaymentAccountId: wallet.paymentAccountId,
      destinationCurrency: 'USDC',
      destinationPaymentMethod: 'BASE',
    },
  })
  const euro = await postAccount(api, autoIn('EUR'))
  expect(euro.status).toBe(403)
  expect(euro.body).toMatchObject({
    error: 'PAYMENT_METHOD_NOT_AVAILABLE',
    message: 'The customer may not use SEPA as a resident of US',
  })
  const dollars = await createAccount(api, autoIn('USD'))
  const shown = (await api.get(`/payment-accounts/${dollars.paymentAccountId}`)).body.svcAutoFiatAccount
  for (const each of [dollars.svcAutoFiatAccount, shown]) {
    const labels = each?.supportedDestinationCurrencies.map(({ label }) => label)
    expect(new Set(labels)).toEqual(new Set(['USDC', 'EURC']))
  }
})

test('before the approval a known residence decides, and an unknown one does not', async () => {
  const unknown = await createCustomer(api)
  await createAccount(api, bankAccountOf(unknown.customerId, bankAccounts.SEPA()))
  const address = { countryCode: 'US' }
  const known = await createCustomer(api, { kycData: { legalFirstName: 'Ada', address } })
  const refused = await postAccount(api, bankAccountOf(known.customerId, bankAccounts.SEPA()))
  expect(refused.body).toMatchObject({ error: 'PAYMENT_METHOD_NOT_AVAILABLE' })
})

test('an ACTIVE customer without a residence has no methods and opens no account', async () => {
  const customer = await createCustomer(api, {
    firstName: 'Ada',
    lastName: 'Approve',
    kycData: { legalFirstName: 'Ada' },
  })
  const { customerId } = await waitForStatus(api, customer, 'ACTIVE')
  const shown = await readCustomer(api, customer, '?includePaymentMethods=true')
  expect(shown.availablePaymentMethods).toEqual([])
  const refused = await postAccount(api, serviceWalletOf(customerId))
  expect(refused.body).toMatchObject({ message: expect.stringMatching(/without a country of residence/) })
})
