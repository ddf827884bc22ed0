import { afterAll, expect, test } from 'vitest'
import type { Scope } from '../../../src/lib/caller.ts'
import { createCustomer } from '../../support/customers/customers.ts'
import { createKey, startApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'
import { first } from '../../support/runner/first.ts'
import { deliveriesOf, emitEvents, readWebhook, startReceiver } from '../../support/webhooks/receiver.ts'

/** A webhook has the rights of the key that chose its address and its types, and loses what that key loses. */
const api = await startApi({ SVC_RATE_LIMIT_SANDBOX: '0' })
let worker = await api.app.startWorker()
const receiver = await startReceiver()
const asOwner = () => openForTest({ connection: api.database.owner })
afterAll(async () => {
  receiver.close()
  await worker.stop()
})
const { organizationId: own } = first((await api.get('/organizations')).body.organizations)
const manager: Scope[] = ['webhooks:read', 'webhooks:write', 'events:write']
const keyWith = (...scopes: Scope[]) => createKey(api, { name: 'Maker', scopes: [...manager, ...scopes] })
let paths = 0
const makeUrl = () => `${receiver.url}/scoped-${++paths}`
const create = (apiKey: string, body: object = {}) =>
  api.post('/webhooks', { url: makeUrl(), events: ['*'], ...body }, { apiKey })
const change = (webhookId: string, body: object, apiKey: string = api.apiKey) =>
  api.call('PATCH', `/webhooks/${webhookId}`, { body, apiKey })
/** Lists what a webhook has heard, but for new webhooks and addresses of others, which a star hears of as well. */
const heard = ({ url }: { url: string }): string[] => {
  const types = receiver.at(new URL(url).pathname).map(({ body }) => JSON.parse(body).type)
  return types.filter((type) => !['webhook.created', 'webhook.updated'].includes(type))
}
const marker = (await create(api.apiKey, { events: ['webhook.disabled', 'deposit.created'] })).body

/** Emits one event of each type and waits until a webhook of a full key has received the last one. */
async function happen(...types: Parameters<typeof emitEvents>[2][number]['type'][]): Promise<void> {
  const before = heard(marker).length
  await emitEvents(api, own, [...types.map((type) => ({ ...(type && { type }) })), { type: 'deposit.created' }])
  await expect.poll(() => heard(marker).length).toBeGreaterThan(before)
}

test('a key subscribes to what it may read', async () => {
  const { apiKey, apiKeyId } = await keyWith('customers:read')
  const refused = await create(apiKey, { events: ['customer.created', 'transaction.updated'] })
  expect([refused.status, refused.body]).toMatchObject([403, { message: expect.stringContaining('transactions:read') }])
  const named = (await create(apiKey, { events: ['customer.created'] })).body
  const all = (await create(apiKey)).body
  expect([named.apiKeyId, all.apiKeyId]).toEqual([apiKeyId, apiKeyId])
  await happen('customer.created', 'transaction.created')
  await expect.poll(() => heard(named)).toEqual(['customer.created'])
  await expect.poll(() => heard(all)).toEqual(['customer.created'])
  const blind = await createKey(api, { name: 'Blind', scopes: ['webhooks:write'] })
  expect((await create(blind.apiKey)).status).toBe(403)
})

test('a key silences no webhook that receives what the key may not read, and a deletion is told', async () => {
  const { webhookId } = (await create(api.apiKey, { events: ['customer.created'] })).body
  const { apiKey } = await keyWith('transactions:read')
  expect((await change(webhookId, { status: 'DISABLED' }, apiKey)).status).toBe(403)
  expect((await api.delete(`/webhooks/${webhookId}`, { apiKey })).status).toBe(403)
  expect((await readWebhook(api, { webhookId })).status).toBe('ENABLED')
  const reader = await keyWith('customers:read')
  expect((await api.delete(`/webhooks/${webhookId}`, { apiKey: reader.apiKey })).status).toBe(200)
  await expect.poll(() => heard(marker)).toContain('webhook.disabled')
})

test('a key gets no secret of a webhook that receives what the key may not read, and a rotation is told', async () => {
  const { webhookId } = (await create(api.apiKey, { events: ['customer.created'] })).body
  const watching = (await create(api.apiKey, { events: ['webhook.updated'] })).body
  const told = () => receiver.at(new URL(watching.url).pathname).map(({ body }) => JSON.parse(body).data)
  const rotate = ({ apiKey }: { apiKey: string }) =>
    api.post(`/webhooks/${webhookId}/rotate-secret`, undefined, { apiKey })
  const refused = await rotate(await keyWith('transactions:read'))
  expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('customers:read')])
  expect((await rotate(await keyWith('customers:read'))).status).toBe(200)
  await expect.poll(told).toMatchObject([{ webhookId, isSecretRotated: true }])
  expect(JSON.stringify(told())).not.toContain('whsec')
})

