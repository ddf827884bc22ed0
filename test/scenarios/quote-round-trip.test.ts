import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { startApi } from '../support/api.ts'
import { createCustomer } from '../support/customers.ts'
import { makeAccounts, postQuote, type QuoteWish } from '../support/quotes.ts'
import { fillAddressPool } from '../support/wallets.ts'

/**
 * No workers here: whatever the database is asked, apart from the watch on revisions, a request asked. Tokens of the
 * rate limit are taken many at a time, so now and then one request of many has a second statement; not here.
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

const background = ['read revisions', 'record api key uses']

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
  expect(await statementsOf(() => postQuote(api, wish('11.00')))).toEqual(['insert quote'])
  expect(await statementsOf(() => postQuote(api, wish('0.10')))).toEqual(['insert quote'])
  expect(await statementsOf(() => postQuote(api, wish('1.001')))).toEqual(['find parties of a quote'])
})

test('an estimate asks the database nothing, and a quote with a key is one transaction', async () => {
  const query = 'sourceCurrency=USD&sourcePaymentMethod=ACH&destinationCurrency=USDC&destinationPaymentMethod=BASE'
  expect(await statementsOf(() => api.get(`/exchange-rates?${query}`))).toEqual([])
  const keyed = await statementsOf(() => postQuote(api, wish('12.00'), { 'x-idempotency-key': newId() }))
  expect(keyed.filter((name) => name === 'insert quote')).toHaveLength(1)
  expect(keyed.filter((name) => name === 'commit')).toHaveLength(1)
})
