import { afterAll, expect, test, vi } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { bankAccountOf, bankAccounts, createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import {
  createQuote,
  makeAccounts,
  makeActive,
  postQuote,
  type QuoteWish,
  waitForRates,
} from '../../support/money/quotes.ts'
import { fillAddressPool } from '../../support/money/wallets.ts'
import { actingWith, startApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'

const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_RATE_LIMIT_SANDBOX: '0' })
await fillAddressPool(api.database)
const worker = await api.app.startWorker()
afterAll(() => worker.stop())
await waitForRates(api)
const ada = await makeActive(api, 'US')
const { customerId } = ada
const { bank, wallet } = await makeAccounts(api, ada)

const onRamp = (amount: string, more: Partial<QuoteWish> = {}): QuoteWish => {
  return { customerId, from: [bank, 'USD', 'ACH', amount], to: [wallet, 'USDC', 'BASE'], ...more }
}

test('a quote shows the amount received, its cost and its expiry', async () => {
  const before = await api.get('/sandbox/clock')
  const quote = await createQuote(api, onRamp('100.00', { fee: ['USD', '1.00'] }))
  expect(quote).toEqual({
    quoteId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    expiresAt: expect.any(String),
    estimatedExchangeRate: '1',
    destinationAmount: '98.500000',
    fees: {
      feeCurrency: { label: 'USD' },
      svcFee: { feeAmount: '0.50', feeUSDAmount: '0.50' },
      developerFee: { feeAmount: '1.00', feeUSDAmount: '1.00' },
    },
  })
  const { createdAt, expiresAt } = (await api.get(`/quotes/${quote.quoteId}`)).body
  expect(Date.parse(expiresAt ?? '') - Date.parse(createdAt ?? '')).toBe(300_000)
  expect(Date.parse(createdAt ?? '')).toBeGreaterThanOrEqual(Date.parse(before.body.now))
})

test('a quote expires after five minutes of business time', async () => {
  await api.post('/sandbox/clock', { freeze: true })
  const { now } = (await api.get('/sandbox/clock')).body
  const { expiresAt } = await createQuote(api, onRamp('10.00'))
  await api.post('/sandbox/clock', { resume: true })
  expect(Date.parse(expiresAt) - Date.parse(now)).toBe(300_000)
})

test('a quote repeats its request to the last character', async () => {
  const { quoteId } = await createQuote(api, onRamp('100.0', { more: { guaranteeQuote: true } }))
  expect((await api.get(`/quotes/${quoteId}`)).body).toMatchObject({
    quoteId,
    customerId,
    source: {
      sourcePaymentAccountId: bank,
      sourceCurrency: { label: 'USD' },
      sourcePaymentMethod: 'ACH',
      sourceAmount: '100.0',
    },
    destination: {
      destinationPaymentAccountId: wallet,
      destinationCurrency: { label: 'USDC', chain: 'BASE', currencyDecimals: 6, contractAddress: expect.any(String) },
      destinationPaymentMethod: 'BASE',
    },
    guaranteeQuote: true,
  })
})

test('an explanation adds up', async () => {
  const wish: QuoteWish = { customerId, from: [wallet, 'USDC', 'POLYGON', '33.333333'], to: [bank, 'USD', 'ACH'] }
  const { quoteId, destinationAmount } = await createQuote(api, { ...wish, fee: ['USD', '0.20'] })
  const { body } = await api.get(`/quotes/${quoteId}/explain`)
  const { lines, rounding, rates } = body
  expect(lines.map(({ label, amount, currency }) => `${label} ${amount} ${currency.label}`)).toEqual([
    'Source amount 33.333333 USDC',
    'svcFee -0.166667 USDC',
    'developerFee -0.200000 USDC',
    'Converted -32.966666 USDC',
    `Destination amount ${destinationAmount} USD`,
  ])
  expect(destinationAmount).toBe('32.96')
  expect(rounding.map(({ step }) => step)).toEqual(['svcFee', 'destinationAmount', 'svcFeeUSD'])
  expect(rates).toEqual([{ pair: 'USDC/USD', rate: '1', source: 'fixed', asOf: expect.any(String) }])
})

