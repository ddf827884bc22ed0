import { afterAll, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { createCustomer, patchCustomer } from '../../support/customers/customers.ts'
import { createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive, postQuote } from '../../support/money/quotes.ts'
import { advance, creditWallet, expectVerified, startWithWorkers } from '../../support/money/transactions.ts'
import { ruleBody } from '../../support/rules/rules.ts'
import { eventually } from '../../support/runner/eventually.ts'

const api = await startWithWorkers({ SVC_RETENTION_DAYS: '30' })
afterAll(api.stop)
afterAll(() => expectVerified(api))

const ada = await makeActive(api, 'US')
const { organizationId, customerId } = ada
const accounts = await makeAccounts(api, ada)
await creditWallet(api, { organizationId, paymentAccountId: accounts.wallet, amount: 1_000_000_000n })

type Make = (more: object, headers?: Record<string, string>) => Promise<{ status: number; body: object }>
const key = () => ({ 'x-idempotency-key': newId() })
const metadata = { team: 'north', 'cost center': '42' }
const from = [accounts.wallet, 'USDC', 'BASE', '10'] as const
const to = [accounts.external, 'USDC', 'BASE'] as const
const quote = (more: object = {}, headers = {}) => postQuote(api, { customerId, from, to, more }, headers)
const newQuoteId = async () => (await quote()).body.quoteId
const transact = async (more: object, headers: Record<string, string> = key()) =>
  api.post('/transactions', { quoteId: await newQuoteId(), ...more }, { headers })
const rule = (more: object, headers = {}) => {
  const body = ruleBody({ customerId, from: ['', '', ''], to, amount: ['PCT', '50'], cron: '0 9 * * mon' })
  const source = { sourcePaymentAccountId: accounts.wallet, sourceCurrency: 'USDC', sourcePaymentMethod: 'BASE' }
  const transactionTemplate = { ...body.transactionTemplate, source }
  return api.post('/automation-rules', { ...body, transactionTemplate, ...more }, { headers })
}
const webhook = (more: object, headers = {}) =>
  api.post('/webhooks', { url: `${api.baseUrl}/hooks`, events: ['*'], ...more }, { headers })
const customer = (more: object, headers = {}) =>
  api.post('/customers', { customerType: 'INDIVIDUAL', email: 'ada@example.com', ...more }, { headers })
const account = (more: object, headers = {}) =>
  api.post('/payment-accounts', { ...serviceWalletOf(customerId, 'EVM'), ...more }, { headers })

const resources: Record<string, { make: Make; path(body: Record<string, string>): string }> = {
  customers: { make: customer, path: (body) => `/customers/${body.customerId}` },
  'payment accounts': { make: account, path: (body) => `/payment-accounts/${body.paymentAccountId}` },
  quotes: { make: quote, path: (body) => `/quotes/${body.quoteId}` },
  transactions: { make: transact, path: (body) => `/transactions/${body.transactionId}` },
  rules: { make: rule, path: (body) => `/automation-rules/${body.id}` },
  webhooks: { make: webhook, path: (body) => `/webhooks/${body.webhookId}` },
}
const names = Object.keys(resources)
const resource = (name: string) => {
  const found = resources[name]
  if (!found) throw new Error(`there is no resource ${name}`)
  return found
}

test.each(names)('own data of %s is shown in the answer and in reads', async (name) => {
  const { make, path } = resource(name)
  const externalId = newId()
  const made = await make({ externalId, metadata })
  expect([made.status, made.body]).toEqual([expect.any(Number), expect.objectContaining({ externalId, metadata })])
  expect((await api.get(path(made.body as never))).body).toMatchObject({ externalId, metadata })
  const without = await make({})
  expect(without.body).not.toHaveProperty('externalId')
  expect(without.body).not.toHaveProperty('metadata')
})

test.each(names)('a list of %s finds one by its external id', async (name) => {
  const { make, path } = resource(name)
  const [externalId, otherId] = [newId(), newId()]
  const made = (await make({ externalId })).body as Record<string, string>
  const other = (await make({ externalId: otherId })).body as Record<string, string>
  await make({})
  const list = path(made).slice(0, path(made).lastIndexOf('/'))
  const find = async (id: string) => {
    const { status, body } = await api.get(`${list}?externalId=${id}`)
    const [found = []] = Object.values(body).filter((each): each is Record<string, string>[] => Array.isArray(each))
    return [status, found.map(path)]
  }
  expect(await find(externalId)).toEqual([200, [path(made)]])
  expect(await find(otherId)).toEqual([200, [path(other)]])
  expect(await find(newId())).toEqual([200, []])
})

test.each(names)('an external id of %s is used once, and the refusal names the field', async (name) => {
  const { make } = resource(name)
  const externalId = newId()
  expect((await make({ externalId })).status).toBeLessThan(300)
  expect(await make({ externalId })).toMatchObject({
    status: 409,
    body: { error: 'EXTERNAL_ID_ALREADY_USED', details: [{ field: 'externalId' }] },
  })
})

test.each(names)('ten requests at once with one external id make one of %s', async (name) => {
  const { make } = resource(name)
  const externalId = newId()
  const made = await Promise.all(Array.from({ length: 10 }, () => make({ externalId })))
  expect(made.map(({ status }) => status).filter((status) => status < 300)).toHaveLength(1)
  expect(made.filter(({ body }) => 'error' in body && body.error === 'EXTERNAL_ID_ALREADY_USED')).toHaveLength(9)
})

test.each(names)('a repeated request of %s gets the first answer, with its own data', async (name) => {
  const { make } = resource(name)
  const [externalId, headers, quoteId] = [newId(), key(), await newQuoteId()]
  const more = { externalId, metadata, ...(name === 'transactions' ? { quoteId } : {}) }
  const first = await make(more, headers)
  const again = await make(more, headers)
  const { secret: _secret, ...shown } = first.body as { secret?: string }
  expect([again.status, again.body]).toEqual([first.status, shown])
})

// biome-ignore format: a table is read by column
test.each([
  ['externalId',    { externalId: '' }],
  ['externalId',    { externalId: 'x'.repeat(201) }],
  ['metadata',      { metadata: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`name ${at}`, ''])) }],
  ['metadata',      { metadata: { ['n'.repeat(41)]: '' } }],
  ['metadata.a',    { metadata: { a: 'x'.repeat(501) } }],
  ['metadata.a',    { metadata: { a: 1 } }],
  ['metadata.a',    { metadata: { a: { b: 'c' } } }],
] as const)('own data outside the limits is refused at %s', async (field, more) => {
  for (const name of names) {
    const { status, body } = (await resource(name).make(more)) as { status: number; body: { details?: { field: string }[] } }
    expect([name, status, body.details?.map((each) => each.field)]).toEqual([name, 400, [field]])
  }
})

