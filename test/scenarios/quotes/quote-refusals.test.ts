import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import type { Caller } from '../../../src/lib/caller.ts'
import { newId } from '../../../src/lib/ids.ts'
import { createPages } from '../../../src/lib/pages.ts'
import type { QuoteBody } from '../../../src/quotes/request.ts'
import { createQuoteService } from '../../../src/quotes/service.ts'
import { createCustomer, patchCustomer, waitForStatus } from '../../support/customers/customers.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
import {
  createQuote,
  makeAccounts,
  makeActive,
  postQuote,
  type QuoteWish,
  quoteBody,
  waitForRates,
} from '../../support/money/quotes.ts'
import { advance, createTransaction, expectVerified } from '../../support/money/transactions.ts'
import { fillAddressPool } from '../../support/money/wallets.ts'
import { startApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'
import { readMetric } from '../../support/runner/metrics.ts'

const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_RATE_LIMIT_SANDBOX: '0' })
await fillAddressPool(api.database)
const worker = await api.app.startWorker()
afterAll(() => worker.stop())
await waitForRates(api)
const ada = await makeActive(api, 'US')
const { customerId } = ada
const { bank, wallet, external } = await makeAccounts(api, ada)

const onRamp = (amount: string, more: Partial<QuoteWish> = {}): QuoteWish => {
  return { customerId, from: [bank, 'USD', 'ACH', amount], to: [wallet, 'USDC', 'BASE'], ...more }
}

// biome-ignore format: a table is read by column
const refusals: [string, () => QuoteWish, number, string, string][] = [
  ['another customer',           () => onRamp('10', { customerId: newId() }),                                               404, 'NOT_FOUND', ''],
  ['another source account',     () => onRamp('10', { from: [newId(), 'USD', 'ACH', '10'] }),                               404, 'NOT_FOUND', ''],
  ['another destination',        () => onRamp('10', { to: [newId(), 'USDC', 'BASE'] }),                                     404, 'NOT_FOUND', ''],
  ['a currency of another rail', () => onRamp('10', { from: [bank, 'USD', 'SEPA', '10'] }),                                 422, 'UNSUPPORTED_ROUTE', 'USD does not move by SEPA'],
  ['EURC on Polygon',            () => onRamp('10', { to: [wallet, 'EURC', 'POLYGON'] }),                                   422, 'UNSUPPORTED_ROUTE', 'EURC does not move by POLYGON'],
  ['another rail of the bank',   () => onRamp('10', { from: [bank, 'USD', 'WIRE', '10'] }),                                 400, 'BAD_REQUEST', 'source.sourcePaymentMethod'],
  ['another currency there',     () => onRamp('10', { from: [external, 'EURC', 'BASE', '10'], to: [wallet, 'USDC', 'BASE'] }), 400, 'BAD_REQUEST', 'source.sourceCurrency'],
  ['a network of another kind',  () => onRamp('10', { to: [wallet, 'USDC', 'SOLANA'] }),                                    400, 'BAD_REQUEST', 'destination.destinationPaymentMethod'],
  ['fiat in a wallet',           () => onRamp('10', { to: [wallet, 'USD', 'ACH'] }),                                        400, 'BAD_REQUEST', 'destination.destinationCurrency'],
  ['the same account twice',     () => onRamp('10', { from: [wallet, 'USDC', 'BASE', '10'], to: [wallet, 'USDC', 'POLYGON'] }), 422, 'UNSUPPORTED_ROUTE', 'must be different payment accounts'],
  ['an unknown rail',            () => onRamp('10', { from: [bank, 'USD', 'FAX', '10'] }),                                  400, 'BAD_REQUEST', 'source.sourcePaymentMethod'],
  ['no account id',              () => onRamp('10', { from: ['x', 'USD', 'ACH', '10'] }),                                   400, 'BAD_REQUEST', 'source.sourcePaymentAccountId'],
  ['zero',                       () => onRamp('0.00'),                                                                      400, 'BAD_REQUEST', 'source.sourceAmount must be greater than zero'],
  ['a sign',                     () => onRamp('-1'),                                                                        400, 'BAD_REQUEST', 'source.sourceAmount'],
  ['an exponent',                () => onRamp('1e3'),                                                                       400, 'BAD_REQUEST', 'source.sourceAmount'],
  ['a third decimal of dollars', () => onRamp('1.001'),                                                                     400, 'BAD_REQUEST', 'source.sourceAmount must have at most 2 decimals'],
  ['a hundred digits',           () => onRamp('1'.repeat(100)),                                                             400, 'BAD_REQUEST', 'source.sourceAmount'],
  ['a bad developer fee',        () => onRamp('10', { fee: ['USD', '0.005'] }),                                             400, 'BAD_REQUEST', 'developerFee.developerFeeAmount'],
  ['a fee in euros',             () => onRamp('10', { fee: ['EUR', '1'] }),                                                 400, 'BAD_REQUEST', 'developerFee.developerFeeType'],
  ['a fee below ours',           () => onRamp('100', { fee: ['USD', '0.49'] }),                                             400, 'BAD_REQUEST', 'developerFee.developerFeeAmount must be at least svcFee on the BUILDER tier: 0.50 USD'],
  ['too little for the network', () => onRamp('0.10'),                                                                      422, 'AMOUNT_BELOW_MINIMUM', 'destination.destinationAmount'],
  ['too much for the rail',      () => onRamp('1000000.01'),                                                                422, 'AMOUNT_ABOVE_MAXIMUM', 'source.sourceAmount must be at most 1000000.00 USD on ACH'],
  ['nothing left after fees',    () => onRamp('10', { fee: ['USD', '10'] }),                                                422, 'AMOUNT_BELOW_MINIMUM', 'after fees'],
  ['an unknown field',           () => onRamp('10', { more: { speed: 'fast' } }),                                           400, 'BAD_REQUEST', 'speed'],
]