test('a key redirects no webhook that receives what the key may not read', async () => {
  const all = (await create(api.apiKey, { events: ['*'] })).body
  const named = (await create(api.apiKey, { events: ['customer.created'] })).body
  const { apiKey } = await keyWith('transactions:read')
  for (const { webhookId } of [all, named]) {
    for (const body of [{ url: makeUrl() }, { events: ['customer.updated'] }]) {
      const { status, body: answer } = await change(webhookId, body, apiKey)
      expect([status, answer.message]).toEqual([403, expect.stringContaining('customers:read')])
    }
    expect((await change(webhookId, { description: 'Mine' }, apiKey)).status).toBe(200)
  }
  // Nor does it silence one: the events would be lost to who waits for them.
  expect((await change(named.webhookId, { events: ['transaction.updated'] }, apiKey)).status).toBe(403)
  await happen('customer.created')
  await expect.poll(() => heard(named)).toEqual(['customer.created'])
})

test('pending deliveries do not go to an address of a key that may not read them', async () => {
  const former = await keyWith('customers:read')
  const hook = (await create(former.apiKey, { events: ['customer.created'] })).body
  receiver.answer(new URL(hook.url).pathname, 500)
  await happen('customer.created')
  await expect.poll(() => heard(hook)).toEqual(['customer.created'])
  const { apiKey } = await keyWith('transactions:read')
  const url = makeUrl()
  expect((await api.delete(`/api-keys/${former.apiKeyId}`)).status).toBe(200)
  const taken = { url, events: ['transaction.updated'], status: 'ENABLED' }
  expect((await change(hook.webhookId, taken, apiKey)).status).toBe(200)
  const [pending] = await deliveriesOf(api, hook)
  expect((await api.post(`/webhook-deliveries/${pending?.deliveryId}/retry`)).status).toBe(200)
  await expect.poll(async () => (await deliveriesOf(api, hook))[0]?.attempts.at(-1)?.outcome).toBe('FORBIDDEN')
  expect(heard({ url })).toEqual([])
})

test('a cascade ends the webhooks of a leaked key and of what it led to', async () => {
  const leaked = await createKey(api, { name: 'Leaked', scopes: [...manager, 'customers:read', 'api_keys:write'] })
  const child = await createKey(api, { name: 'Child', scopes: [...manager, 'customers:read'] }, leaked)
  const hooks = [(await create(leaked.apiKey)).body, (await create(child.apiKey)).body]
  const redirected = (await create(api.apiKey, { events: ['customer.created'] })).body
  const url = makeUrl()
  expect((await change(redirected.webhookId, { url }, leaked.apiKey)).body.apiKeyId).toBe(leaked.apiKeyId)
  const idle = (await create(leaked.apiKey)).body
  await change(idle.webhookId, { status: 'DISABLED' })
  expect((await api.delete(`/api-keys/${leaked.apiKeyId}?cascade=true`)).status).toBe(200)
  for (const hook of [...hooks, redirected]) {
    const shown = await readWebhook(api, hook)
    expect(shown).toMatchObject({ status: 'DISABLED', disabledReason: 'KEY_REVOKED' })
    expect(shown).not.toHaveProperty('apiKeyId')
  }
  await createCustomer(api)
  await happen('customer.created')
  // While its key works, a webhook may hear that another has ended: the idle one, or one of the key revoked first.
  expect([...hooks, { url }].flatMap(heard).filter((type) => type !== 'webhook.disabled')).toEqual([])
  for (const { webhookId } of hooks) expect((await api.post(`/webhooks/${webhookId}/test`, {})).status).toBe(409)
  // Its last key is gone: the key that enables it answers for it.
  const blind = await keyWith('transactions:read')
  const enabled = await change(idle.webhookId, { status: 'ENABLED' }, blind.apiKey)
  expect(enabled.body).toMatchObject({ status: 'ENABLED', apiKeyId: blind.apiKeyId })
  await happen('customer.created', 'transaction.created')
  await expect.poll(() => heard(idle)).toContain('transaction.created')
  expect(heard(idle)).not.toContain('customer.created')
})

