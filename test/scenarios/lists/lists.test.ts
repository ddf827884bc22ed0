import { afterAll, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { createCustomer, patchCustomer } from '../../support/customers/customers.ts'
import { makeAccounts, makeActive, postQuote, type QuoteWish } from '../../support/money/quotes.ts'
import {
  advance,
  creditWallet,
  expectVerified,
  sendDeposit,
  startWithWorkers,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { createRule } from '../../support/rules/rules.ts'
import { eventually } from '../../support/runner/eventually.ts'

const api = await startWithWorkers({ SVC_RETENTION_DAYS: '30' })
afterAll(api.stop)
afterAll(() => expectVerified(api))

const ada = await makeActive(api, 'US')
const { organizationId, customerId } = ada
const accounts = await makeAccounts(api, ada)
const { wallet, external, bank } = accounts
await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 1_000_000_000n })
const started = new Date(Date.parse((await api.get('/sandbox/clock')).body.now) - 1).toISOString()

async function pay(amount: string, wish: Partial<QuoteWish> = {}, more: object = {}) {
  const from = [wallet, 'USDC', 'BASE', amount] as const
  const quote = await postQuote(api, { customerId, from, to: [external, 'USDC', 'BASE'], ...wish })
  const body = { quoteId: quote.body.quoteId, ...more }
  const answer = await api.post('/transactions', body, { headers: { 'x-idempotency-key': newId() } })
  expect([answer.status, answer.body]).toEqual([201, expect.anything()])
  return answer.body
}

const small = await pay('10', {}, { correlationId: 'a shared order', externalId: 'ext-small' })
await waitForTransaction(api, small, { transactionStatus: 'COMPLETED' })
await advance(api, 'PT1H')
const large = await pay('200', {}, { correlationId: 'a shared order' })
await waitForTransaction(api, large, { transactionStatus: 'COMPLETED' })
const between = new Date(Date.parse(large.createdAt) - 60_000).toISOString()
await advance(api, 'PT1H')
const onramp = await pay('50', { from: [bank, 'USD', 'ACH', '50.00'], to: [wallet, 'USDC', 'BASE'] })
const after = new Date(Date.parse(onramp.createdAt) - 60_000).toISOString()

const nameOf = new Map([
  [small.transactionId, 'small'],
  [large.transactionId, 'large'],
  [onramp.transactionId, 'onramp'],
])
async function listed(query: string): Promise<(string | undefined)[]> {
  const { status, body } = await api.get(`/transactions?${query}`)
  expect([status, body]).toEqual([200, expect.anything()])
  return body.transactions.map(({ transactionId }) => nameOf.get(transactionId))
}

// biome-ignore format: a table is read by column
test.each([
  ['status=COMPLETED',                                                      ['large', 'small']],
  ['status=AWAITING_TRANSFER',                                              ['onramp']],
  ['status=FAILED',                                                         []],
  ['correlationId=a%20shared%20order',                                      ['large', 'small']],
  ['correlationId=another',                                                 []],
  ['externalId=ext-small',                                                  ['small']],
  [`createdFrom=${between}`,                                                ['onramp', 'large']],
  [`createdTo=${between}`,                                                  ['small']],
  [`createdFrom=${between}&createdTo=${after}`,                             ['large']],
  [`createdFrom=${large.createdAt}&createdTo=${onramp.createdAt}`,          ['large']],
  [`updatedFrom=${between}&status=COMPLETED`,                               ['large']],
  [`createdFrom=${started}&rail=ACH`,                                       ['onramp']],
  [`createdFrom=${started}&rail=BASE`,                                      ['onramp', 'large', 'small']],
  [`customerId=${customerId}&rail=ACH`,                                     ['onramp']],
  [`customerId=${customerId}&currency=USDC&amountFrom=10&amountTo=199.999`, ['small']],
  [`customerId=${customerId}&currency=USDC&amountFrom=10.000001`,           ['large']],
  [`createdFrom=${started}&currency=USD&amountTo=50`,                       ['onramp']],
  [`paymentAccountId=${bank}&status=AWAITING_TRANSFER`,                     ['onramp']],
  [`paymentAccountId=${wallet}&createdFrom=${between}`,                     ['onramp', 'large']],
  [`customerId=${newId()}&status=COMPLETED`,                                []],
] as const)('GET /transactions?%s', async (query, names) => {
  expect(await listed(query)).toEqual(names)
})

