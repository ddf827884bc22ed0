import { afterAll, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { makePayer } from '../../support/money/blocked-payers.ts'
import { createDisbursementStories } from '../../support/money/disbursement-stories.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  createTransaction,
  creditWallet,
  sendDeposit,
  startWithWorkers,
  waitForDeposit,
} from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { readMetric } from '../../support/runner/metrics.ts'
import { createWebhook, startReceiver } from '../../support/webhooks/receiver.ts'

const api = await startWithWorkers({ SVC_TRUSTED_PROXIES: '127.0.0.1', SVC_ALERT_PAYOUT_USD: '1000' })
const receiver = await startReceiver()
afterAll(async () => {
  receiver.close()
  await api.stop()
})
type Told = { type: string; data: Record<string, unknown> }
const watching = await createWebhook(api, `${receiver.url}/watch`, {
  events: [
    'webhook.created',
    'webhook.updated',
    'api_key.created',
    'api_key.new_address',
    'payment_account.large_payout',
    'policy.updated',
  ],
})
const told = (type: string) =>
  receiver
    .at('/watch')
    .map(({ body }): Told => JSON.parse(body))
    .filter((event) => event.type === type)
    .map(({ data }) => data)
const countActs = async (act: string) => Number(await readMetric(api, `svc_audit_acts_total{act="${act}"}`))

test('a new key and a new webhook are told to the other webhooks, and counted', async () => {
  const { body: key } = await api.post('/api-keys', { name: 'Second', scopes: ['events:read'] })
  const { webhookId } = await createWebhook(api, `${receiver.url}/other`)
  await eventually(() => {
    expect(told('api_key.created')).toMatchObject([{ apiKeyId: key.apiKeyId, name: 'Second', scopes: ['events:read'] }])
    expect(told('webhook.created')).toMatchObject([{ webhookId, url: `${receiver.url}/other` }])
  })
  expect(JSON.stringify(receiver.received)).not.toContain(key.apiKey)
  expect(receiver.at('/other').map(({ body }) => JSON.parse(body).data.webhookId)).not.toContain(webhookId)
  expect(told('webhook.created')).not.toContainEqual(expect.objectContaining({ webhookId: watching.webhookId }))
  await eventually(async () => expect(await countActs('webhook.created')).toBeGreaterThanOrEqual(2))
})

test('other addresses and events of a webhook are told to the others with the former ones, and what a token asked for as such', async () => {
  const { access_token: token } = (await api.post('/auth/token')).body
  const asToken = { apiKey: token }
  const { body: hook } = await api.post('/webhooks', { url: `${receiver.url}/a`, events: ['*'] }, asToken)
  const { webhookId, apiKeyId } = hook
  const change = (body: object, options = {}) => api.call('PATCH', `/webhooks/${webhookId}`, { body, ...options })
  // The same address, and other fields, send it nowhere else.
  for (const body of [{ url: `${receiver.url}/a` }, { description: 'Mine' }])
    expect((await change(body)).status).toBe(200)
  expect((await change({ url: `${receiver.url}/b` }, asToken)).status).toBe(200)
  expect((await change({ url: `${receiver.url}/c` })).status).toBe(200)
  expect((await change({ events: ['customer.updated'] })).status).toBe(200)
  expect((await change({ events: ['customer.updated'] })).status).toBe(200)
  const changes = () => told('webhook.updated').filter((data) => data.webhookId === webhookId)
  await eventually(() => expect(changes()).toHaveLength(3))
  const [byToken, byKey, ofEvents] = changes()
  expect(byToken).toMatchObject({ url: `${receiver.url}/b`, previousUrl: `${receiver.url}/a`, apiKeyId, byToken: true })
  expect(byKey).toMatchObject({ url: `${receiver.url}/c`, previousUrl: `${receiver.url}/b`, apiKeyId })
  expect(byKey).not.toHaveProperty('byToken')
  const narrowed = { events: ['customer.updated'], previousEvents: ['*'], previousUrl: `${receiver.url}/c` }
  expect(ofEvents).toMatchObject({ url: `${receiver.url}/c`, ...narrowed })
  expect(told('webhook.created')).toContainEqual(expect.objectContaining({ webhookId, apiKeyId, byToken: true }))
  // An address hears of its own webhook when Svc stops calling it: see former-receivers.test.ts.
  const ownChanges = (path: string) => {
    const events = receiver.at(path).map(({ body }): Told => JSON.parse(body))
    return events.filter(({ type }) => type === 'webhook.updated').map(({ data }) => data)
  }
  await eventually(() => expect(['/a', '/b', '/c'].flatMap(ownChanges)).toEqual([byToken, byKey, ofEvents]))
})