test('every kind of route has a price: to and from a bank, between networks, between banks', async () => {
  const euro = await makeActive(api, 'DE')
  const accounts = await makeAccounts(api, euro, 'SEPA')
  const wire = await createAccount(api, bankAccountOf(euro.customerId, bankAccounts.WIRE()))
  const solana = await createAccount(api, serviceWalletOf(euro.customerId, 'SOLANA'))
  // biome-ignore format: a table is read by column
  const routes = [
    [[accounts.bank, 'EUR', 'SEPA', '100.00'],      [accounts.wallet, 'USDC', 'ETHEREUM'],         '107.245080'],
    [[accounts.wallet, 'EURC', 'BASE', '100'],      [accounts.bank, 'EUR', 'SEPA'],                '99.50'],
    [[accounts.wallet, 'USDC', 'BASE', '100'],      [accounts.external, 'USDC', 'BASE'],           '99.500000'],
    [[accounts.wallet, 'USDC', 'OPTIMISM', '100'],  [solana.paymentAccountId, 'USDC', 'SOLANA'],   '99.500000'],
    [[wire.paymentAccountId, 'USD', 'WIRE', '100'], [accounts.bank, 'EUR', 'SEPA'],                '91.94'],
    [[accounts.external, 'USDC', 'BASE', '100'],    [wire.paymentAccountId, 'USD', 'WIRE'],        '99.50'],
  ] as const
  for (const [from, to, receives] of routes) {
    const quote = await createQuote(api, { customerId: euro.customerId, from, to })
    expect([from[2], to[2], quote.destinationAmount]).toEqual([from[2], to[2], receives])
  }
})

test('each tier pays its own fee, and a parent quotes for a child at the child’s tier', async () => {
  const { organizations, credentials } = api.app
  const parent = await organizations.create({ name: 'Parent', tier: 'BUILDER', parentOrganizationId: null })
  const child = await organizations.create({
    name: 'Child',
    tier: 'ENTERPRISE',
    parentOrganizationId: parent.organizationId,
  })
  const { apiKey } = await credentials.createFullKey('Parent', parent.organizationId)
  const asParent = actingWith(api, apiKey)
  const theirs = await makeActive(asParent, 'US', { organizationId: child.organizationId })
  const accounts = await makeAccounts(asParent, theirs)
  const quote = await createQuote(asParent, {
    customerId: theirs.customerId,
    from: [accounts.bank, 'USD', 'ACH', '1000.00'],
    to: [accounts.wallet, 'USDC', 'BASE'],
  })
  expect(quote.fees.svcFee.feeAmount).toBe('1.00')
  await organizations.setTerms(child.organizationId, { tier: 'STARTUP' })
  await expect
    .poll(async () => {
      const next = await createQuote(asParent, {
        customerId: theirs.customerId,
        from: [accounts.bank, 'USD', 'ACH', '1000.00'],
        to: [accounts.wallet, 'USDC', 'BASE'],
      })
      return next.fees.svcFee.feeAmount
    })
    .toBe('2.50')
})

test('a customer of an older catalog is re-checked, and quoted', async () => {
  await api.app.database.query({
    text: 'update svc.customers set allowed_methods = null, allowed_by = null where customer_id = $1',
    values: [customerId],
  })
  await createQuote(api, onRamp('10.00'))
  const keyed = { 'x-idempotency-key': newId() }
  await api.app.database.query({
    text: `update svc.customers set allowed_methods = '{}', allowed_by = 'older' where customer_id = $1`,
    values: [customerId],
  })
  expect((await postQuote(api, onRamp('10.00'), keyed)).status).toBe(201)
})

