import { Webhook as Verifier } from 'standardwebhooks'
import { afterAll, expect, test } from 'vitest'
import { createSequencerJob } from '../../../src/db/outbox/sequencer.ts'
import { createCustomer } from '../../support/customers/customers.ts'
import { startApi, type TestApi } from '../../support/runner/api.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'
import { first } from '../../support/runner/first.ts'
import {
  createWebhook,
  deliveriesOf,
  emitEvents,
  type Received,
  readWebhook,
  startReceiver,
} from '../../support/webhooks/receiver.ts'

const api = await startApi()
const worker = await api.app.startWorker()
const receiver = await startReceiver()
afterAll(async () => {
  await worker.stop()
  receiver.close()
})
let paths = 0
const freshUrl = () => `${receiver.url}/hook-${++paths}`
const pathOf = ({ url }: { url: string }) => new URL(url).pathname
const waitFor = (webhook: { url: string }, count: number): Promise<Received[]> =>
  expect
    .poll(() => receiver.at(pathOf(webhook)))
    .toHaveLength(count)
    .then(() => receiver.at(pathOf(webhook)))
/** The deposits that an address was told of; after a change it hears of that, too. */
const depositsAt = (webhook: { url: string }) =>
  receiver.at(pathOf(webhook)).filter(({ body }) => JSON.parse(body).type === 'deposit.created')
const waitForDeposits = async (webhook: { url: string }, count: number): Promise<Received[]> => {
  await expect.poll(() => depositsAt(webhook)).toHaveLength(count)
  return depositsAt(webhook)
}
const verify = (secret: string, { body, headers }: Received) => new Verifier(secret).verify(body, headers)