test('a key that is used from a new address is told once, whichever process saw it', async () => {
  const { body: key } = await api.post('/api-keys', { name: 'Roaming', scopes: ['organizations:read'] })
  const { apiKey = '', apiKeyId } = key
  const call = (address: string) => api.get('/organizations', { apiKey, headers: { 'x-forwarded-for': address } })
  const toldOf = () => told('api_key.new_address').filter((data) => data.apiKeyId === apiKeyId)
  const { credentials } = api.app
  // The first address is what others are compared with.
  for (const address of ['203.0.113.7', '203.0.113.7']) expect((await call(address)).status).toBe(200)
  await credentials.recordUses()
  await call('198.51.100.9')
  await call('2001:db8:1:2::1')
  await credentials.recordUses()
  await eventually(() => expect(toldOf().flatMap(({ addresses }) => addresses)).toHaveLength(2))
  expect(toldOf().flatMap(({ addresses }) => addresses)).toEqual(['198.51.100.9', '2001:db8:1:2::/64'])
  // Known addresses, and another one of the same IPv6 network.
  for (const address of ['203.0.113.7', '198.51.100.9', '2001:db8:1:2::ffff']) await call(address)
  await credentials.recordUses()
  await call('192.0.2.1')
  await credentials.recordUses()
  await eventually(() => expect(toldOf().flatMap(({ addresses }) => addresses)).toHaveLength(3))
  expect(toldOf().at(-1)).toMatchObject({ addresses: ['192.0.2.1'], name: 'Roaming' })
  await eventually(async () => expect(await countActs('api_key.new_address')).toBeGreaterThanOrEqual(2))
})

test('many new addresses at once are told together, and further ones of that day are in the audit log alone', async () => {
  const { apiKey = '', apiKeyId } = (await api.post('/api-keys', { name: 'Busy', scopes: ['organizations:read'] })).body
  const use = async (...addresses: string[]) => {
    const call = (address: string) => api.get('/organizations', { apiKey, headers: { 'x-forwarded-for': address } })
    await Promise.all(addresses.map(call))
    await api.app.credentials.recordUses()
  }
  const toldOf = () =>
    told('api_key.new_address').flatMap((data) => (data.apiKeyId === apiKeyId ? (data.addresses as string[]) : []))
  const logged = async () => (await api.get(`/audit?act=api_key.new_address&actor=api_key:${apiKeyId}`)).body.entries
  await use('203.0.113.7')
  await use(...Array.from({ length: 20 }, (_, at) => `198.51.100.${at}`))
  // The service records by itself as well: the last one may be in a second batch.
  await eventually(() => expect(toldOf().length).toBeGreaterThanOrEqual(19))
  await use('192.0.2.1')
  await eventually(async () => expect(JSON.stringify(await logged())).toContain('192.0.2.1'))
  expect(toldOf()).not.toContain('192.0.2.1')
})

