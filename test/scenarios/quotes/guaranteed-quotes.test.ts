import { afterEach, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import type { OrganizationTerms } from '../../../src/organizations/organization.ts'
import { bankAccountOf, bankAccounts, createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import {
  createQuote,
  keepRates,
  makeActive,
  postQuote,
  type QuoteWish,
  setUsdRate,
} from '../../support/money/quotes.ts'
import {
  advance,
  createTransaction,
  creditWallet,
  expectVerified,
  sendDeposit,
  startWithWorkers,
  type Transaction,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'

const api = await startWithWorkers()
await keepRates(api)
const { customerId, organizationId } = await makeActive(api, 'DE')
const euroBank = (await createAccount(api, bankAccountOf(customerId, bankAccounts.SEPA()))).paymentAccountId
const dollarBank = (await createAccount(api, bankAccountOf(customerId, bankAccounts.WIRE()))).paymentAccountId
const wallet = (await createAccount(api, serviceWalletOf(customerId))).paymentAccountId

const hour = 3_600_000
const guaranteed = { guaranteeQuote: true }
const fromEuro = (amount: string, more: object = guaranteed): QuoteWish => {
  return { customerId, from: [euroBank, 'EUR', 'SEPA', amount], to: [wallet, 'USDC', 'BASE'], more }
}
const fromDollar = (amount: string): QuoteWish => {
  return { customerId, from: [dollarBank, 'USD', 'WIRE', amount], to: [wallet, 'USDC', 'BASE'], more: guaranteed }
}
const use = (quoteId: string) => api.post('/transactions', { quoteId }, { headers: { 'x-idempotency-key': newId() } })
const cancel = ({ transactionId }: Transaction) => api.post(`/transactions/${transactionId}/cancel`)
const setLimits = (terms: OrganizationTerms) => api.app.organizations.setTerms(organizationId, terms)
const defaults = {
  guaranteedUSDAmountPerTransaction: '10000.00',
  guaranteedUSDAmountPerOrganization: '100000.00',
  guaranteeWindowSeconds: 3_600,
}

afterEach(async () => {
  await setUsdRate(api, 'EUR', '1.08')
  await setLimits(defaults)
})

const pay = (created: Transaction, account: string, currency: string, rail: string) =>
  sendDeposit(api, account, {
    amount: created.source.sourceAmount,
    currency,
    rail,
    reference: transferReference(created),
  })

test('a guarantee between currencies holds for an hour, which quote, explanation and transaction show', async () => {
  const { quoteId, guaranteedUntil = '' } = await createQuote(api, fromEuro('100.00'))
  const { createdAt, ...stored } = (await api.get(`/quotes/${quoteId}`)).body
  expect(Date.parse(guaranteedUntil) - Date.parse(createdAt)).toBe(hour)
  expect(stored).toMatchObject({ guaranteeQuote: true, guaranteedUntil })
  const { lines } = (await api.get(`/quotes/${quoteId}/explain`)).body
  expect(lines.map(({ label, amount }) => [label, amount]).slice(-2)).toEqual([
    ['guaranteeQuote', '0.00'],
    ['Destination amount', '107.245080'],
  ])
  expect(lines.at(-2)?.detail).toBe(`fixed for funds that arrive before ${guaranteedUntil}; later funds are refunded`)
  const transaction = (await use(quoteId)).body
  expect(transaction).toMatchObject({ guaranteedUntil, expiresAt: guaranteedUntil })
  await cancel(transaction)
})

test('without guaranteeQuote, nothing says that the price is guaranteed', async () => {
  const quote = await createQuote(api, fromEuro('100.00', {}))
  expect(quote).not.toHaveProperty('guaranteedUntil')
  const { lines } = (await api.get(`/quotes/${quote.quoteId}/explain`)).body
  expect(lines.map(({ label }) => label)).not.toContain('guaranteeQuote')
  const transaction = (await use(quote.quoteId)).body
  expect(transaction).not.toHaveProperty('guaranteedUntil')
  expect(Date.parse(transaction.expiresAt ?? '') - Date.parse(transaction.createdAt)).toBe(120 * hour)
  await cancel(transaction)
})

test('funds that arrive inside the hour get the quoted amount, although the price moved', async () => {
  const created = await createTransaction(api, fromEuro('100.00'))
  await setUsdRate(api, 'EUR', '1.03')
  await advance(api, 'PT50M')
  await pay(created, euroBank, 'EUR', 'SEPA')
  await waitForTransaction(api, created, {
    transactionStatus: 'COMPLETED',
    destination: { destinationAmount: '107.245080' },
  })
})

test.each([
  ['lower', '1.03'],
  ['higher', '1.13'],
])('funds that arrive two hours later are refunded, although the price is %s', async (_, euro) => {
  const created = await createTransaction(api, fromEuro('100.00'))
  await setUsdRate(api, 'EUR', euro)
  await advance(api, 'PT2H')
  await waitForTransaction(api, created, { transactionStatus: 'EXPIRED' })
  const reference = await pay(created, euroBank, 'EUR', 'SEPA')
  await waitForDeposit(api, reference, { depositStatus: 'RETURNED', labels: ['LATE'] })
  await waitForTransaction(api, created, { transactionStatus: 'EXPIRED' })
  await expectVerified(api)
})

test('a currency and its stablecoin have no limit, and the guarantee lasts as long as the transaction', async () => {
  await setLimits({ guaranteedUSDAmountPerTransaction: '0', guaranteedUSDAmountPerOrganization: '0' })
  const { quoteId, guaranteedUntil = '' } = await createQuote(api, fromDollar('50000.00'))
  const { createdAt } = (await api.get(`/quotes/${quoteId}`)).body
  expect(Date.parse(guaranteedUntil) - Date.parse(createdAt)).toBe(120 * hour)
  const created = (await use(quoteId)).body
  expect(created.guaranteedUntil).toBe(created.expiresAt)
  expect(Date.parse(created.expiresAt ?? '') - Date.parse(created.createdAt)).toBe(120 * hour)
  await setUsdRate(api, 'USDC', '0.995')
  await advance(api, 'PT48H')
  await pay(created, dollarBank, 'USD', 'WIRE')
  await waitForTransaction(api, created, {
    transactionStatus: 'COMPLETED',
    destination: { destinationAmount: '49750.000000' },
  })
  await setUsdRate(api, 'USDC', '1')
})

test('a guaranteed quote above the limit of one transaction is refused, and names the field', async () => {
  const refused = await postQuote(api, fromEuro('9259.26'))
  const message = 'must be worth at most 10000.00 USD with guaranteeQuote; this is worth 10000.01 USD'
  expect([refused.status, refused.body]).toEqual([
    422,
    expect.objectContaining({
      error: 'AMOUNT_ABOVE_MAXIMUM',
      message: `source.sourceAmount ${message}`,
      details: [{ field: 'source.sourceAmount', message }],
    }),
  ])
  expect((await postQuote(api, fromEuro('9259.25'))).status).toBe(201)
  expect((await postQuote(api, fromEuro('9259.26', {}))).status).toBe(201)
  await setLimits({ guaranteedUSDAmountPerTransaction: '10000.01' })
  expect((await postQuote(api, fromEuro('9259.26'))).status).toBe(201)
  await setLimits({ guaranteedUSDAmountPerTransaction: '0' })
  expect((await postQuote(api, fromEuro('1.00'))).status).toBe(422)
})

test('a service wallet pays at once, so that its guarantee has neither a limit nor an end', async () => {
  await setLimits({ guaranteedUSDAmountPerTransaction: '0', guaranteedUSDAmountPerOrganization: '0' })
  await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 20_000_000_000n })
  const from = [wallet, 'USDC', 'BASE', '20000'] as const
  const quote = await createQuote(api, { customerId, from, to: [euroBank, 'EUR', 'SEPA'], more: guaranteed })
  expect(quote).not.toHaveProperty('guaranteedUntil')
  const { lines } = (await api.get(`/quotes/${quote.quoteId}/explain`)).body
  expect(lines.at(-2)?.detail).toBe('fixed: the source account holds the funds')
  await waitForTransaction(api, (await use(quote.quoteId)).body, { transactionStatus: 'COMPLETED' })
})

const exhausted = {
  status: 422,
  body: expect.objectContaining({
    error: 'AMOUNT_ABOVE_MAXIMUM',
    details: [
      {
        field: 'quoteId',
        message:
          'must not raise the open guaranteed amounts of the organization above its limit: ' +
          'wait until one has ended, or create a quote without guaranteeQuote',
      },
    ],
  }),
}

test('the limit of an organization counts the open guarantees, until each is executed, cancelled or expired', async () => {
  await setLimits({ guaranteedUSDAmountPerOrganization: '324.00' })
  const waiting = await createQuote(api, fromEuro('100.00'))
  const executed = await createTransaction(api, fromEuro('100.00'))
  const cancelled = await createTransaction(api, fromEuro('100.00'))
  const expiring = await createTransaction(api, fromEuro('100.00'))
  expect(await use(waiting.quoteId)).toMatchObject(exhausted)
  expect((await use((await createQuote(api, fromEuro('0.20', {}))).quoteId)).status).toBe(201)

  await cancel(cancelled)
  const second = (await use(waiting.quoteId)).body
  expect(second.transactionStatus).toBe('AWAITING_TRANSFER')
  const third = await createQuote(api, fromEuro('0.20'))
  expect(await use(third.quoteId)).toMatchObject(exhausted)

  await pay(executed, euroBank, 'EUR', 'SEPA')
  await waitForTransaction(api, executed, { transactionStatus: 'COMPLETED' })
  expect((await use(third.quoteId)).status).toBe(201)

  await advance(api, 'PT1H')
  await waitForTransaction(api, expiring, { transactionStatus: 'EXPIRED' })
  await waitForTransaction(api, second, { transactionStatus: 'EXPIRED' })
  const others = await Promise.all(
    ['100.00', '100.00', '100.00'].map((amount) => createTransaction(api, fromEuro(amount))),
  )
  await Promise.all(others.map(cancel))
})

test('the limits of an organization set another window, and answers show them', async () => {
  await setLimits({ guaranteeWindowSeconds: 86_400, guaranteedUSDAmountPerTransaction: '200.00' })
  expect((await api.get(`/organizations/${organizationId}`)).body.limits).toMatchObject({
    guaranteeWindowSeconds: 86_400,
    guaranteedUSDAmountPerTransaction: '200.00',
    guaranteedUSDAmountPerOrganization: '100000.00',
  })
  const created = await createTransaction(api, fromEuro('100.00'))
  await setUsdRate(api, 'EUR', '1.03')
  await advance(api, 'PT23H')
  await pay(created, euroBank, 'EUR', 'SEPA')
  await waitForTransaction(api, created, {
    transactionStatus: 'COMPLETED',
    destination: { destinationAmount: '107.245080' },
  })
})
