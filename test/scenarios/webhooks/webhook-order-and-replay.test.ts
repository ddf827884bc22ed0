import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { createCustomer } from '../../support/customers/customers.ts'
import { startApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'
import { readMetric } from '../../support/runner/metrics.ts'
import { createWebhook, deliveriesOf, type Received, readWebhook } from '../../support/webhooks/receiver.ts'
import { minute, patience, second, startStories } from '../../support/webhooks/webhook-stories.ts'

const { service, receiver, moveClock, begin } = await startStories()

test('events of a resource arrive in order until one fails three times; other resources do not wait', async () => {
  const { hook, emit, advance, untilDueIsSent } = await begin()
  const isStuck = (request: Received) => JSON.parse(request.body).data.stuck === true
  const { heard } = await hook((request, response) => response.writeHead(isStuck(request) ? 500 : 204).end())
  const resourceId = newId()
  const version = (resourceVersion: number, data: object = {}) => ({ resourceId, resourceVersion, data })
  const [first, next, last, free] = (await emit([version(1, { stuck: true }), version(2), version(3), {}])) as string[]
  await expect.poll(heard, patience).toHaveLength(2)
  await untilDueIsSent()
  expect(heard().sort()).toEqual([first, free].sort())
  await advance(6 * second)
  await expect.poll(heard, patience).toHaveLength(3)
  await untilDueIsSent()
  expect(heard()).toHaveLength(3)
  await advance(6 * minute)
  await expect.poll(heard, patience).toHaveLength(6)
  expect(heard().slice(3)).toEqual([first, next, last])
})

test('an event that succeeds at the third attempt is followed by the next in order', async () => {
  const { hook, emit, advance, untilDueIsSent } = await begin()
  let failures = 2
  const { heard } = await hook((request, response) => {
    const isFirst = JSON.parse(request.body).resourceVersion === 1
    response.writeHead(isFirst && failures-- > 0 ? 500 : 204).end()
  })
  const resourceId = newId()
  const ids = await emit(Array.from({ length: 20 }, (_, at) => ({ resourceId, resourceVersion: at + 1 })))
  for (const wait of [6 * second, 6 * minute]) {
    await untilDueIsSent()
    await advance(wait)
  }
  await expect.poll(heard, patience).toEqual([ids[0], ids[0], ...ids])
})

test('a caller can retry a failed delivery, not a successful one', async () => {
  const { api, hook, emit, afterAttempts } = await begin()
  const { webhook, path } = await hook(500)
  await emit([{}])
  const { deliveryId } = await afterAttempts(webhook, 1)
  receiver.answer(path, (_, response) => response.writeHead(200).end('ok now'))
  const retried = await api.post(`/webhook-deliveries/${deliveryId}/retry`)
  expect(retried.body).toMatchObject({ deliveryId, status: 'PENDING' })
  const delivered = await afterAttempts(webhook, 2)
  expect(delivered).toMatchObject({ status: 'DELIVERED', attempts: [{ statusCode: 500 }, { response: 'ok now' }] })
  expect((await api.get(`/webhook-deliveries/${deliveryId}`)).body).toEqual(delivered)
  expect((await api.post(`/webhook-deliveries/${deliveryId}/retry`)).status).toBe(409)
  expect((await api.post(`/webhook-deliveries/${newId()}/retry`)).status).toBe(404)
})

test('an event is replayed to all or to one, with the same id and the same bytes', async () => {
  const { api, hook, emit } = await begin()
  const [one, two] = [await hook(), await hook()]
  const other = await hook(204, { events: ['customer.created'] })
  const [eventId] = await emit([{ data: { text: '☃' } }])
  await expect.poll(() => [one.heard(), two.heard()], patience).toEqual([[eventId], [eventId]])
  const replay = (body?: object) => api.post(`/events/${eventId}/replay`, body)
  const { webhookId } = one.webhook
  expect((await replay()).body).toMatchObject({
    deliveries: [{ webhookId }, { webhookId: two.webhook.webhookId }],
  })
  expect((await replay({ webhookId })).body).toMatchObject({
    deliveries: [{ webhookId, eventId, eventType: 'deposit.created' }],
  })
  await expect.poll(() => [one.heard().length, two.heard().length], patience).toEqual([3, 2])
  expect(new Set(one.received().map(({ body }) => body)).size).toBe(1)
  const shown = (await deliveriesOf(api, one.webhook, `&eventId=${eventId}`)).map(({ isReplay }) => isReplay)
  expect(shown).toEqual([false, true, true])
  expect((await replay({ webhookId: other.webhook.webhookId })).body).toMatchObject({ error: 'CONFLICT' })
  await api.call('PATCH', `/webhooks/${webhookId}`, { body: { status: 'DISABLED' } })
  expect((await replay({ webhookId })).body).toMatchObject({ error: 'CONFLICT' })
  expect((await replay({ webhookId: newId() })).status).toBe(404)
})

test('a range of events is replayed in order, by sequence number or time', async () => {
  const { api, hook, emit, now } = await begin()
  const { webhook, heard, received } = await hook()
  const { webhookId } = webhook
  const resourceId = newId()
  const ids = await emit(Array.from({ length: 30 }, (_, at) => ({ resourceId, resourceVersion: at + 1 })))
  await expect.poll(heard, patience).toEqual(ids)
  const sequences = received().map(({ body }) => JSON.parse(body).sequence as number)
  const replay = (range: object) => api.post('/events/replay', { webhookId, ...range })
  const byNumber = await replay({ fromSequence: sequences[10], toSequence: sequences[19] })
  expect(byNumber.body).toEqual({ webhookId, count: 10, lastSequence: sequences[19], isComplete: true })
  await expect.poll(() => heard().slice(30), patience).toEqual(ids.slice(10, 20))
  const time = (at: number) => new Date(at).toISOString()
  expect((await replay({ from: time(now()), to: time(now() + 1) })).body).toMatchObject({ count: 30 })
  await expect.poll(() => heard().slice(40), patience).toEqual(ids)
  const rest = { fromSequence: sequences[25], to: time(now() + 1) }
  expect((await replay(rest)).body).toMatchObject({ count: 5, lastSequence: sequences[29] })
  await expect.poll(() => heard().slice(70), patience).toEqual(ids.slice(25))
  expect((await replay({ from: time(now() + 1) })).body).toEqual({ webhookId, count: 0, isComplete: true })
  const wrong = [
    {},
    { toSequence: 3 },
    { to: time(now()) },
    { fromSequence: 5, toSequence: 4 },
    { from: '2026-02-30T00:00:00Z' },
    { from: time(1), to: time(1) },
  ]
  for (const range of [...wrong, { fromSequence: 1, from: time(now()) }]) expect((await replay(range)).status).toBe(400)
  expect((await api.post('/events/replay', { webhookId: newId(), fromSequence: 1 })).status).toBe(404)
})

test('a delivery in progress when its customer is erased fails, and cannot be retried', async () => {
  const { api, hook, only, afterAttempts } = await begin()
  const { webhook, path, heard } = await hook(
    (request, response) => response.writeHead(500).end(`you said ${request.body}`),
    { events: ['customer.created'] },
  )
  const customer = await createCustomer(api, { email: 'forget.me@example.com' })
  const before = await afterAttempts(webhook, 1)
  expect(before.attempts[0]?.response).toContain('forget.me@example.com')
  expect((await api.post(`/customers/${customer.customerId}/erase`)).status).toBe(200)
  receiver.answer(path, 204)
  const { deliveryId, eventId } = before
  // Every process drops the key within a second.
  await expect.poll(async () => (await api.get(`/events/${eventId}`)).body.data, patience).toEqual({ erased: true })
  expect((await api.post(`/webhook-deliveries/${deliveryId}/retry`)).status).toBe(200)
  await expect.poll(async () => (await only(webhook)).status, patience).toBe('FAILED')
  const after = await only(webhook)
  expect(after.attempts.map(({ outcome }) => outcome)).toEqual(['REJECTED', 'ERASED'])
  expect(JSON.stringify((await api.get(`/webhook-deliveries/${deliveryId}`)).body)).not.toContain('forget.me')
  expect(heard()).toHaveLength(1)
  expect((await api.post(`/webhook-deliveries/${deliveryId}/retry`)).body).toMatchObject({ error: 'CONFLICT' })
  expect((await api.post(`/events/${eventId}/replay`)).body).toMatchObject({ error: 'CONFLICT', statusCode: 409 })
})

test('queued deliveries to a slow receiver are not sent once their customer is erased', async () => {
  const { api, hook, only } = await begin()
  const customers = []
  for (let made = 0; made < 6; made++) customers.push(await createCustomer(api))
  const told = async () => (await api.get('/events?pageSize=100')).body.events
  await expect.poll(told, patience).toHaveLength(6)
  const lastEvent = (await told())[0]?.id
  const held = Promise.withResolvers<void>()
  const answerLate = (_: Received, response: ServerResponse) => held.promise.then(() => response.writeHead(204).end())
  const { webhook, heard } = await hook(answerLate, { events: ['customer.created'] })
  await api.post('/events/replay', { webhookId: webhook.webhookId, fromSequence: 1 })
  // One replay is being sent; the others were read with it.
  await expect.poll(heard, patience).toHaveLength(1)
  expect(heard()).not.toContain(lastEvent)
  await api.post(`/customers/${customers.at(-1)?.customerId}/erase`)
  const isErased = async () => (await api.get(`/events/${lastEvent}`)).body.data
  await expect.poll(isErased, patience).toEqual({ erased: true })
  held.resolve()
  const last = async () => (await deliveriesOf(api, webhook, `&eventId=${lastEvent}`))[0]
  await expect.poll(last, patience).toMatchObject({ status: 'FAILED', attempts: [{ outcome: 'ERASED' }] })
  expect(heard()).not.toContain(lastEvent)
  expect((await only(webhook)).status).toBe('DELIVERED')
})

test('410 from a webhook’s previous URL does not disable the webhook', async () => {
  const { api, hook, emit, afterAttempts } = await begin()
  const held = Promise.withResolvers<void>()
  const { webhook, heard } = await hook((_, response) => held.promise.then(() => response.writeHead(410).end()))
  await emit([{}])
  await expect.poll(heard, patience).toHaveLength(1)
  const url = `${receiver.url}/moved`
  await api.call('PATCH', `/webhooks/${webhook.webhookId}`, { body: { url } })
  held.resolve()
  expect(await afterAttempts(webhook, 1)).toMatchObject({ attempts: [{ statusCode: 410 }] })
  expect(await readWebhook(api, webhook)).toMatchObject({ status: 'ENABLED', url })
})

test('failures at a webhook’s previous URL do not count against the new one', async () => {
  const { api, hook, emit } = await begin()
  const held = Promise.withResolvers<void>()
  const { webhook, heard } = await hook((_, response) => held.promise.then(() => response.writeHead(500).end()))
  const ids = await emit(Array.from({ length: 40 }, () => ({})))
  await expect.poll(heard, patience).toHaveLength(16)
  const path = `/moved-${newId()}`
  await api.call('PATCH', `/webhooks/${webhook.webhookId}`, { body: { url: receiver.url + path } })
  held.resolve()
  // Sixteen failures in a row would have paused the new URL for half a minute.
  const untold = () => {
    const told = new Set([...heard(), ...receiver.at(path).map(({ id }) => id)])
    return ids.filter((id) => !told.has(id))
  }
  await expect.poll(untold, patience).toEqual([])
})

test('a retry requested during an attempt is made if that attempt fails', async () => {
  const { api, hook, emit, advance, afterAttempts } = await begin()
  const { webhook, path, heard } = await hook(500)
  await emit([{}])
  const { deliveryId } = await afterAttempts(webhook, 1)
  const held = Promise.withResolvers<void>()
  receiver.answer(path, (_, response) => held.promise.then(() => response.writeHead(500).end()))
  await advance(6 * second)
  await expect.poll(heard, patience).toHaveLength(2)
  receiver.answer(path, 204)
  expect((await api.post(`/webhook-deliveries/${deliveryId}/retry`)).status).toBe(200)
  held.resolve()
  // By the schedule it would be after five minutes.
  expect(await afterAttempts(webhook, 3)).toMatchObject({
    status: 'DELIVERED',
    attempts: [{ statusCode: 500 }, { statusCode: 500 }, { statusCode: 204 }],
  })
})

test('a slow receiver does not count as delivery lag', async () => {
  const { api, hook, emit, advance } = await begin()
  const held = Promise.withResolvers<void>()
  const { heard } = await hook((_, response) => held.promise.then(() => response.writeHead(204).end()))
  await emit([{}])
  await expect.poll(heard, patience).toHaveLength(1)
  await advance(minute)
  const lag = () => readMetric(api, 'svc_webhook_lag_seconds')
  await expect.poll(lag).toBe('0')
  held.resolve()
})

test('reading a range to replay does not lock the webhook', async () => {
  const quiet = await startApi()
  const webhook = await createWebhook(quiet, `${receiver.url}/quiet`)
  const owner = openForTest({ connection: quiet.database.owner })
  const replayed = await owner.inTx(async (tx) => {
    await tx.query({ text: 'lock table svc.events in access exclusive mode' })
    const replaying = quiet.post('/events/replay', { webhookId: webhook.webhookId, fromSequence: 1 })
    const waiting = `select from pg_locks where not granted and relation = 'svc.events'::regclass`
    await expect.poll(() => tx.query({ text: waiting }), patience).toHaveLength(1)
    const free = await tx.query({ text: 'select webhook_id from svc.webhooks for update skip locked' })
    expect(free).toHaveLength(1)
    return { replaying }
  })
  expect((await replayed.replaying).body).toMatchObject({ count: 0 })
})

test('all invariants hold', async () => {
  await moveClock({ resume: true })
  const { checks } = await service.app.verify()
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
})