test('creating a customer sends a signed event to the webhook', async () => {
  const webhook = await createWebhook(api, freshUrl(), { events: ['customer.created'] })
  expect(webhook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  const customer = await createCustomer(api)
  const received = first(await waitFor(webhook, 1))
  expect(received.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': received.id })
  const event = (await api.get(`/events/${received.id}`)).body
  expect(verify(webhook.secret, received)).toEqual(event)
  expect(event).toMatchObject({ type: 'customer.created', data: { customerId: customer.customerId } })
  await expect
    .poll(() => deliveriesOf(api, webhook))
    .toMatchObject([
      { eventId: received.id, eventType: 'customer.created', status: 'DELIVERED', attempts: [{ statusCode: 204 }] },
    ])
})

test('a webhook gets the events it subscribes to; customer.update means customer.updated', async () => {
  const webhook = await createWebhook(api, freshUrl(), { events: ['customer.update', 'deposit.created'] })
  expect(webhook.events).toEqual(['customer.updated', 'deposit.created'])
  const both = await createWebhook(api, freshUrl(), { events: ['*', 'deposit.created'] })
  expect(both.events).toEqual(['*'])
  const types = ['customer.created', 'customer.updated', 'deposit.updated', 'deposit.created'] as const
  await emitEvents(
    api,
    webhook.organizationId,
    types.map((type) => ({ type })),
  )
  // The star also hears of the other webhook when its creation is sequenced late.
  const heard = () => receiver.at(pathOf(both)).map(({ body }) => JSON.parse(body).type)
  await expect.poll(heard).toEqual(expect.arrayContaining([...types]))
  const received = await waitFor(webhook, 2)
  expect(received.map(({ body }) => JSON.parse(body).type)).toEqual(
    expect.arrayContaining(['customer.updated', 'deposit.created']),
  )
})

test('events from before a webhook’s creation, or while it was disabled, are not sent to it', async () => {
  const early = await createWebhook(api, freshUrl())
  const [before] = await emitEvents(api, early.organizationId, [{}])
  await waitFor(early, 1)
  const late = await createWebhook(api, freshUrl())
  const [after] = await emitEvents(api, early.organizationId, [{}])
  expect((await waitFor(late, 1))[0]?.id).toBe(after)
  await api.call('PATCH', `/webhooks/${late.webhookId}`, { body: { status: 'DISABLED' } })
  const [missed] = await emitEvents(api, early.organizationId, [{}])
  await expect.poll(() => receiver.at(pathOf(early)).map(({ id }) => id)).toContain(missed)
  await api.call('PATCH', `/webhooks/${late.webhookId}`, { body: { status: 'ENABLED' } })
  const [again] = await emitEvents(api, early.organizationId, [{}])
  await expect.poll(() => receiver.at(pathOf(late)).map(({ id }) => id)).toContain(again)
  const heard = receiver.at(pathOf(late)).map(({ id }) => id)
  expect(heard).not.toContain(before)
  expect(heard).not.toContain(missed)
})

test('a test message is sent at once to one webhook, and is not an event', async () => {
  const events = ['customer.created', 'customer.updated']
  const webhook = await createWebhook(api, freshUrl(), { events: ['customer.updated'] })
  const other = await createWebhook(api, freshUrl(), { events })
  receiver.answer(pathOf(webhook), (_, response) => response.writeHead(202).end('thanks'))
  const { body } = await api.post(`/webhooks/${webhook.webhookId}/test`, { type: 'customer.created' })
  expect(body).toMatchObject({
    outcome: 'DELIVERED',
    statusCode: 202,
    response: 'thanks',
    eventType: 'customer.created',
  })
  const received = first(receiver.at(pathOf(webhook)))
  expect(verify(webhook.secret, received)).toMatchObject({ id: body.eventId, sequence: 0, type: 'customer.created' })
  expect((await api.get(`/events/${body.eventId}`)).status).toBe(404)
  const byAlias = await api.post(`/webhooks/${webhook.webhookId}/test`, { type: 'customer.update' })
  expect(byAlias.body).toMatchObject({ outcome: 'DELIVERED', eventType: 'customer.updated' })
  receiver.answer(pathOf(webhook), 500)
  const failed = await api.post(`/webhooks/${webhook.webhookId}/test`)
  expect(failed.body).toMatchObject({ outcome: 'REJECTED', statusCode: 500, eventType: 'customer.updated' })
  expect(await deliveriesOf(api, webhook)).toEqual([])
  expect(receiver.at(pathOf(other))).toEqual([])
})

test('a webhook is listed, changed and deleted', async () => {
  const webhook = await createWebhook(api, freshUrl(), { description: 'First' })
  const { secret: _, ...shown } = webhook
  const listed = (await api.get('/webhooks?pageSize=1')).body
  expect(listed.webhooks).toEqual([shown])
  const change = { url: freshUrl(), description: 'Second', events: ['deposit.created'] }
  const changed = await api.call('PATCH', `/webhooks/${webhook.webhookId}`, { body: change })
  expect(changed.body).toEqual({ ...shown, ...change })
  await emitEvents(api, webhook.organizationId, [{}])
  await waitFor(change, 1)
  expect(depositsAt(webhook)).toEqual([])
  const deleted = await api.delete(`/webhooks/${webhook.webhookId}`)
  expect(deleted.body).toMatchObject({ webhookId: webhook.webhookId })
  expect(await api.delete(`/webhooks/${webhook.webhookId}`)).toMatchObject({ status: 200, body: deleted.body })
  expect((await api.get(`/webhooks/${webhook.webhookId}/deliveries`)).status).toBe(200)
  expect((await api.post(`/webhooks/${webhook.webhookId}/rotate-secret`)).status).toBe(404)
})

test('the other webhooks get one event when a caller disables one', async () => {
  const webhook = await createWebhook(api, freshUrl())
  const other = await createWebhook(api, freshUrl(), { events: ['webhook.disabled'] })
  for (const _ of [1, 2]) {
    await api.call('PATCH', `/webhooks/${webhook.webhookId}`, { body: { status: 'DISABLED' } })
  }
  // The event of a webhook that an earlier test deleted can get its number only now.
  const received = () =>
    receiver
      .at(pathOf(other))
      .map(({ body }) => JSON.parse(body))
      .filter(({ data }) => data.webhookId === webhook.webhookId)
  await expect.poll(received).toHaveLength(1)
  const { data, type } = first(received())
  expect(type).toBe('webhook.disabled')
  expect(data).toEqual(await readWebhook(api, webhook))
  expect(data).toMatchObject({ status: 'DISABLED', disabledReason: 'REQUESTED' })
})

test.each([
  [{ url: 'https://10.0.0.1/hook' }, 'url'],
  [{ url: 'http://example.com/hook' }, 'url'],
  [{ url: 'https://metadata.google.internal/' }, 'url'],
  [{ url: 'not a url' }, 'url'],
  [{ url: '' }, 'url'],
  [{ events: [] }, 'events'],
  [{ events: ['customer.exploded'] }, 'events[0]'],
  [{ description: 'x'.repeat(501) }, 'description'],
])('%o is refused with its field, at creation and at a change', async (wrong, field) => {
  const webhook = await createWebhook(api, freshUrl())
  const created = await api.post('/webhooks', { url: freshUrl(), events: ['*'], ...wrong })
  const changed = await api.call('PATCH', `/webhooks/${webhook.webhookId}`, { body: wrong })
  for (const { status, body } of [created, changed]) {
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: 'BAD_REQUEST', details: [{ field }] })
  }
})

