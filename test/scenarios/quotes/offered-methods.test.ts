import { afterAll, expect, test } from 'vitest'
import { readCustomer } from '../../support/customers/customers.ts'
import {
  bankAccountOf,
  bankAccounts,
  createAccount,
  externalWalletOf,
  postAccount,
  serviceWalletOf,
} from '../../support/money/payment-accounts.ts'
import { createQuote, makeActive, postQuote, type QuoteWish, waitForRates } from '../../support/money/quotes.ts'
import {
  createTransaction,
  creditWallet,
  sendDeposit,
  startWithWorkers,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'
import { createRule, type RuleWish, ruleBody, waitForRuns } from '../../support/rules/rules.ts'
import { startApi } from '../../support/runner/api.ts'
import { readMetric } from '../../support/runner/metrics.ts'

/** A deployment that offered every method, with open transactions; then it restarts with fewer methods. */
const before = await startWithWorkers()
const ada = await makeActive(before, 'US')
const { customerId, organizationId } = ada
const made = async (body: object) => (await createAccount(before, body)).paymentAccountId
const bank = await made(bankAccountOf(customerId, bankAccounts.ACH()))
const wallet = await made(serviceWalletOf(customerId))
const polygonWallet = (address = makeEvmAddress()) =>
  externalWalletOf(customerId, { chain: 'POLYGON', currency: 'USDC', address })
const external = await made(polygonWallet())
const autoTo = (destinationPaymentMethod: string, currency = 'USD') => ({
  customerId,
  paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT',
  svcAutoFiatAccount: {
    currency,
    destinationPaymentAccountId: wallet,
    destinationCurrency: 'USDC',
    destinationPaymentMethod,
  },
})
const auto = await made(autoTo('POLYGON'))
const pending = await createAccount(before, { customerId, paymentAccountType: 'EXTERNAL_BANK_ACCOUNT' })
const toPolygon: QuoteWish = { customerId, from: [bank, 'USD', 'ACH', '100.00'], to: [external, 'USDC', 'POLYGON'] }
const promised = await createTransaction(before, toPolygon)
const { quoteId } = await createQuote(before, toPolygon)
const drain: RuleWish = {
  customerId,
  from: [wallet, 'USDC', 'POLYGON'],
  to: [bank, 'USD', 'ACH'],
  amount: ['FLAT', '10'],
  threshold: '50',
}
const rule = await createRule(before, drain)
await before.stop()

const settings = { SVC_PAYMENT_METHODS: 'BASE,ACH', SVC_RATE_LIMIT_SANDBOX: '0', SVC_SANDBOX_PAYOUT_DELAY: '0' }
const api = await startApi(settings, { database: before.database })
const worker = await api.app.startWorker()
afterAll(() => worker.stop())
await waitForRates(api)

test('customers see only the offered methods', async () => {
  expect(await readCustomer(api, ada, '?includePaymentMethods=true')).toMatchObject({
    availablePaymentMethods: ['ACH', 'BASE'],
  })
  const shown = await api.get(`/payment-accounts/${wallet}`)
  expect(shown.body).toMatchObject({ svcCryptoWallet: { chains: ['BASE'], address: { chain: 'ETHEREUM' } } })
  const find = async (rail: string) =>
    (await api.get(`/payment-accounts?customerId=${customerId}&rail=${rail}`)).body.paymentAccounts
  expect(await find('BASE')).toContainEqual(shown.body)
  expect(await find('ETHEREUM')).toEqual([])
  const { svcAutoFiatAccount } = (await api.get(`/payment-accounts/${auto}`)).body
  expect(svcAutoFiatAccount?.supportedDestinationCurrencies.map(({ label, chain }) => `${label} ${chain}`)).toEqual([
    'USDC BASE',
    'EURC BASE',
  ])
})

test('other methods are not quoted', async () => {
  expect(await postQuote(api, toPolygon)).toMatchObject({
    status: 403,
    body: { error: 'PAYMENT_METHOD_NOT_AVAILABLE', message: 'This deployment does not offer POLYGON' },
  })
  expect((await postQuote(api, { ...toPolygon, to: [wallet, 'USDC', 'BASE'] })).status).toBe(201)
  const query = 'sourceCurrency=USD&sourcePaymentMethod=ACH&destinationCurrency=USDC&destinationPaymentMethod='
  expect((await api.get(`/exchange-rates?${query}POLYGON`)).body).toMatchObject({ error: 'UNSUPPORTED_ROUTE' })
  expect((await api.get(`/exchange-rates?${query}BASE`)).status).toBe(200)
})

test('methods that are not offered need no price', async () => {
  await api.app.database.query({ text: `update svc.rates set good_until = '2000-01-01' where label in ('CAD', 'INR')` })
  await api.app.rates.load()
  expect(await readMetric(api, 'svc_currencies_unpriced')).toBe('0')
})

// biome-ignore format: a table is read by column
test.each([
  ['a bank account of another rail',        () => bankAccountOf(customerId, bankAccounts.SEPA()), 'SEPA'],
  ['a wallet on another network',           () => polygonWallet(),                                'POLYGON'],
  ['a service wallet for other networks',   () => serviceWalletOf(customerId, 'SOLANA'),          'SOLANA'],
  ['an auto account that pays out there',   () => autoTo('POLYGON'),                              'POLYGON'],
  ['an auto account of another currency',   () => autoTo('BASE', 'EUR'),                          'SEPA'],
])('%s cannot be created', async (_what, body, method) => {
  expect(await postAccount(api, body())).toMatchObject({
    status: 403,
    body: { error: 'PAYMENT_METHOD_NOT_AVAILABLE', message: expect.stringContaining(method) },
  })
})

test('only accounts on offered methods can be created, or completed through a form', async () => {
  await createAccount(api, serviceWalletOf(customerId))
  await createAccount(api, autoTo('BASE'))
  const complete = (externalBankAccount: object) =>
    api.post(`/sandbox/payment-accounts/${pending.pendingPaymentAccountId}/complete`, { externalBankAccount })
  expect((await complete(bankAccounts.SEPA())).body).toMatchObject({ error: 'PAYMENT_METHOD_NOT_AVAILABLE' })
  expect((await complete(bankAccounts.ACH({ accountNumber: '55556666' }))).status).toBe(200)
})

test('earlier transactions are still paid out over methods no longer offered', async () => {
  const used = await api.post('/transactions', { quoteId }, { headers: { 'x-idempotency-key': quoteId } })
  expect(used.status).toBe(201)
  await sendDeposit(api, bank, {
    amount: '100.00',
    currency: 'USD',
    rail: 'ACH',
    reference: transferReference(promised),
  })
  await waitForTransaction(api, promised, {
    transactionStatus: 'COMPLETED',
    destination: { destinationPaymentMethod: 'POLYGON' },
  })
})

test('a deposit whose onward method is no longer offered waits for an operator', async () => {
  const deposit = await sendDeposit(api, auto, { amount: '20.00', currency: 'USD', rail: 'ACH' })
  await waitForDeposit(api, deposit, { depositStatus: 'UNMATCHED' })
})

test('a rule over a method that is not offered fails, and its preview says why', async () => {
  await creditWallet(api, { organizationId, paymentAccountId: wallet, asset: 'USDC/POLYGON', amount: 60_000_000n })
  await waitForRuns(api, rule, [{ runStatus: 'FAILED', reason: 'PAYMENT_METHOD_NOT_AVAILABLE' }])
  const preview = await api.post('/automation-rules/preview', ruleBody(drain))
  expect(preview.body).toMatchObject({
    runs: [{ runStatus: 'FAILED', reason: 'PAYMENT_METHOD_NOT_AVAILABLE' }],
  })
})
