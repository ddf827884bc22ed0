import { expect, test } from 'vitest'
import { decideReview, readReview } from '../../support/customers/reviews.ts'
import { bankAccountOf, bankAccounts, createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { keepRates, makeActive, type QuoteWish, setUsdRate } from '../../support/money/quotes.ts'
import {
  advance,
  availableIn,
  createTransaction,
  creditWallet,
  sendDeposit,
  startWithWorkers,
  type Transaction,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Who can stop and continue a payment must not get a free option: an old price ends an hour after its promise. */
const api = await startWithWorkers()
await keepRates(api)

async function makeEuroCustomer() {
  const customer = await makeActive(api, 'DE')
  const { customerId } = customer
  const bank = (await createAccount(api, bankAccountOf(customerId, bankAccounts.SEPA()))).paymentAccountId
  const wallet = (await createAccount(api, serviceWalletOf(customerId))).paymentAccountId
  return { customer, customerId, bank, wallet }
}

/** Creates a transaction whose deposit is held, because its customer is DEACTIVATED when the money arrives. */
async function holdDeposit(customerId: string, wish: QuoteWish): Promise<Transaction> {
  const created = await createTransaction(api, wish)
  await api.post(`/customers/${customerId}/deactivate`, { reason: 'a test' })
  const [bank, currency, rail, amount] = wish.from
  const reference = transferReference(created)
  const sent = await sendDeposit(api, bank, { amount, currency, rail, reference })
  await waitForDeposit(api, sent, { depositStatus: 'HELD' })
  return created
}

const failed = { transactionStatus: 'FAILED', failureReason: 'price_moved' }

test.each([
  ['guaranteed', 'P30D', '0.80', { guaranteeQuote: true }, failed],
  ['guaranteed', 'P30D', '1.085', { guaranteeQuote: true }, { transactionStatus: 'COMPLETED' }],
  ['ordinary', 'P30D', '0.80', {}, failed],
  ['guaranteed', 'PT30M', '0.80', { guaranteeQuote: true }, { transactionStatus: 'COMPLETED' }],
] as const)('money of a %s quote that was held for %s, with the euro at %s', async (_, held, rate, more, outcome) => {
  await setUsdRate(api, 'EUR', '1.08')
  const { customerId, bank, wallet } = await makeEuroCustomer()
  const wish: QuoteWish = { customerId, from: [bank, 'EUR', 'SEPA', '100.00'], to: [wallet, 'USDC', 'BASE'], more }
  const created = await holdDeposit(customerId, wish)
  await advance(api, held)
  await setUsdRate(api, 'EUR', rate)
  await api.post(`/customers/${customerId}/reactivate`, { reason: 'a test' })
  const done = await waitForTransaction(api, created, { transactionStatus: outcome.transactionStatus })
  expect(done).toMatchObject(outcome)
  // A guaranteed amount is paid exactly, or not at all.
  expect(done.destination.destinationAmount).toBe(created.destination.destinationAmount)
})

test('a transaction of a service wallet that was frozen for a month ends, and the wallet has its money', async () => {
  await setUsdRate(api, 'EUR', '1.08')
  const { customer, customerId, bank, wallet } = await makeEuroCustomer()
  const { organizationId } = customer
  const bankAccountOwner = { type: 'INDIVIDUAL', firstName: 'Ivan', lastName: 'Blocked' }
  const listedBody = bankAccountOf(customerId, bankAccounts.SEPA({ iban: 'DE02120300000000202051', bankAccountOwner }))
  const listed = (await createAccount(api, { ...listedBody, isThirdParty: true })).paymentAccountId
  await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 10n ** 11n })
  const wish = (to: string, amount: string): QuoteWish => ({
    customerId,
    from: [wallet, 'USDC', 'BASE', amount],
    to: [to, 'EUR', 'SEPA'],
    more: { guaranteeQuote: true },
  })
  await createTransaction(api, wish(listed, '10'))
  await eventually(async () => expect(await readReview(api, customer)).toMatchObject({ reviewStatus: 'OPEN' }))
  const before = await availableIn(api, wallet)
  const frozen = await createTransaction(api, wish(bank, '90000'))
  await waitForTransaction(api, frozen, { transactionStatus: 'PROCESSING' })
  await advance(api, 'P30D')
  await setUsdRate(api, 'EUR', '1.50')
  expect(await decideReview(api, customer, { decision: 'APPROVE' })).toMatchObject({ status: 200 })
  expect(await waitForTransaction(api, frozen, { transactionStatus: 'FAILED' })).toMatchObject(failed)
  expect(Number(await availableIn(api, wallet))).toBeGreaterThanOrEqual(Number(before))
})