test('events from before a webhook was disabled are sent when it is enabled again', async () => {
  const slow = await startApi()
  const sequencer = createSequencerJob(slow.app.database, 30_000)
  const number = async () => {
    while ((await sequencer.runBatch()) > 0);
  }
  const patch = (body: object) => slow.call('PATCH', `/webhooks/${webhook.webhookId}`, { body })
  const webhook = await createWebhook(slow, freshUrl(), { events: ['deposit.created'] })
  const happened = await emitEvents(slow, webhook.organizationId, [{}, { type: 'deposit.updated' }, {}])
  await number()
  await patch({ status: 'DISABLED' })
  await emitEvents(slow, webhook.organizationId, [{}])
  await number()
  await patch({ status: 'ENABLED' })
  const worker = await slow.app.startWorker()
  const received = await waitForDeposits(webhook, 2)
  expect(received.map(({ id }) => id).sort()).toEqual([happened[0], happened[2]].sort())
  await worker.stop()
})

test('events sequenced while a webhook is being enabled are sent exactly once', async () => {
  const slow = await startApi()
  const sequencer = createSequencerJob(slow.app.database, 30_000)
  const patch = (body: object) => slow.call('PATCH', `/webhooks/${webhook.webhookId}`, { body })
  const webhook = await createWebhook(slow, freshUrl(), { events: ['deposit.created'] })
  const [numbered] = await emitEvents(slow, webhook.organizationId, [{}])
  await sequencer.runBatch()
  const [waiting] = await emitEvents(slow, webhook.organizationId, [{}])
  await patch({ status: 'DISABLED' })
  const owner = openForTest({ connection: slow.database.owner })
  const { enabling } = await owner.inTx(async (tx) => {
    await tx.query({ text: 'lock table svc.webhook_deliveries in share mode' })
    const answer = patch({ status: 'ENABLED' })
    const blocked = `select from pg_locks where not granted and relation = 'svc.webhook_deliveries'::regclass`
    await expect.poll(() => tx.query({ text: blocked })).toHaveLength(1)
    await sequencer.runBatch()
    return { enabling: answer }
  })
  expect((await enabling).body).toMatchObject({ status: 'ENABLED' })
  const worker = await slow.app.startWorker()
  const received = await waitForDeposits(webhook, 2)
  expect(received.map(({ id }) => id).sort()).toEqual([numbered, waiting].sort())
  await worker.stop()
})

test('an empty change is refused', async () => {
  const webhook = await createWebhook(api, freshUrl())
  expect((await api.call('PATCH', `/webhooks/${webhook.webhookId}`, { body: {} })).status).toBe(400)
})