test.each([
  ['n'.repeat(41), 'has a name that must have at most 40 characters'],
  ['', 'has a name that must not be empty'],
])('the name %j of a pair is refused with one message', async (pair, message) => {
  const { body } = await webhook({ metadata: { [pair]: 'x' } })
  expect(body).toMatchObject({ error: 'BAD_REQUEST', details: [{ field: 'metadata', message }] })
})

test('the limits themselves are allowed', async () => {
  const pairs = Array.from({ length: 20 }, (_, at) => [`${'n'.repeat(38)}${10 + at}`, 'v'.repeat(500)])
  const made = await transact({ externalId: 'ü'.repeat(200), metadata: Object.fromEntries(pairs) })
  expect(made.body.metadata).toEqual(Object.fromEntries(pairs))
})

test('a patch merges metadata and clears with null', async () => {
  const made = await createCustomer(api, { externalId: newId(), metadata })
  const patched = await patchCustomer(api, made, { metadata: { team: null, region: 'EU' } })
  expect(patched.body).toMatchObject({ externalId: made.externalId, customerStatus: 'CREATED' })
  expect(patched.body.metadata).toEqual({ 'cost center': '42', region: 'EU' })
  const cleared = await patchCustomer(api, made, { metadata: null, externalId: null })
  expect(cleared.body).not.toHaveProperty('metadata')
  expect(cleared.body).not.toHaveProperty('externalId')
  const taken = newId()
  await createCustomer(api, { externalId: taken })
  expect((await patchCustomer(api, made, { externalId: taken })).body).toMatchObject({
    error: 'EXTERNAL_ID_ALREADY_USED',
  })
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`name ${at}`, '']))
  await patchCustomer(api, made, { metadata: many })
  expect((await patchCustomer(api, made, { metadata: { more: '' } })).body).toMatchObject({ error: 'BAD_REQUEST' })
})

test('a patch of a webhook and a replaced rule keep own data that they leave out', async () => {
  const hook = (await webhook({ externalId: newId(), metadata })).body
  const patch = (body: object) => api.call('PATCH', `/webhooks/${hook.webhookId}`, { body })
  expect((await patch({ description: 'x' })).body).toMatchObject({ externalId: hook.externalId, metadata })
  expect((await patch({ metadata: { team: null } })).body.metadata).toEqual({ 'cost center': '42' })
  const made = (await rule({ externalId: newId(), metadata })).body
  const { metadata: _pairs, externalId: _id, ...rest } = made
  const put = (body: object) => api.call('PUT', `/automation-rules/${made.id}`, { body })
  expect((await put(rest)).body).toMatchObject({ externalId: made.externalId, metadata })
  expect((await put({ ...rest, metadata: { only: 'this' } })).body.metadata).toEqual({ only: 'this' })
})

