import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { createQuote, makeAccounts, makeActive, type QuoteWish } from '../../support/money/quotes.ts'
import { creditWallet } from '../../support/money/transactions.ts'
import { makePolicyWorld, pay, refusedBy, setRules } from '../../support/policies/policy-world.ts'
import { actingWith, createKey } from '../../support/runner/api.ts'

const world = await makePolicyWorld()
const { api, toBank, toWallet, outside } = world

test('an organization has no policy until it sets one', async () => {
  expect((await api.get('/policies')).body).toEqual({
    organizationId: world.organizationId,
    version: 0,
    rules: [],
    platformRules: [],
  })
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
})

test('a limit of the organization is exact to the last cent, and counts from the moment it is set', async () => {
  await setRules(api, [{ ruleId: 'day', kind: 'LIMIT', per: 'ORGANIZATION', dayMax: '30.00' }])
  expect(await refusedBy(api, toBank('20'))).toBeUndefined()
  expect(await refusedBy(api, toBank('10.01'))).toBe('day')
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
  expect(await refusedBy(api, toBank('5'))).toBe('day')
})

test('a changed maximum keeps what was counted; a rule that is removed and set anew begins at zero', async () => {
  const limit = (dayMax: string) => [{ ruleId: 'kept', kind: 'LIMIT', per: 'ORGANIZATION', dayMax }]
  await setRules(api, limit('20.00'))
  expect(await refusedBy(api, toBank('15'))).toBeUndefined()
  await setRules(api, limit('25.00'))
  expect(await refusedBy(api, toBank('11'))).toBe('kept')
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
  await setRules(api, [])
  await setRules(api, limit('25.00'))
  expect(await refusedBy(api, toBank('11'))).toBeUndefined()
})

test('a cancelled transaction gives its value back, once, and only to the counters that have it', async () => {
  const limit = { ruleId: 'back', kind: 'LIMIT', per: 'ORGANIZATION', hourMax: '20.00', dayMax: '20.00' }
  await setRules(api, [limit])
  const { body } = await pay(api, toBank('20'))
  expect(await refusedBy(api, toBank('5'))).toBe('back')
  expect((await api.post(`/transactions/${body.transactionId}/cancel`)).status).toBe(200)
  expect((await api.post(`/transactions/${body.transactionId}/cancel`)).status).toBe(409)
  expect(await refusedBy(api, toBank('15'))).toBeUndefined()
  expect(await refusedBy(api, toBank('5.01'))).toBe('back')
  const second = await pay(api, toBank('5'))
  // A new rule of the same name has not counted it.
  await setRules(api, [])
  await setRules(api, [limit])
  expect(await refusedBy(api, toBank('20'))).toBeUndefined()
  expect((await api.post(`/transactions/${second.body.transactionId}/cancel`)).status).toBe(200)
  expect(await refusedBy(api, toBank('5'))).toBe('back')
})

test('a transaction that is refused for another reason takes nothing from a limit', async () => {
  await setRules(api, [{ ruleId: 'day', kind: 'LIMIT', per: 'ORGANIZATION', dayMax: '1000000.00' }])
  const { quoteId } = await createQuote(api, toBank('600000'))
  const poor = await api.post('/transactions', { quoteId }, { headers: { 'x-idempotency-key': newId() } })
  expect(poor.body.error).toBe('INSUFFICIENT_BALANCE')
  const preview = await api.post('/policies/preview', { quoteId })
  expect(preview.body.rules).toMatchObject([{ used: '0.00', remaining: '1000000.00' }])
})

test('a key gets rid of no rule with the keys that it creates or rolls', async () => {
  const scopes = ['transactions:write', 'api_keys:write', 'api_keys:read']
  const bound = await createKey(api, { name: 'bound', scopes })
  const acting = (key: { apiKey: string }) => actingWith(api, key.apiKey)
  const free = await api.app.credentials.createOperatorKey({
    name: 'free',
    organizationId: world.organizationId,
    scopes: ['transactions:write'],
  })
  const roll = async (apiKeyId: string, by: { apiKey: string }) => {
    const answer = await acting(by).post(`/api-keys/${apiKeyId}/roll`, { overlap: 'PT1H' })
    expect(answer.status).toBe(200)
    return { apiKeyId: answer.body.apiKeyId, apiKey: String(answer.body.apiKey) }
  }
  const child = await createKey(acting(bound), { name: 'child', scopes })
  const grandchild = await createKey(acting(child), { name: 'grandchild', scopes })
  const successor = await roll(bound.apiKeyId, grandchild)
  // The finder of the bound key takes over a key that was never bound.
  const taken = await roll(free.apiKeyId, successor)
  const led = [bound, child, grandchild, successor, taken]
  await setRules(api, [{ ruleId: 'stop', kind: 'KILL_SWITCH', appliesTo: { apiKeyIds: [bound.apiKeyId] } }])
  for (const key of led) expect(await refusedBy(acting(key), toBank('10'), api)).toBe('stop')
  for (const key of [api, free]) expect(await refusedBy(actingWith(api, key.apiKey), toBank('10'), api)).toBeUndefined()
  const limit = { ruleId: 'each', kind: 'LIMIT', per: 'API_KEY', dayMax: '10.00' }
  for (const rule of [{ ...limit, appliesTo: { apiKeyIds: [bound.apiKeyId] } }, limit]) {
    await setRules(api, [])
    await setRules(api, [rule])
    expect(await refusedBy(acting(grandchild), toBank('10'), api)).toBeUndefined()
    for (const key of led) expect(await refusedBy(acting(key), toBank('5'), api)).toBe('each')
    expect(await refusedBy(acting(free), toBank('10'), api)).toBeUndefined()
  }
  await setRules(api, [])
})