test('an organization has as many webhooks as the operator sets, also with concurrent requests to two processes', async () => {
  const settings = { SVC_WEBHOOKS_PER_ORGANIZATION: '5' }
  const database = await makeDatabase()
  const [one, other] = [await startApi(settings, { database }), await startApi(settings, { database })]
  const { apiKey } = one
  const create = (through: TestApi) => through.post('/webhooks', { url: freshUrl(), events: ['*'] }, { apiKey })
  const quota = async () => first((await one.get('/organizations')).body.organizations).quotas.webhooks
  expect(await quota()).toEqual({ used: 0, allowed: 5 })
  const made = await Promise.all(Array.from({ length: 12 }, (_, at) => create(at % 2 ? one : other)))
  expect(made.map(({ status }) => status).sort()).toEqual([...Array(5).fill(201), ...Array(7).fill(409)])
  expect((await create(one)).body).toMatchObject({
    error: 'CONFLICT',
    message: 'An organization can have at most 5 webhooks: delete one first',
  })
  expect(await quota()).toEqual({ used: 5, allowed: 5 })
  // A notice to a former receiver is no webhook. Neither is a webhook that is deleted.
  const [changed, deleted] = (await one.get('/webhooks')).body.webhooks
  await one.call('PATCH', `/webhooks/${changed?.webhookId}`, { body: { url: freshUrl() } })
  expect(await quota()).toEqual({ used: 5, allowed: 5 })
  expect((await one.delete(`/webhooks/${deleted?.webhookId}`)).status).toBe(200)
  expect(await quota()).toEqual({ used: 4, allowed: 5 })
  const refilled = await Promise.all([create(one), create(other)])
  expect(refilled.map(({ status }) => status).sort()).toEqual([201, 409])
})

test('webhooks are found by their status', async () => {
  const own = await startApi()
  const [enabled, disabled] = [await createWebhook(own, freshUrl()), await createWebhook(own, freshUrl())]
  await own.call('PATCH', `/webhooks/${disabled.webhookId}`, { body: { status: 'DISABLED' } })
  const find = async (status: string) =>
    (await own.get(`/webhooks?status=${status}`)).body.webhooks.map(({ webhookId }) => webhookId)
  expect(await find('ENABLED')).toEqual([enabled.webhookId])
  expect(await find('DISABLED')).toEqual([disabled.webhookId])
  expect(await find('PENDING')).toEqual([])
  expect((await own.get('/webhooks?status=DELETED')).body).toMatchObject({ details: [{ field: 'status' }] })
})

test('a parent creates and lists webhooks of its child, which get only the child’s events', async () => {
  const { organizations } = api.app
  const own = (await createWebhook(api, freshUrl())).organizationId
  const child = await organizations.create({ name: 'Child', tier: 'STARTUP', parentOrganizationId: own })
  const { organizationId } = child
  await expect.poll(async () => (await api.get(`/organizations/${organizationId}`)).status).toBe(200)
  const webhook = await createWebhook(api, freshUrl(), { organizationId })
  expect(webhook.organizationId).toBe(organizationId)
  const listed = await api.get(`/webhooks?organizationId=${organizationId}`)
  expect(listed.body).toMatchObject({ webhooks: [{ webhookId: webhook.webhookId }] })
  await emitEvents(api, own, [{}])
  const [eventId] = await emitEvents(api, organizationId, [{}])
  expect((await waitFor(webhook, 1))[0]?.id).toBe(eventId)
})

test('an integrator points a webhook at a sandbox inbox and sees a valid signature', async () => {
  const inbox = (await api.post('/sandbox/inbox')).body
  const webhook = await createWebhook(api, inbox.url)
  const [eventId] = await emitEvents(api, webhook.organizationId, [{}])
  const arrived = async () => (await api.get(`/sandbox/inbox/${inbox.inboxId}/requests`)).body
  const valid = { signature: { outcome: 'VALID' } }
  await expect.poll(arrived).toMatchObject({ requests: [{ eventId, ...valid }] })
  // The same machine under another name.
  const url = inbox.url.replace('127.0.0.1', 'localhost')
  await api.call('PATCH', `/webhooks/${webhook.webhookId}`, { body: { url } })
  await emitEvents(api, webhook.organizationId, [{}])
  // The address under the first name hears of its end.
  await expect.poll(arrived).toMatchObject({ requests: [valid, valid, valid] })
})