test('the same key gives the same quote', async () => {
  const headers = { 'x-idempotency-key': newId() }
  const [first, ...rest] = await Promise.all(Array.from({ length: 20 }, () => postQuote(api, onRamp('12.00'), headers)))
  const answered = [first, ...rest].filter((answer) => answer?.status === 201)
  expect(new Set(answered.map((answer) => JSON.stringify(answer?.body))).size).toBe(1)
  expect([first, ...rest].every((answer) => [201, 409].includes(answer?.status ?? 0))).toBe(true)
})

test('exchange rates show the same figures without a customer', async () => {
  const query = 'sourceCurrency=USD&sourcePaymentMethod=ACH&destinationCurrency=USDC&destinationPaymentMethod=BASE'
  expect((await api.get(`/exchange-rates?${query}`)).body).toEqual({
    exchangeRate: '1',
    feeComponents: {
      feeCurrency: { label: 'USD' },
      svcFee: { basisPoints: '50', minimumUSDAmount: '0.00' },
      spreadBasisPoints: '0',
    },
    asOf: expect.any(String),
  })
  const quote = await createQuote(api, onRamp('250.00'))
  expect((await api.get(`/exchange-rates?${query}&sourceAmount=250.00`)).body).toMatchObject({
    destinationAmount: quote.destinationAmount,
    fees: quote.fees,
  })
  expect((await api.get('/exchange-rates?sourceCurrency=USD')).body).toMatchObject({
    error: 'BAD_REQUEST',
    details: { length: 3 },
  })
})

test('dollars to dollars need no rate, and are dated now', async () => {
  const query = 'sourceCurrency=USD&sourcePaymentMethod=ACH&destinationCurrency=USD&destinationPaymentMethod=WIRE'
  expect((await api.get(`/exchange-rates?${query}`)).body).toMatchObject({
    exchangeRate: '1',
    asOf: expect.stringMatching(/Z$/),
  })
})

test('a quote is 503, not 500, while other processes keep changing the customer’s methods', async () => {
  const findAnew = vi.spyOn(api.app.customers, 'refreshAllowedMethods').mockResolvedValue()
  await api.app.database.query({
    text: `update svc.customers set allowed_by = 'other' where customer_id = $1`,
    values: [customerId],
  })
  const answer = await postQuote(api, onRamp('10.00'))
  findAnew.mockRestore()
  expect(answer).toMatchObject({ status: 503, body: { error: 'SERVICE_UNAVAILABLE' } })
  expect((await postQuote(api, onRamp('10.00'))).status).toBe(201)
})

test('prices are fetched while another duty runs long', async () => {
  const asOf = async () =>
    (await api.app.database.query<{ last: Date }>({ text: 'select max(as_of) as last from svc.rates' }))[0]?.last
  const owner = openForTest({ connection: api.database.owner })
  await owner.inTx(async (tx) => {
    // The hourly check of all invariants waits for this table.
    await tx.query({ text: 'lock table svc.reserves in access exclusive mode' })
    await api.app.database.query({ text: `update svc.checks set due_at = '2000-01-01'` })
    await api.app.database.query({ text: `update svc.duties set due_at = '2000-01-01' where duty = 'verify'` })
    worker.wake()
    await expect
      .poll(
        async () =>
          (
            await api.app.database.query({
              text: `select duty from svc.duties where lease_until > now() and duty = 'verify'`,
            })
          ).length,
      )
      .toBe(1)
    const before = await asOf()
    await api.app.database.query({ text: `update svc.duties set due_at = '2001-01-01' where duty = 'refresh rates'` })
    worker.wake()
    await expect.poll(asOf).not.toEqual(before)
  })
})

test('without a current price nothing is quoted', async () => {
  const { rates } = api.app
  await api.app.database.query({ text: `update svc.rates set good_until = '2000-01-01'` })
  await rates.load()
  const answer = await postQuote(api, onRamp('10.00'))
  expect(answer).toMatchObject({ status: 503, body: { error: 'SERVICE_UNAVAILABLE' } })
  expect(answer.headers.get('retry-after')).toBe('5')
  await rates.refresh()
  await rates.load()
  expect((await postQuote(api, onRamp('10.00'))).status).toBe(201)
})