test('the first large payout to an account is told once; smaller ones and later ones are not', async () => {
  const { customerId } = await makeActive(api)
  const { bank, wallet } = await makeAccounts(api, { customerId })
  const { organizationId } = watching
  await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 9_000_000_000n })
  const pay = (amount: string) =>
    createTransaction(api, { customerId, from: [wallet, 'USDC', 'BASE', amount], to: [bank, 'USD', 'ACH'] })
  await pay('900.00')
  const large = await pay('1500.00')
  await pay('1600.00')
  const marker = await api.post('/api-keys', { name: newId(), scopes: ['events:read'] })
  await eventually(() => expect(told('payment_account.large_payout')).toHaveLength(1))
  expect(told('payment_account.large_payout')).toMatchObject([
    { paymentAccountId: bank, transactionId: large.transactionId, usdAmount: '1500.00' },
  ])
  const about = (await api.get(`/events?resourceId=${bank}&type=payment_account.large_payout`)).body.events
  const alertId = about[0]?.resourceId
  expect(about).toMatchObject([{ resourceType: 'payment_account', data: { paymentAccountId: bank, alertId } }])
  await eventually(() =>
    expect(told('api_key.created')).toContainEqual(expect.objectContaining({ apiKeyId: marker.body.apiKeyId })),
  )
  expect(told('payment_account.large_payout')).toHaveLength(1)
  await eventually(async () => expect(await readMetric(api, 'svc_alert_lag_seconds')).toBe('0'))
})

test('a large payout outside of a transaction is told as well, once for its account', async () => {
  const ada = await makePayer(api)
  const other = await ada.bankWith({ accountNumber: '000123450004' })
  const giveBack = async (amount: string) => {
    const sent = await sendDeposit(api, ada.bank, { amount, currency: 'USD', rail: 'ACH', reference: 'rent' })
    const { depositId } = await waitForDeposit(api, sent, { depositStatus: 'UNMATCHED' })
    const body = { action: 'RETURN', reason: 'a test', paymentAccountId: other }
    expect((await api.post(`/deposits/${depositId}/resolve`, body)).status).toBe(200)
  }
  for (const amount of ['900.00', '1500.00', '1600.00']) await giveBack(amount)
  const { creditedDeposit, disburse } = createDisbursementStories(api, api)
  await creditedDeposit(ada, '1700.00')
  expect((await disburse(ada, { destinationPaymentAccountId: ada.bank })).status).toBe(201)
  const toldOf = (account: string) =>
    told('payment_account.large_payout').filter((data) => data.paymentAccountId === account)
  await eventually(() => expect(toldOf(ada.bank)).toMatchObject([{ amount: '1700.00', usdAmount: '1700.00' }]))
  // The returns were ordered before.
  const { customerId } = ada
  expect(toldOf(other)).toMatchObject([{ customerId, amount: '1500.00', currency: 'USD', usdAmount: '1500.00' }])
  expect(toldOf(other)[0]).not.toHaveProperty('transactionId')
  await eventually(async () => expect(await readMetric(api, 'svc_alert_lag_seconds')).toBe('0'))
})

test('a change of the policy is told with the rules that have changed, one by the operator as well', async () => {
  const limitOf = (ruleId: string, dayMax: string) => ({ ruleId, kind: 'LIMIT', per: 'ORGANIZATION', dayMax })
  const [kept, raised] = [limitOf('kept', '900000.00'), limitOf('raised', '800000.00')]
  const { organizationId } = watching
  const operator = api.app.policies
  const put = async (...rules: object[]) =>
    expect((await api.call('PUT', '/policies', { body: { rules } })).status).toBe(200)
  await put(kept, raised)
  await put(kept, limitOf('raised', '900000.00'), limitOf('new', '900000.00'))
  await put(kept)
  await operator.halt(organizationId, 'A test')
  await operator.replaceAsPlatform(organizationId, {
    rules: [{ ruleId: 'stop', kind: 'KILL_SWITCH' }],
    reason: 'A test',
  })
  await operator.replaceAsPlatform(organizationId, { rules: [], reason: 'A test' })
  await operator.resume(organizationId, 'A test')
  await eventually(() => expect(told('policy.updated')).toHaveLength(7))
  expect(told('policy.updated').map(({ changedRules }) => changedRules)).toEqual([
    ['kept', 'raised'],
    ['raised', 'new'],
    ['raised', 'new'],
    ['halt'],
    // The halt stays until it is resumed.
    ['stop'],
    ['stop'],
    ['halt'],
  ])
  const [byKey, , , byOperator] = told('policy.updated')
  expect(byKey).toMatchObject({ organizationId, version: 1, apiKeyId: watching.apiKeyId })
  expect(byOperator).not.toHaveProperty('apiKeyId')
  await eventually(async () => expect(await countActs('policy.changed')).toBeGreaterThanOrEqual(7))
})
