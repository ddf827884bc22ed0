import { expect } from 'vitest'
import { bumpRevision } from '../../../src/db/revisions.ts'
import type { PricedLabel } from '../../../src/quotes/rates/rates.ts'
import { type Customer, type CustomerId, createCustomer, waitForStatus } from '../customers/customers.ts'
import type { BodyOf } from '../runner/answers.ts'
import type { TestApi } from '../runner/api.ts'
import { eventually } from '../runner/eventually.ts'
import { bankAccountOf, bankAccounts, createAccount, externalWalletOf, serviceWalletOf } from './payment-accounts.ts'
import { makeEvmAddress } from './wallet-addresses.ts'

const addresses: Record<string, object> = {
  US: { streetLine1: '1 Main Street', city: 'Springfield', stateRegionProvince: 'CA', postalCode: '94104' },
  DE: { streetLine1: 'Hauptstrasse 1', city: 'Berlin', postalCode: '10115' },
  CA: { streetLine1: '1 Main Street', city: 'Toronto', stateRegionProvince: 'ON', postalCode: 'M5V 2T6' },
  IN: { streetLine1: '1 Station Road', city: 'Mumbai', postalCode: '400001' },
}

/** Creates an ACTIVE customer of this country. The workers must be running. */
export async function makeActive(api: TestApi, country = 'US', body: object = {}): Promise<Customer> {
  const kycData = { legalFirstName: 'Ada', address: { countryCode: country, ...addresses[country] } }
  const customer = await createCustomer(api, { firstName: 'Ada', lastName: 'Approve', kycData, ...body })
  return waitForStatus(api, customer, 'ACTIVE')
}

export type Accounts = { bank: string; wallet: string; external: string }

type Rail = keyof typeof bankAccounts

export async function makeAccounts(api: TestApi, { customerId }: CustomerId, rail: Rail = 'ACH'): Promise<Accounts> {
  const bank = await createAccount(api, bankAccountOf(customerId, bankAccounts[rail]()))
  const wallet = await createAccount(api, serviceWalletOf(customerId, 'EVM'))
  const external = await createAccount(
    api,
    externalWalletOf(customerId, { chain: 'BASE', currency: 'USDC', address: makeEvmAddress() }),
  )
  return { bank: bank.paymentAccountId, wallet: wallet.paymentAccountId, external: external.paymentAccountId }
}

export type QuoteWish = {
  customerId: string
  from: readonly [account: string, currency: string, method: string, amount: string]
  to: readonly [account: string, currency: string, method: string]
  fee?: readonly [type: string, amount: string]
  more?: object
}

export function quoteBody({ customerId, from, to, fee, more }: QuoteWish) {
  const [sourcePaymentAccountId, sourceCurrency, sourcePaymentMethod, sourceAmount] = from
  const [destinationPaymentAccountId, destinationCurrency, destinationPaymentMethod] = to
  return {
    customerId,
    source: { sourcePaymentAccountId, sourceCurrency, sourcePaymentMethod, sourceAmount },
    destination: { destinationPaymentAccountId, destinationCurrency, destinationPaymentMethod },
    ...(fee ? { developerFee: { developerFeeType: fee[0], developerFeeAmount: fee[1] } } : {}),
    ...more,
  }
}

export type Quote = BodyOf<'POST /quotes'>

export const postQuote = (api: TestApi, wish: QuoteWish, headers = {}) =>
  api.post('/quotes', quoteBody(wish), { headers })

export async function createQuote(api: TestApi, wish: QuoteWish): Promise<Quote> {
  const answer = await postQuote(api, wish)
  expect(answer.body).toMatchObject({ quoteId: expect.any(String) })
  expect(answer.status).toBe(201)
  return answer.body
}

/** The workers fetch rates within a second of their start. */
export async function waitForRates(api: TestApi): Promise<void> {
  await eventually(() => expect(api.app.rates.current().size).toBeGreaterThan(0))
}

/** Stops the polling of the sources, so that the prices stay as the test sets them. */
export async function keepRates({ app: { database } }: TestApi): Promise<void> {
  const putOff = `update svc.duties set due_at = clock_timestamp() + interval '1 day'
                   where duty = 'refresh rates' and lease_until is null returning duty`
  await eventually(async () => expect(await database.query({ text: putOff })).toHaveLength(1))
  await database.query({ text: `update svc.rates set good_until = clock_timestamp() + interval '1 hour'` })
}

/** Changes the dollar value of a currency, and waits until this process prices with it. Needs `keepRates`. */
export async function setUsdRate({ app }: TestApi, label: PricedLabel, usd: string): Promise<void> {
  await app.database.inTx(async (tx) => {
    await tx.query({ text: 'update svc.rates set usd = $2 where label = $1', values: [label, usd] })
    await bumpRevision(tx, 'rates')
  })
  await eventually(() => {
    const { units = 0n, scale = 0 } = app.rates.current().get(label)?.usd ?? {}
    expect(units * 10_000n).toBe(BigInt(usd.replace('.', '').padEnd(5, '0')) * 10n ** BigInt(scale))
  })
}