// biome-ignore format: a table is read by column
test.each([
  ['/transactions', 'rail=ACH',                                        'rail'],
  ['/transactions', 'status=COMPLETED&currency=USD',                   'currency'],
  ['/transactions', `customerId=${customerId}&amountFrom=1`,           'currency'],
  ['/transactions', `customerId=${customerId}&amountTo=1`,             'currency'],
  ['/transactions', `customerId=${customerId}&currency=XXX`,           'currency'],
  ['/transactions', `customerId=${customerId}&currency=USD&amountFrom=x`, 'amountFrom'],
  ['/transactions', `customerId=${customerId}&currency=USD&amountTo=0.001`, 'amountTo'],
  ['/transactions', `customerId=${customerId}&currency=USD&amountFrom=2&amountTo=1`, 'amountTo'],
  ['/transactions', 'createdFrom=yesterday',                           'createdFrom'],
  ['/transactions', `createdFrom=${after}&createdTo=${between}`,       'createdTo'],
  ['/transactions', `updatedFrom=${after}&updatedTo=${after}`,         'updatedTo'],
  ['/transactions', 'status=DONE',                                     'status'],
  ['/transactions', 'expand=customer,secrets',                         'expand'],
  ['/deposits',     'rail=ACH',                                        'rail'],
  ['/deposits',     'status=APPLIED&currency=USD&amountFrom=1',        'currency'],
  ['/quotes',       'rail=ACH',                                        'rail'],
  ['/quotes',       'amountFrom=1',                                    'currency'],
  ['/customers',    'type=BUSINESS',                                   'type'],
  ['/customers',    'status=ACTIVE&type=BUSINESS',                     'type'],
  ['/customers',    'namePrefix=Ad',                                   'namePrefix'],
  ['/customers',    `namePrefix=${'a'.repeat(25)}`,                    'namePrefix'],
  ['/payment-accounts', 'status=ACTIVE',                               'customerId'],
  ['/automation-rules', `createdFrom=${after}&createdTo=${between}`,   'createdTo'],
] as const)('GET %s?%s is refused at %s', async (path, query, field) => {
  expect(await api.get(`${path}?${query}`)).toMatchObject({
    status: 400,
    body: { error: 'BAD_REQUEST', details: [{ field }] },
  })
})

test.each(['/transactions', '/deposits', '/quotes'] as const)(
  'GET %s accepts each filter that its refusal names',
  async (path) => {
    const { body } = await api.get(`${path}?rail=ACH`)
    const [{ message }] = (body as unknown as { details: [{ message: string }] }).details
    const names = message.replace('must be combined with one of ', '').split(', ')
    expect(names).toContain('customerId')
    for (const name of names) {
      const value = name.endsWith('From') || name.endsWith('To') ? started : newId()
      expect(await api.get(`${path}?rail=ACH&${name}=${value}`), name).toMatchObject({ status: 200 })
    }
  },
)

test('pages of a filtered list are whole, and a token belongs to its filters', async () => {
  for (const filter of [
    'status=COMPLETED',
    `createdFrom=${started}`,
    `updatedFrom=${started}`,
    `customerId=${customerId}&rail=BASE`,
  ]) {
    const whole = (await api.get(`/transactions?${filter}`)).body.transactions.map((each) => each.transactionId)
    expect(whole.length).toBeGreaterThan(1)
    const read: string[] = []
    for (let token = ''; read.length < whole.length; ) {
      const { transactions, nextPageToken } = (await api.get(`/transactions?${filter}&pageSize=1&pageToken=${token}`))
        .body
      read.push(...transactions.map((each) => each.transactionId))
      if (nextPageToken === '') break
      token = nextPageToken
      const elsewhere = await api.get(`/transactions?${filter}&correlationId=other&pageSize=1&pageToken=${token}`)
      expect(elsewhere).toMatchObject({ status: 400, body: { details: [{ field: 'pageToken' }] } })
    }
    expect(read).toEqual(whole)
  }
})