test('a webhook survives the roll of its key, and what the key chooses during the overlap ends with the key', async () => {
  const maker = await keyWith('customers:read')
  const [before, taken] = [(await create(maker.apiKey)).body, (await create(maker.apiKey)).body]
  const roll = async () => (await api.post(`/api-keys/${maker.apiKeyId}/roll`, { overlap: 'PT1H' })).body
  await roll()
  const during = (await create(maker.apiKey)).body
  expect((await change(taken.webhookId, { url: makeUrl() }, maker.apiKey)).body.apiKeyId).toBe(maker.apiKeyId)
  // The answer was lost: the second successor gets what the first one had, and nothing else.
  const successor = await roll()
  const keyOf = async (hook: { webhookId: string }) => (await readWebhook(api, hook)).apiKeyId
  expect(await keyOf(before)).toBe(successor.apiKeyId)
  for (const hook of [during, taken]) expect(await keyOf(hook)).toBe(maker.apiKeyId)
  expect((await api.delete(`/api-keys/${maker.apiKeyId}`)).status).toBe(200)
  for (const hook of [during, taken]) expect((await readWebhook(api, hook)).disabledReason).toBe('KEY_REVOKED')
  await happen('customer.created')
  await expect.poll(() => heard(before)).toContain('customer.created')
  expect(heard(during)).not.toContain('customer.created')
  expect((await api.delete(`/api-keys/${successor.apiKeyId}`)).status).toBe(200)
  expect((await readWebhook(api, before)).disabledReason).toBe('KEY_REVOKED')
})

test('a webhook ends when its key expires', async () => {
  const maker = await keyWith('customers:read')
  const hook = (await create(maker.apiKey, { events: ['customer.created'] })).body
  await asOwner().query({
    text: `update svc.webhooks set maker_expires_at = clock_timestamp() where webhook_id = $1`,
    values: [hook.webhookId],
  })
  await happen('customer.created')
  await expect.poll(async () => (await readWebhook(api, hook)).disabledReason).toBe('KEY_EXPIRED')
  // Its receiver hears of its end, and nothing else.
  expect((await deliveriesOf(api, hook)).filter(({ formerUrl }) => formerUrl === undefined)).toEqual([])
  expect((await change(hook.webhookId, { status: 'ENABLED' })).body.status).toBe('ENABLED')
  await happen('customer.created')
  // Enabled, it also gets what happened between the expiry and the moment in which a worker disabled it.
  await expect.poll(() => heard(hook)).toContain('customer.created')
})

test('the key that takes over the webhook of an expired key gets the events from before its end', async () => {
  const maker = await keyWith('customers:read')
  const hook = (await create(maker.apiKey, { events: ['customer.created'] })).body
  await worker.stop()
  await emitEvents(api, own, [{ type: 'customer.created' }])
  await asOwner().query({
    text: `update svc.webhooks set maker_expires_at = clock_timestamp() where webhook_id = $1`,
    values: [hook.webhookId],
  })
  worker = await api.app.startWorker()
  await expect.poll(async () => (await readWebhook(api, hook)).disabledReason).toBe('KEY_EXPIRED')
  await happen()
  await expect.poll(() => heard(hook)).toEqual(['webhook.disabled'])
  expect((await change(hook.webhookId, { status: 'ENABLED' })).body.status).toBe('ENABLED')
  await expect.poll(() => heard(hook)).toEqual(['webhook.disabled', 'customer.created'])
})

test('a PATCH that changes nothing leaves a webhook to the key that chose it', async () => {
  const maker = await keyWith('customers:read')
  const { webhookId, url } = (await create(maker.apiKey, { events: ['customer.created'] })).body
  for (const body of [{ url }, { events: ['customer.created'] }, { status: 'ENABLED' }])
    expect((await change(webhookId, body)).body.apiKeyId).toBe(maker.apiKeyId)
  expect((await change(webhookId, { url: makeUrl() })).body.apiKeyId).not.toBe(maker.apiKeyId)
})

test('the expiry of a webhook is that of its key', async () => {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const maker = await createKey(api, { name: 'Short', scopes: [...manager, 'customers:read'], expiresAt })
  const { webhookId } = (await create(maker.apiKey)).body
  const [stored] = await asOwner().query<{ at: Date }>({
    text: 'select maker_expires_at as at from svc.webhooks where webhook_id = $1',
    values: [webhookId],
  })
  expect(stored?.at.toISOString()).toBe(expiresAt)
})

test('a webhook without a maker receives nothing until a key takes it over', async () => {
  const hook = (await create(api.apiKey, { events: ['customer.created'] })).body
  await asOwner().query({
    text: `update svc.webhooks set maker_api_key_id = null, maker_organization_id = null, scopes = '{}'
            where webhook_id = $1`,
    values: [hook.webhookId],
  })
  await happen('customer.created')
  expect(await deliveriesOf(api, hook)).toEqual([])
  expect((await change(hook.webhookId, { status: 'ENABLED' })).status).toBe(200)
  await happen('customer.created')
  await expect.poll(() => heard(hook)).toEqual(['customer.created'])
})