test.each(refusals)('refused: %s', async (_what, wish, status, error, says) => {
  const stored = () => api.app.database.query({ text: 'select count(*) from svc.quotes' })
  const before = await stored()
  const answer = await postQuote(api, wish())
  expect([answer.status, answer.body.error]).toEqual([status, error])
  expect(JSON.stringify(answer.body)).toContain(says)
  expect(await stored()).toEqual(before)
})

test('ids are the same in capitals', async () => {
  const shout = (text: string) => text.toUpperCase()
  const wish = onRamp('10', { customerId: shout(customerId), from: [shout(bank), 'USD', 'ACH', '10'] })
  const quote = await postQuote(api, wish)
  expect(quote.status).toBe(201)
  expect((await api.get(`/quotes/${shout(quote.body.quoteId)}`)).body).toMatchObject({
    customerId,
    source: { sourcePaymentAccountId: bank },
  })
  const twice = onRamp('10', { from: [wallet, 'USDC', 'BASE', '10'], to: [shout(wallet), 'USDC', 'POLYGON'] })
  expect((await postQuote(api, twice)).body).toMatchObject({ error: 'UNSUPPORTED_ROUTE' })
})

// biome-ignore format: a table is read by column
const badBodies: [string, Partial<QuoteWish>][] = [
  ['an unknown field',           { more: { speed: 'fast' } }],
  ['a bad amount',               { from: [bank, 'USD', 'ACH', '1.001'] }],
  ['a currency of another rail', { from: [bank, 'USD', 'SEPA', '10'] }],
  ['too much for the rail',      { from: [bank, 'USD', 'ACH', '1000000.01'] }],
  ['a fee below ours',           { fee: ['USD', '0.01'] }],
]

test.each(badBodies)('an unknown or inactive customer is reported before %s', async (_what, wrong) => {
  const about = async (more: Partial<QuoteWish>) =>
    (await postQuote(api, onRamp('10', { ...wrong, ...more }))).body.error
  expect(await about({ customerId: newId() })).toBe('NOT_FOUND')
  expect(await about({ to: [newId(), 'USDC', 'BASE'] })).toBe('NOT_FOUND')
  const created = await createCustomer(api)
  const accounts = await makeAccounts(api, created)
  const [, ...from] = wrong.from ?? [bank, 'USD', 'ACH', '10']
  const theirs = { customerId: created.customerId, to: [accounts.wallet, 'USDC', 'BASE'] } as const
  expect(await about({ ...theirs, from: [accounts.bank, ...from] })).toBe('CUSTOMER_NOT_ACTIVE')
  expect(await about({})).not.toBe('NOT_FOUND')
})

test('refused: a rail that this deployment does not offer, after the customer is known', async () => {
  const { database, customers, rates } = api.app
  const quotes = createQuoteService({
    database,
    pages: createPages(Buffer.alloc(32)),
    customers,
    rates,
    environment: 'sandbox',
    onNoPrice: () => {},
    configuredMethods: ['ACH', 'POLYGON'],
    guaranteeLimits: { perTransactionUsd: 0, perOrganizationUsd: 0, windowSeconds: 300 },
    findReceivingAccount: async (_queryable, rail) => (rail === 'ACH' ? { transferBankName: 'First Bank' } : undefined),
  })
  const { organizationId } = ada
  const caller: Caller = {
    organizationId,
    organizationIds: [organizationId],
    tiers: new Map([[organizationId, 'BUILDER']]),
    apiKeyId: newId(),
    scopes: new Set(),
    requestsPerMinute: 0,
    isToken: false,
    isReviewer: false,
  }
  const ask = (wish: QuoteWish) =>
    quotes.create(caller, undefined, { ok: true, value: quoteBody(wish) as QuoteBody }).then(
      () => 'quoted',
      (error: { code?: string }) => error.code,
    )
  expect(await ask(onRamp('10'))).toBe('PAYMENT_METHOD_NOT_AVAILABLE')
  expect(await ask(onRamp('10', { customerId: newId() }))).toBe('NOT_FOUND')
  expect(await ask(onRamp('10', { to: [wallet, 'USDC', 'POLYGON'] }))).toBe('quoted')
  const estimate = { sourceCurrency: 'USD', sourcePaymentMethod: 'ACH', destinationCurrency: 'USDC' } as const
  expect(() => quotes.estimate(caller, { ...estimate, destinationPaymentMethod: 'BASE' })).toThrow(/does not offer/)
})

