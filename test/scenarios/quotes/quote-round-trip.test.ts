import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import type { QuoteBody } from '../../../src/quotes/request.ts'
import { createCustomer } from '../../support/customers/customers.ts'
import { makeAccounts, postQuote, type QuoteWish, quoteBody } from '../../support/money/quotes.ts'
import { fillAddressPool } from '../../support/money/wallets.ts'
import { type Answer, startApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'

/**
 * No workers run here: every statement, apart from reading revisions, belongs to a request. The rate limit is off,
 * because it takes tokens in batches, which now and then costs a request a second statement.
 */
const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_RATE_LIMIT_SANDBOX: '0' })
await fillAddressPool(api.database)
await api.app.rates.refresh()
await api.app.rates.load()
const ada = await createCustomer(api)
const address = { countryCode: 'US', streetLine1: '1 Main Street', city: 'Springfield' }
await api.call('PATCH', `/customers/${ada.customerId}`, { body: { kycData: { legalFirstName: 'Ada', address } } })
await api.post(`/sandbox/customers/${ada.customerId}/verification`, { outcome: 'APPROVE' })
const { bank, wallet } = await makeAccounts(api, ada)
const wish = (amount: string): QuoteWish => {
  return { customerId: ada.customerId, from: [bank, 'USD', 'ACH', amount], to: [wallet, 'USDC', 'BASE'] }
}

const background = ['read revisions', 'record api key uses', 'read rates']

async function statementsOf(act: () => Promise<unknown>): Promise<string[]> {
  const seen = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await act()
    const sent = seen.mock.calls.map(([statement]) => statement as unknown as string | { name?: string; text: string })
    return sent
      .map((each) => (typeof each === 'string' ? each : (each.name ?? each.text)))
      .filter((name) => !background.includes(name))
  } finally {
    seen.mockRestore()
  }
}

test('a quote is one statement, and so is a refused one', async () => {
  expect((await postQuote(api, wish('10.00'))).status).toBe(201)
  // A busy machine may read the revisions late and then looks up the credential once more.
  const expectOne = (amount: string, statement: string) =>
    eventually(async () => expect(await statementsOf(() => postQuote(api, wish(amount)))).toEqual([statement]))
  await expectOne('11.00', 'insert quotes')
  await expectOne('0.10', 'insert quotes')
  await expectOne('1.001', 'find parties of a quote, one')
})

test('an estimate does not query the database, and a quote with a key is one statement', async () => {
  const query = 'sourceCurrency=USD&sourcePaymentMethod=ACH&destinationCurrency=USDC&destinationPaymentMethod=BASE'
  await eventually(async () => expect(await statementsOf(() => api.get(`/exchange-rates?${query}`))).toEqual([]))
  const keyed = () => statementsOf(() => postQuote(api, wish('12.00'), { 'x-idempotency-key': newId() }))
  await eventually(async () => expect(await keyed()).toEqual(['insert keyed quotes']))
})

test('concurrent quotes share statements, and each gets its own answer', async () => {
  const { organizations, credentials } = api.app
  const stranger = await organizations.create({ name: 'Stranger', tier: 'STARTUP', parentOrganizationId: null })
  const { apiKey } = await credentials.createFullKey('Stranger', stranger.organizationId)
  const { customerId } = ada
  const asks: (() => Promise<Answer>)[] = Array.from({ length: 8 }).flatMap((_, turn) => [
    () => postQuote(api, wish(`${turn + 20}.00`)),
    () => postQuote(api, wish('0.10')),
    () => postQuote(api, { customerId, from: [bank, 'USD', 'ACH', '20.00'], to: [newId(), 'USDC', 'BASE'] }),
    () => postQuote(api, { customerId, from: [bank, 'USD', 'WIRE', '20.00'], to: [wallet, 'USDC', 'BASE'] }),
    () => api.call('POST', '/quotes', { apiKey, body: quoteBody(wish('20.00')) }),
  ])
  const answersOf = ({ status, body }: Answer) => [status, body.error, body.destinationAmount, body.fees]
  const alone: Answer[] = []
  for (const ask of asks) alone.push(await ask())
  let together: Answer[] = []
  const owner = openForTest({ connection: api.database.owner })
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  const statements = await statementsOf(async () => {
    // While no request can store a quote, the others queue behind the waiting ones.
    let answers: Promise<Answer[]> | undefined
    await owner.inTx(async (tx) => {
      await tx.query({ text: 'lock table svc.quotes in access exclusive mode' })
      answers = Promise.all(asks.map((ask) => ask()))
      await expect.poll(async () => (await owner.query({ text: waiting })).length).toBe(2)
      // Sent last and refused without reading the table: by then the others have arrived.
      for (let last = 0; last < 10; last += 1) await postQuote(api, wish('1.001'))
    })
    together = (await answers) ?? []
  })
  expect(together.map(answersOf)).toEqual(alone.map(answersOf))
  expect(new Set(alone.map(({ status }) => status))).toEqual(new Set([201, 400, 404, 422]))
  expect(statements.filter((name) => name === 'insert quotes').length).toBeLessThan(asks.length / 2)
  const quoted = [...alone, ...together].flatMap(({ status, body }) => (status === 201 ? [body.quoteId] : []))
  const kept = await Promise.all(quoted.map((quoteId) => api.get(`/quotes/${quoteId}`)))
  expect(kept.map(({ body }) => [body.quoteId, body.destinationAmount])).toEqual(
    [...alone, ...together]
      .filter(({ status }) => status === 201)
      .map(({ body }) => [body.quoteId, body.destinationAmount]),
  )
})

test('many quotes of one call are one statement, and a refused one does not affect the others', async () => {
  const { organizationId } = ada
  const caller = { organizationIds: [organizationId], tiers: new Map([[organizationId, 'STARTUP' as const]]) }
  const bodies = [wish('30.00'), wish('0.10'), wish('1.001'), wish('31.00')].map((each) => quoteBody(each) as QuoteBody)
  let made: unknown[] = []
  const statements = await statementsOf(async () => {
    made = await api.app.quotes.createMany(bodies.map((body) => ({ caller, body })))
  })
  expect(made).toMatchObject([
    { quoteId: expect.any(String) },
    { code: 'AMOUNT_BELOW_MINIMUM' },
    { code: 'BAD_REQUEST' },
    { quoteId: expect.any(String) },
  ])
  expect(statements.filter((name) => name === 'insert quotes')).toHaveLength(1)
})