test('replays need the scope of what they send, and skip webhooks that may not receive it', async () => {
  const narrow = await keyWith('transactions:read')
  const hook = (await create(narrow.apiKey)).body
  await createCustomer(api)
  await expect.poll(async () => (await api.get('/events?type=customer.created')).body.events.length).toBeGreaterThan(0)
  const { id } = first((await api.get('/events?type=customer.created')).body.events)
  const refused = await api.post(`/events/${id}/replay`, {}, narrow)
  expect([refused.status, refused.body]).toMatchObject([403, { message: expect.stringContaining('customers:read') }])
  const { deliveries } = (await api.post(`/events/${id}/replay`, {})).body
  expect(deliveries.map(({ webhookId }) => webhookId)).not.toContain(hook.webhookId)
  expect((await api.post(`/events/${id}/replay`, { webhookId: hook.webhookId })).status).toBe(409)
  const wide = { webhookId: marker.webhookId, fromSequence: 1, toSequence: 5 }
  expect((await api.post('/events/replay', wide, await keyWith('customers:read'))).status).toBe(403)
  await happen('transaction.updated')
  await expect.poll(() => heard(hook)).toContain('transaction.updated')
  const range = await api.post('/events/replay', { webhookId: hook.webhookId, fromSequence: 1 }, narrow)
  expect(range.status).toBe(200)
  expect(heard(hook).filter((type) => type.startsWith('customer.'))).toEqual([])
})

test('a test shows what the webhook may receive, and no other type', async () => {
  const narrow = await keyWith('transactions:read')
  const { webhookId } = (await create(narrow.apiKey)).body
  expect((await api.post(`/webhooks/${webhookId}/test`, {})).body.eventType).toBe('transaction.created')
  expect((await api.post(`/webhooks/${webhookId}/test`, { type: 'customer.updated' })).status).toBe(409)
})

test('the response of a receiver is shown to who may read the event', async () => {
  const hook = (await create(api.apiKey, { events: ['customer.updated'] })).body
  receiver.answer(new URL(hook.url).pathname, ({ body }, response) => response.writeHead(200).end(body))
  await happen('customer.updated')
  await expect.poll(async () => (await deliveriesOf(api, hook))[0]?.status).toBe('DELIVERED')
  const [delivery] = await deliveriesOf(api, hook)
  expect(delivery?.attempts[0]?.response).toContain('customer.updated')
  const narrow = await keyWith('transactions:read')
  const read = (await api.get(`/webhook-deliveries/${delivery?.deliveryId}`, narrow)).body
  const listed = first((await api.get(`/webhooks/${hook.webhookId}/deliveries`, narrow)).body.deliveries)
  for (const { attempts } of [read, listed]) {
    expect(attempts).toMatchObject([{ outcome: 'DELIVERED' }])
    expect(attempts[0]).not.toHaveProperty('response')
  }
})

test('an inbox shows a delivered event to who may read it', async () => {
  const inbox = (await api.post('/sandbox/inbox', {})).body
  await create(api.apiKey, { url: inbox.url, events: ['customer.updated'] })
  await happen('customer.updated')
  const read = async (apiKey: string) =>
    first((await api.get(`/sandbox/inbox/${inbox.inboxId}/requests`, { apiKey })).body.requests)
  await expect.poll(() => read(api.apiKey).catch(() => undefined)).toMatchObject({ signature: { outcome: 'VALID' } })
  expect((await read(api.apiKey)).body).toContain('customer.updated')
  const { apiKey } = await createKey(api, { name: 'Sandbox', scopes: ['sandbox:read'] })
  expect(await read(apiKey)).toMatchObject({ hidden: true, erased: false, body: '', headers: {} })
})

test('a key that is revoked while it creates a webhook leaves none behind', async () => {
  const maker = await keyWith('customers:read')
  const revoking = api.delete(`/api-keys/${maker.apiKeyId}`)
  const created = await Promise.all(Array.from({ length: 8 }, () => create(maker.apiKey)))
  expect((await revoking).status).toBe(200)
  for (const { status, body } of created) {
    if (status === 201) expect((await readWebhook(api, body)).disabledReason).toBe('KEY_REVOKED')
    else expect(status).toBe(401)
  }
})

test('all invariants hold', async () => {
  expect((await api.app.verify()).checks.filter(({ ok }) => !ok)).toEqual([])
})