test('customers are found by status, type, email, name, prefix, external id and time', async () => {
  const unique = newId().slice(-12)
  const zoe = await createCustomer(api, {
    firstName: 'Zoë',
    lastName: `Quill${unique}`,
    email: `zoe-${unique}@example.com`,
    externalId: unique,
  })
  const inc = await createCustomer(api, {
    customerType: 'BUSINESS',
    businessName: `Quill${unique} Inc`,
    email: `inc-${unique}@example.com`,
  })
  const find = async (query: string) =>
    (await api.get(`/customers?${query}`)).body.customers.map((each) => each.customerId)
  expect(await find(`email=ZOE-${unique}@example.com`)).toEqual([zoe.customerId])
  expect(await find(`name=zoe%20quill${unique}`)).toEqual([zoe.customerId])
  expect(await find(`namePrefix=zoe%20quill${unique.slice(0, 4)}`)).toEqual([zoe.customerId])
  expect(await find(`namePrefix=Quill${unique}`)).toEqual([inc.customerId])
  expect(await find(`name=Quill${unique}`)).toEqual([])
  expect(await find(`externalId=${unique}`)).toEqual([zoe.customerId])
  expect(await find(`namePrefix=Quill${unique}&type=INDIVIDUAL`)).toEqual([])
  expect(await find(`namePrefix=Quill${unique}&type=BUSINESS&status=CREATED`)).toEqual([inc.customerId])
  expect(await find(`email=zoe-${unique}@example.com&name=Other`)).toEqual([])
  expect(await find(`status=ACTIVE`)).toEqual([customerId])
  expect(await find(`createdFrom=${after}`)).toEqual([inc.customerId, zoe.customerId])
  expect(await find(`createdFrom=${inc.createdAt}`)).toContain(inc.customerId)
  expect(await find(`createdTo=${after}`)).toEqual([customerId])
  await patchCustomer(api, zoe, { lastName: `Renamed${unique}`, email: `new-${unique}@example.com` })
  expect(await find(`email=zoe-${unique}@example.com`)).toEqual([])
  expect(await find(`email=new-${unique}@example.com`)).toEqual([zoe.customerId])
  expect(await find(`namePrefix=zoe%20renamed`)).toEqual([zoe.customerId])
  expect((await api.post(`/customers/${zoe.customerId}/erase`)).status).toBe(200)
  expect(await find(`email=new-${unique}@example.com`)).toEqual([])
  const left = { text: 'select 1 as one from svc.customer_search where customer_id = $1', values: [zoe.customerId] }
  expect(await api.app.database.query(left)).toEqual([])
})

test('a parent finds the customers of its children by name', async () => {
  const child = await api.app.organizations.create({
    name: 'Child',
    tier: 'BUILDER',
    parentOrganizationId: organizationId,
  })
  const name = `Nested${newId().slice(-12)}`
  // The key's organizations are cached for a moment.
  const made = await eventually(() =>
    createCustomer(api, { firstName: name, lastName: 'One', organizationId: child.organizationId }),
  )
  const find = async (query: string) =>
    (await api.get(`/customers?${query}`)).body.customers.map((each) => each.customerId)
  expect(await find(`namePrefix=${name}`)).toEqual([made.customerId])
  expect(await find(`namePrefix=${name}&organizationId=${organizationId}`)).toEqual([])
  expect(await find(`createdFrom=${after}&organizationId=${child.organizationId}`)).toEqual([made.customerId])
})

test('deposits are found by rail, amount and time', async () => {
  const reference = await sendDeposit(api, wallet, { amount: '7', currency: 'USDC', chain: 'BASE' })
  const { depositId } = await waitForDeposit(api, reference, { depositStatus: 'CREDITED' })
  const find = async (query: string) =>
    (await api.get(`/deposits?${query}`)).body.deposits.map((each) => each.depositId)
  expect(await find(`createdFrom=${after}`)).toEqual([depositId])
  expect(await find(`createdTo=${after}`)).toEqual([])
  expect(await find(`updatedFrom=${after}&rail=BASE`)).toEqual([depositId])
  expect(await find(`createdFrom=${after}&rail=ACH`)).toEqual([])
  expect(await find(`customerId=${customerId}&currency=USDC&amountFrom=7&amountTo=7`)).toEqual([depositId])
  expect(await find(`customerId=${customerId}&currency=USDC&amountFrom=7.000001`)).toEqual([])
})