test('a deleted account, rule or webhook gives its external id back', async () => {
  for (const name of ['payment accounts', 'rules', 'webhooks']) {
    const { make, path } = resource(name)
    const externalId = newId()
    const made = await make({ externalId })
    expect((await api.call('DELETE', path(made.body as never))).status).toBe(200)
    expect([name, (await make({ externalId })).status < 300]).toEqual([name, true])
  }
})

test('another organization may use the same external id, name and email, and finds its own alone', async () => {
  const other = await api.app.organizations.create({ name: 'Other', tier: 'BUILDER', parentOrganizationId: null })
  const { apiKey } = await api.app.credentials.createFullKey('Other', other.organizationId)
  const body = { customerType: 'INDIVIDUAL', email: `${newId()}@example.com`, firstName: 'Nora', externalId: newId() }
  const mine = (await api.post('/customers', body)).body
  const theirs = (await api.post('/customers', body, { apiKey })).body
  for (const query of [`externalId=${body.externalId}`, `email=${body.email}`, `email=${body.email}&namePrefix=nora`]) {
    const find = async (options = {}) =>
      (await api.get(`/customers?${query}`, options)).body.customers.map((each) => each.customerId)
    expect([await find(), await find({ apiKey })]).toEqual([[mine.customerId], [theirs.customerId]])
  }
})

test('events of transactions show the external id, and never the metadata', async () => {
  const externalId = newId()
  const { transactionId } = (await transact({ externalId, metadata })).body
  await eventually(async () => {
    const { events } = (await api.get(`/events?resourceId=${transactionId}&pageSize=100`)).body
    expect(events.length).toBeGreaterThan(0)
    for (const { data } of events) expect(data).toMatchObject({ externalId })
    expect(JSON.stringify(events)).not.toContain('north')
  })
  const listed = (await api.get(`/transactions?customerId=${customerId}&pageSize=100`)).body.transactions
  expect(listed.find((each) => each.transactionId === transactionId)).toMatchObject({ externalId, metadata })
})

test('an erasure leaves no metadata in any table or log', async () => {
  const secret = `secret-${newId()}`
  const pairs = { metadata: { note: secret } }
  const eve = await makeActive(api, 'US', pairs)
  const own = await makeAccounts(api, eve)
  const wallet = await createAccount(api, { ...serviceWalletOf(eve.customerId, 'EVM'), ...pairs })
  await creditWallet(api, { ...eve, paymentAccountId: own.wallet, amount: 10_000_000n })
  const wish = {
    customerId: eve.customerId,
    from: [own.wallet, 'USDC', 'BASE', '10'],
    to: [own.external, 'USDC', 'BASE'],
  } as const
  const { quoteId } = (await postQuote(api, { ...wish, more: pairs }, key())).body
  const paid = (await api.post('/transactions', { quoteId, ...pairs }, { headers: key() })).body
  await eventually(async () =>
    expect((await api.get(`/transactions/${paid.transactionId}`)).body.transactionStatus).toBe('COMPLETED'),
  )
  const made = await api.post(
    '/automation-rules',
    {
      ...ruleBody({ ...wish, from: [own.wallet, 'USDC', 'BASE'], amount: ['PCT', '50'], cron: '0 9 * * mon' }),
      ...pairs,
    },
    { headers: key() },
  )
  expect(await tablesWith(secret)).toEqual(['automation_rules', 'quotes', 'transactions'])
  await api.delete(`/automation-rules/${made.body.id}`)
  await api.post(`/customers/${eve.customerId}/deactivate`, { reason: 'Asked to leave' })
  await advance(api, 'P200D')
  for (const id of [...Object.values(own), wallet.paymentAccountId]) {
    expect((await api.delete(`/payment-accounts/${id}`)).status).toBe(200)
  }
  const erased = await api.post(`/customers/${eve.customerId}/erase`)
  expect([erased.status, erased.body]).toEqual([200, expect.objectContaining({ name: '' })])
  expect(await tablesWith(secret)).toEqual([])
  expect((await api.get(`/transactions/${paid.transactionId}`)).body).not.toHaveProperty('metadata')
  expect(api.logs.join('\n')).not.toContain(secret)
})

/** The tables in which any row holds the text in the clear. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await api.app.database.query<{ name: string }>({
    text: `select relname as name from pg_class
            where relnamespace = 'svc'::regnamespace and relkind = 'r' and has_table_privilege(oid, 'select')
            order by relname`,
  })
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await api.app.database.query({
      text: `select 1 as one from svc.${name} as each_row where each_row::text like '%' || $1 || '%' limit 1`,
      values: [text],
    })
    if (rows.length > 0) found.push(name)
  }
  return found
}