test('a limit counts each key, customer and destination for itself', async () => {
  const { apiKey } = await api.app.credentials.createFullKey('second', world.organizationId)
  const key = actingWith(api, apiKey)
  await setRules(api, [{ ruleId: 'each', kind: 'LIMIT', per: 'API_KEY', dayMax: '10.00' }])
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
  expect(await refusedBy(api, toBank('5'))).toBe('each')
  expect(await refusedBy(key, toBank('10'), api)).toBeUndefined()
  expect(await refusedBy(key, toBank('5'), api)).toBe('each')
  await setRules(api, [{ ruleId: 'each', kind: 'LIMIT', per: 'DESTINATION', dayMax: '10.00' }])
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
  expect(await refusedBy(api, toBank('5'))).toBe('each')
  expect(await refusedBy(api, outside('10'))).toBeUndefined()
  expect(await refusedBy(api, outside('5'))).toBe('each')
  const worker = await api.app.startWorker()
  const bob = await makeActive(api, 'US', { email: 'bob@example.com' })
  const bobs = await makeAccounts(api, bob)
  await worker.stop()
  await creditWallet(api, { ...bob, paymentAccountId: bobs.wallet, amount: 100_000_000n })
  const { customerId } = bob
  const ofBob: QuoteWish = {
    customerId,
    from: [bobs.wallet, 'USDC', 'BASE', '10'],
    to: [bobs.bank, 'USD', 'ACH'],
  }
  await setRules(api, [{ ruleId: 'each', kind: 'LIMIT', per: 'CUSTOMER', dayMax: '10.00' }])
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
  expect(await refusedBy(api, outside('5'))).toBe('each')
  expect(await refusedBy(api, ofBob)).toBeUndefined()
  expect(await refusedBy(api, ofBob)).toBe('each')
  await setRules(api, [{ ruleId: 'bob', kind: 'KILL_SWITCH', appliesTo: { customerIds: [customerId] } }])
  expect(await refusedBy(api, ofBob)).toBe('bob')
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
})

test('a rule applies to the keys, destinations, rails and networks that it names', async () => {
  const made = await createKey(api, { name: 'third', scopes: ['transactions:write'] })
  const third = actingWith(api, made.apiKey)
  await setRules(api, [
    {
      ruleId: 'small',
      kind: 'LIMIT',
      per: 'API_KEY',
      transactionMax: '10.00',
      appliesTo: { apiKeyIds: [made.apiKeyId] },
    },
  ])
  expect(await refusedBy(third, toBank('10.01'), api)).toBe('small')
  expect(await refusedBy(third, toBank('10'), api)).toBeUndefined()
  expect(await refusedBy(api, toBank('10.01'))).toBeUndefined()
  await setRules(api, [{ ruleId: 'no-ach', kind: 'KILL_SWITCH', appliesTo: { rails: ['ACH'] } }])
  expect(await refusedBy(api, toBank('10'))).toBe('no-ach')
  expect(await refusedBy(api, outside('10'))).toBeUndefined()
  await setRules(api, [{ ruleId: 'no-base', kind: 'KILL_SWITCH', appliesTo: { networks: ['BASE'] } }])
  expect(await refusedBy(api, outside('10'))).toBe('no-base')
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
  await setRules(api, [
    { ruleId: 'not-there', kind: 'KILL_SWITCH', appliesTo: { paymentAccountIds: [world.external] } },
  ])
  expect(await refusedBy(api, outside('10'))).toBe('not-there')
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
})

test('money that stays in a service wallet does not leave: no rule applies to it', async () => {
  await setRules(api, [{ ruleId: 'stop', kind: 'KILL_SWITCH' }])
  expect((await pay(api, toWallet('10.00'))).status).toBe(201)
  expect(await refusedBy(api, toBank('10'))).toBe('stop')
  const { quoteId } = await createQuote(api, toWallet('10.00'))
  expect((await api.post('/policies/preview', { quoteId })).body).toMatchObject({ outcome: 'GO', rules: [] })
})

test('without a value in dollars, rules about amounts refuse', async () => {
  const { quoteId } = await createQuote(api, toBank('10'))
  const copy = newId()
  await api.app.database.query({
    text: `insert into svc.quotes
           select (jsonb_populate_record(original, jsonb_build_object('usd_cents', null, 'quote_id', $2::text))).*
             from svc.quotes as original where organization_id = $3 and quote_id = $1`,
    values: [quoteId, copy, world.organizationId],
  })
  const send = (id: string) => api.post('/transactions', { quoteId: id }, { headers: { 'x-idempotency-key': newId() } })
  await setRules(api, [{ ruleId: 'any', kind: 'LIMIT', per: 'ORGANIZATION', monthMax: '1000000.00' }])
  expect((await send(copy)).body.error).toBe('POLICY_REFUSED')
  expect((await send(quoteId)).status).toBe(201)
})