test('an invalid amount of an estimate is reported under its query parameter', async () => {
  const query = 'sourceCurrency=USD&sourcePaymentMethod=ACH&destinationCurrency=USDC&destinationPaymentMethod=BASE'
  const about = async (amount: string) => {
    const { error, message, details = [] } = (await api.get(`/exchange-rates?${query}&sourceAmount=${amount}`)).body
    expect(message?.startsWith(`${details[0]?.field} `)).toBe(true)
    return [error, ...details.map(({ field }) => field)]
  }
  expect(await about('1e3')).toEqual(['BAD_REQUEST', 'sourceAmount'])
  expect(await about('0')).toEqual(['BAD_REQUEST', 'sourceAmount'])
  expect(await about('1000000.01')).toEqual(['AMOUNT_ABOVE_MAXIMUM', 'sourceAmount'])
  expect(await about('0.01')).toEqual(['AMOUNT_BELOW_MINIMUM', 'sourceAmount'])
  expect(await about('0.09')).toEqual(['AMOUNT_BELOW_MINIMUM', 'destinationAmount'])
})

test('without a price, an unknown customer is still reported first', async () => {
  const current = vi.spyOn(api.app.rates, 'current').mockReturnValue(new Map())
  const unknown = await postQuote(api, onRamp('10', { customerId: newId() }))
  const known = await postQuote(api, onRamp('10'))
  const unpriced = () => readMetric(api, 'svc_currencies_unpriced')
  const missing = await unpriced()
  current.mockRestore()
  expect([unknown.status, known.status]).toEqual([404, 503])
  // All currencies except the dollar.
  expect([missing, await unpriced()]).toEqual(['5', '0'])
})

test('refused: an amount as a JSON number', async () => {
  const body = quoteBody(onRamp('10'))
  const sent = { ...body, source: { ...body.source, sourceAmount: 10 } }
  expect(await api.post('/quotes', sent)).toMatchObject({ status: 400, body: { error: 'BAD_REQUEST' } })
})

test('refused: a customer who is not ACTIVE, and a rail that is not open to the customer', async () => {
  const created = await createCustomer(api)
  const accounts = await makeAccounts(api, created)
  const wish = (id: string, own: typeof accounts): QuoteWish => {
    return { customerId: id, from: [own.bank, 'USD', 'ACH', '10'], to: [own.wallet, 'USDC', 'BASE'] }
  }
  expect(await postQuote(api, wish(created.customerId, accounts))).toMatchObject({
    status: 403,
    body: { error: 'CUSTOMER_NOT_ACTIVE', message: expect.stringContaining('CREATED') },
  })
  // Opened before the residence was known: afterwards the account would be refused.
  const german = await createCustomer(api, { firstName: 'Ada', lastName: 'Approve' })
  const theirs = await makeAccounts(api, german, 'ACH')
  const kycData = { legalFirstName: 'Ada', legalLastName: 'Approve', address: { countryCode: 'DE' } }
  expect((await patchCustomer(api, german, { kycData })).status).toBe(200)
  await waitForStatus(api, german, 'ACTIVE')
  expect(await postQuote(api, wish(german.customerId, theirs))).toMatchObject({
    status: 403,
    body: { error: 'PAYMENT_METHOD_NOT_AVAILABLE', message: expect.stringContaining('ACH') },
  })
})

test('refused: an account that is not usable', async () => {
  const gone = await createAccount(
    api,
    bankAccountOf(customerId, { ...bankAccounts.WIRE(), accountNumber: '77778888' }),
  )
  await api.delete(`/payment-accounts/${gone.paymentAccountId}`)
  const answer = await postQuote(api, onRamp('10', { from: [gone.paymentAccountId, 'USD', 'WIRE', '10'] }))
  expect(answer).toMatchObject({
    status: 409,
    body: { error: 'CONFLICT', message: expect.stringContaining('DEACTIVATED') },
  })
})

test('the documented removal of quotes removes unused ones, and nothing else', async () => {
  const book = readFileSync(path.join(import.meta.dirname, '..', '..', '..', 'docs', 'operating.md'), 'utf8')
  const statement = /```sql\n(with unused as[^`]+)```/.exec(book)?.[1] ?? ''
  const used = await createTransaction(api, onRamp('10.00'))
  const { quoteId: usedId } = (await api.get(`/transactions/${used.transactionId}`)).body
  const { quoteId: oldId } = await createQuote(api, onRamp('10.00'))
  await advance(api, 'P1D')
  const { quoteId: freshId } = await createQuote(api, onRamp('10.00'))
  await advance(api, 'P89DT6M')
  const owner = openForTest({ connection: api.database.owner })
  await owner.query({ text: statement })
  const answers = [usedId, oldId, freshId].map(async (id) => (await api.get(`/quotes/${id}/explain`)).status)
  expect(await Promise.all(answers)).toEqual([200, 404, 200])
  const late = await api.post('/transactions', { quoteId: oldId }, { headers: { 'x-idempotency-key': oldId } })
  expect(late).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } })
  await expectVerified(api)
})