test('quotes, accounts, rules and webhooks are found by the same words', async () => {
  const quotes = async (query: string) => (await api.get(`/quotes?${query}`)).body.quotes.map((each) => each.quoteId)
  expect(await quotes(`customerId=${customerId}`)).toEqual([onramp.quoteId, large.quoteId, small.quoteId])
  expect(await quotes('')).toEqual([onramp.quoteId, large.quoteId, small.quoteId])
  expect(await quotes(`createdFrom=${between}&rail=ACH`)).toEqual([onramp.quoteId])
  expect(await quotes(`customerId=${customerId}&currency=USDC&amountFrom=100`)).toEqual([large.quoteId])
  const find = async (query: string) =>
    (await api.get(`/payment-accounts?customerId=${customerId}&${query}`)).body.paymentAccounts.map(
      (each) => each.paymentAccountId,
    )
  expect(await find('type=SVC_CRYPTO_WALLET')).toEqual([wallet])
  expect(await find('rail=ACH&status=ACTIVE')).toEqual([bank])
  expect(await find('rail=BASE')).toEqual([external, wallet])
  expect(await find('status=DEACTIVATED')).toEqual([])
  expect(await find(`createdFrom=${after}`)).toEqual([])
  const wish = {
    customerId,
    from: [wallet, 'USDC', 'BASE'],
    to: [external, 'USDC', 'BASE'],
    amount: ['PCT', '1'],
  } as const
  const rule = await createRule(api, { ...wish, cron: '0 9 * * mon' })
  const rules = async (query: string) =>
    (await api.get(`/automation-rules?${query}`)).body.automationRules.map(({ id }) => id)
  expect(await rules('status=ACTIVE')).toEqual([rule.id])
  expect(await rules('status=PAUSED')).toEqual([])
  expect(await rules(`createdFrom=${after}`)).toEqual([rule.id])
  expect(await rules(`createdTo=${after}`)).toEqual([])
})

test('a read of transactions includes customer, quote and accounts', async () => {
  const expected = {
    customer: (await api.get(`/customers/${customerId}`)).body,
    quote: (await api.get(`/quotes/${small.quoteId}`)).body,
    sourcePaymentAccount: (await api.get(`/payment-accounts/${wallet}`)).body,
    destinationPaymentAccount: (await api.get(`/payment-accounts/${external}`)).body,
  }
  const plain = (await api.get(`/transactions/${small.transactionId}`)).body
  const whole = (await api.get(`/transactions/${small.transactionId}?expand=customer,quote,accounts`)).body
  expect(whole).toEqual({ ...plain, ...expected })
  const [listed] = (await api.get('/transactions?externalId=ext-small&expand=accounts,customer,quote')).body
    .transactions
  expect(listed).toEqual(whole)
  const [alone] = (await api.get(`/transactions?externalId=ext-small&expand=quote`)).body.transactions
  expect(alone).toEqual({ ...plain, quote: expected.quote })
})

// biome-ignore format: a table is read by column
test.each([
  ['customer', 'customers:read'],
  ['quote',    'quotes:read'],
  ['accounts', 'payment_accounts:read'],
] as const)('expand=%s needs the scope %s', async (expand, scope) => {
  const scopes = ['transactions:read', 'customers:read', 'quotes:read', 'payment_accounts:read']
  const make = async (own: string[]) => (await api.post('/api-keys', { name: 'reader', scopes: own })).body.apiKey as string
  const without = { apiKey: await make(scopes.filter((each) => each !== scope)) }
  for (const path of [`/transactions/${small.transactionId}?expand=${expand}`, `/transactions?expand=${expand}`]) {
    expect(await api.get(path, without)).toMatchObject({ status: 403, body: { error: 'FORBIDDEN', message: expect.stringContaining(scope) } })
    expect((await api.get(path, { apiKey: await make(['transactions:read', scope]) })).status).toBe(200)
  }
})
