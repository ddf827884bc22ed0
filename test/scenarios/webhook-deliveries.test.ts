import { createHash } from 'node:crypto'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { actingWith, startApi, type TestApi } from '../support/api.ts'
import {
  createWebhook,
  type Delivery,
  deliveriesOf,
  emitEvents,
  type Received,
  readWebhook,
  startReceiver,
  type Webhook,
} from '../support/receiver.ts'
import { makeSelfSignedCertificate } from '../support/self-signed-certificate.ts'

const service = await startApi({ SVC_RATE_LIMIT_SANDBOX: '0' })
const worker = await service.app.startWorker()
const receiver = await startReceiver()
const tls = createTlsServer(makeSelfSignedCertificate(['localhost']), (_, response) => response.end())
await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve))
afterAll(async () => {
  await worker.stop()
  receiver.close()
  tls.close()
})

const patience = { timeout: 30_000, interval: 20 }
const moveClock = async (body: object) => {
  const answer = await service.post('/sandbox/clock', body)
  return Date.parse((answer.body as unknown as { now: string }).now)
}
// Every story has an organization of its own and starts at a frozen clock: what is due is due exactly.
let nowMs = 0
let api: TestApi
let organizationId = ''
beforeEach(async () => {
  nowMs = await moveClock({ freeze: true })
  const created = await service.app.organizations.create({ name: 'Story', tier: 'BUILDER', parentOrganizationId: null })
  organizationId = created.organizationId
  const { apiKey } = await service.app.credentials.createFullKey('Story', organizationId)
  api = actingWith(service, apiKey)
})
const advance = async (ms: number) => {
  nowMs = await moveClock({ advance: `PT${(ms / 1_000).toFixed(3)}S` })
}

let paths = 0
const hook = (answer: Parameters<typeof receiver.answer>[1] = 204) => {
  const path = `/chaos-${++paths}`
  receiver.answer(path, answer)
  return { path, url: receiver.url + path }
}
const idsAt = (path: string) => receiver.at(path).map(({ id }) => id)
const only = async (webhook: Webhook): Promise<Delivery> => {
  const [delivery] = await deliveriesOf(api, webhook)
  if (!delivery) throw new Error('nothing was sent yet')
  return delivery
}
const waitForAttempts = async (webhook: Webhook, count: number): Promise<Delivery> => {
  await expect.poll(async () => (await only(webhook).catch(() => undefined))?.attempts.length, patience).toBe(count)
  return only(webhook)
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const delays = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
/** Later than planned by a share that belongs to delivery and attempt: told here in other words than in the code. */
const jittered = (delayMs: number, deliveryId: string, made: number) => {
  const share = createHash('sha256').update(`${deliveryId} ${made}`).digest().readUInt32BE(0) / 2 ** 32
  return Math.round(delayMs * (1 + share / 10))
}

/** Waits until something that was due when this was called has been sent: then whatever else was due is on its way too. */
const untilDueIsSent = async () => {
  const { path, url } = hook()
  const marker = await createWebhook(api, url, { events: ['webhook.disabled'] })
  const [eventId] = await emitEvents(api, organizationId, [{ type: 'webhook.disabled' }])
  await expect.poll(() => idsAt(path), patience).toContain(eventId)
  await api.delete(`/webhooks/${marker.webhookId}`)
}
const deposits = { events: ['deposit.created'] }

test.each<[string, Parameters<typeof receiver.answer>[1], object]>([
  ['500', 500, { outcome: 'REJECTED', statusCode: 500 }],
  [
    'a redirect',
    (_, to) => to.writeHead(307, { location: '/elsewhere' }).end(),
    { outcome: 'REJECTED', statusCode: 307 },
  ],
  ['a reset', (_, to) => to.socket?.resetAndDestroy(), { outcome: 'RESET' }],
])('%s: ten attempts at exactly the times of the schedule, then it has failed', async (_name, answer, expected) => {
  const { path, url } = hook(answer)
  const webhook = await createWebhook(api, url, deposits)
  const [eventId] = await emitEvents(api, organizationId, [{}])
  const times: number[] = []
  for (const [made, delay] of delays.entries()) {
    const delivery = await waitForAttempts(webhook, made + 1)
    times.push(nowMs)
    expect(delivery).toMatchObject({ eventId, status: 'PENDING' })
    const wait = jittered(delay, delivery.deliveryId, made + 1)
    expect(Date.parse(delivery.nextAttemptAt ?? '') - nowMs).toBe(wait)
    await advance(wait - 1)
    await untilDueIsSent()
    expect(idsAt(path)).toHaveLength(made + 1)
    await advance(1)
  }
  await expect.poll(async () => (await only(webhook)).status, patience).toBe('FAILED')
  const failed = await only(webhook)
  expect(failed.attempts.map(({ attemptedAt }) => Date.parse(attemptedAt))).toEqual([...times, nowMs])
  for (const attempt of failed.attempts) expect(attempt).toMatchObject(expected)
  expect(failed).not.toHaveProperty('nextAttemptAt')
  // Standard Webhooks: a retry is the same message. Its time is the time of the attempt, always real.
  const sent = receiver.at(path)
  expect(new Set(sent.map(({ body, id }) => body + id)).size).toBe(1)
  for (const { headers } of sent)
    expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(60)
  expect(receiver.at('/elsewhere')).toEqual([])
})

test('a receiver that says nothing has 15 seconds, and holds up nobody meanwhile', async () => {
  const slow = hook(() => {})
  const quick = hook()
  const silent = await createWebhook(api, slow.url, deposits)
  const other = await createWebhook(api, quick.url, deposits)
  await emitEvents(
    api,
    silent.organizationId,
    Array.from({ length: 40 }, () => ({})),
  )
  await expect.poll(() => idsAt(quick.path), { timeout: 10_000 }).toHaveLength(40)
  expect(idsAt(slow.path).length).toBeLessThanOrEqual(16)
  expect((await deliveriesOf(api, other, '&status=DELIVERED')).length).toBeGreaterThan(0)
  const outcomes = async () =>
    (await deliveriesOf(api, silent)).flatMap(({ attempts }) => attempts.map((a) => a.outcome))
  await expect.poll(async () => (await outcomes()).length, patience).toBeGreaterThanOrEqual(10)
  expect(new Set(await outcomes())).toEqual(new Set(['TIMEOUT']))
})

test('an address that fails again and again is left alone, tried by one delivery, and then gets all of them', async () => {
  const { path, url } = hook(503)
  const webhook = await createWebhook(api, url, deposits)
  const ids = await emitEvents(
    api,
    webhook.organizationId,
    Array.from({ length: 60 }, () => ({})),
  )
  await untilDueIsSent()
  const recorded = async () => (await deliveriesOf(api, webhook)).filter(({ attempts }) => attempts.length > 0).length
  await expect.poll(recorded, patience).toBeGreaterThanOrEqual(10)
  await expect.poll(async () => idsAt(path).length - (await recorded()), patience).toBe(0)
  const tried = idsAt(path).length
  expect(tried).toBeLessThanOrEqual(26)
  await advance(29 * second)
  await untilDueIsSent()
  expect(idsAt(path)).toHaveLength(tried)
  await advance(second)
  await expect.poll(() => idsAt(path).length, patience).toBe(tried + 1)
  await untilDueIsSent()
  expect(idsAt(path)).toHaveLength(tried + 1)
  receiver.answer(path, 204)
  await advance(30 * second)
  const delivered = async () => (await deliveriesOf(api, webhook, '&status=DELIVERED')).length
  await expect.poll(delivered, patience).toBeGreaterThanOrEqual(60 - tried)
  await advance(10 * minute)
  await expect.poll(delivered, patience).toBe(60)
  expect(new Set(idsAt(path))).toEqual(new Set(ids))
})

test('410 disables at once, the others are told, and enabled again it gets what was waiting', async () => {
  const gone = hook(410)
  const watching = hook()
  const webhook = await createWebhook(api, gone.url, { events: ['deposit.created', 'webhook.disabled'] })
  const other = await createWebhook(api, watching.url, { events: ['webhook.disabled'] })
  const [first] = await emitEvents(api, organizationId, [{}])
  await expect.poll(async () => (await readWebhook(api, webhook)).status, patience).toBe('DISABLED')
  expect(await readWebhook(api, webhook)).toMatchObject({ disabledReason: 'GONE' })
  await expect.poll(() => receiver.at(watching.path), patience).toHaveLength(1)
  expect(JSON.parse(receiver.at(watching.path)[0]?.body ?? '')).toMatchObject({
    type: 'webhook.disabled',
    data: await readWebhook(api, webhook),
  })
  expect(await only(webhook)).not.toHaveProperty('nextAttemptAt')
  const { deliveryId } = await only(webhook)
  expect((await api.post(`/webhook-deliveries/${deliveryId}/retry`)).body).toMatchObject({ error: 'CONFLICT' })
  await advance(48 * hour)
  await emitEvents(api, organizationId, [{}])
  await untilDueIsSent()
  expect(idsAt(gone.path)).toEqual([first])
  receiver.answer(gone.path, 204)
  await api.call('PATCH', `/webhooks/${webhook.webhookId}`, { body: { status: 'ENABLED' } })
  await expect.poll(() => idsAt(gone.path), patience).toEqual([first, first])
  await expect.poll(() => deliveriesOf(api, other), patience).toHaveLength(2)
})

test.each<[string, string, number]>([
  ['in seconds', '120', 120 * second],
  ['for less time than the schedule gives', '1', 0],
  ['for longer than a day', '999999999', 24 * hour],
  ['in words', 'tomorrow', 0],
])('429 asks for time %s', async (_, retryAfter, wanted) => {
  const { url } = hook((_request, response) => response.writeHead(429, { 'retry-after': retryAfter }).end('slow down'))
  const webhook = await createWebhook(api, url, deposits)
  await emitEvents(api, organizationId, [{}])
  const delivery = await waitForAttempts(webhook, 1)
  expect(delivery.attempts[0]).toMatchObject({ statusCode: 429, response: 'slow down' })
  const planned = jittered(5 * second, delivery.deliveryId, 1)
  expect(Date.parse(delivery.nextAttemptAt ?? '') - nowMs).toBe(Math.max(wanted, planned))
})

test('an endless answer is cut, and a certificate that nobody vouches for is no connection', async () => {
  const endless = hook((_, response) => {
    const pour = () => void (response.writable && response.write('x'.repeat(65_536), pour))
    response.writeHead(200)
    pour()
  })
  const webhook = await createWebhook(api, endless.url, deposits)
  const untrusted = await createWebhook(api, `https://localhost:${(tls.address() as AddressInfo).port}/`, deposits)
  await emitEvents(api, organizationId, [{}])
  const delivered = await waitForAttempts(webhook, 1)
  expect(delivered.status).toBe('DELIVERED')
  expect(delivered.attempts[0]).toMatchObject({
    statusCode: 200,
    responseTruncated: true,
    response: 'x'.repeat(65_536),
  })
  const failed = await waitForAttempts(untrusted, 1)
  expect(failed.attempts[0]).toMatchObject({ outcome: 'UNREACHABLE', error: expect.stringContaining('connection') })
  expect(failed.nextAttemptAt).toBeDefined()
})

test('five days of nothing but failures disable; one success in between starts the count again', async () => {
  const { path, url } = hook(500)
  const webhook = await createWebhook(api, url, deposits)
  const failOnce = async (count: number) => {
    await emitEvents(api, organizationId, [{}])
    await expect.poll(() => idsAt(path).length, patience).toBeGreaterThanOrEqual(count)
    await expect
      .poll(async () => (await deliveriesOf(api, webhook)).every(({ attempts }) => attempts.length > 0), patience)
      .toBe(true)
  }
  await failOnce(1)
  await advance(4 * 24 * hour)
  receiver.answer(path, 204)
  await failOnce(3)
  await expect.poll(() => deliveriesOf(api, webhook, '&status=DELIVERED'), patience).toHaveLength(2)
  receiver.answer(path, 500)
  await failOnce(4)
  await advance(5 * 24 * hour - second)
  await failOnce(6)
  expect(await readWebhook(api, webhook)).toMatchObject({ status: 'ENABLED' })
  await advance(second)
  await failOnce(7)
  await expect
    .poll(() => readWebhook(api, webhook), patience)
    .toMatchObject({
      status: 'DISABLED',
      disabledReason: 'FAILING',
    })
})

test('events of a resource come in order, until one has failed three times; those of others do not wait', async () => {
  const resourceId = newId()
  const isStuck = (request: Received) => JSON.parse(request.body).data.stuck === true
  const { path, url } = hook((request, response) => response.writeHead(isStuck(request) ? 500 : 204).end())
  await createWebhook(api, url, deposits)
  const version = (resourceVersion: number) => ({ resourceId, resourceVersion })
  const [first, second_, third, free] = (await emitEvents(api, organizationId, [
    { ...version(1), data: { stuck: true } },
    version(2),
    version(3),
    {},
  ])) as [string, string, string, string]
  const heard = () => idsAt(path)
  await expect.poll(heard, patience).toHaveLength(2)
  await untilDueIsSent()
  expect(heard().sort()).toEqual([first, free].sort())
  await advance(6 * second)
  await expect.poll(heard, patience).toHaveLength(3)
  await untilDueIsSent()
  expect(heard()).toHaveLength(3)
  await advance(6 * minute)
  await expect.poll(heard, patience).toHaveLength(6)
  expect(heard().slice(3)).toEqual([first, second_, third])
})

test('an event that fails twice and then succeeds is followed by the next in order', async () => {
  const resourceId = newId()
  let failures = 2
  const { path, url } = hook((request, response) => {
    const isFirst = JSON.parse(request.body).resourceVersion === 1
    response.writeHead(isFirst && failures-- > 0 ? 500 : 204).end()
  })
  await createWebhook(api, url, deposits)
  const versions = Array.from({ length: 20 }, (_, at) => ({ resourceId, resourceVersion: at + 1 }))
  const ids = await emitEvents(api, organizationId, versions)
  for (const wait of [6 * second, 6 * minute]) {
    await untilDueIsSent()
    await advance(wait)
  }
  await expect.poll(() => idsAt(path), patience).toEqual([ids[0], ids[0], ...ids])
})

test('a delivery that failed is tried again by hand, one that arrived is not', async () => {
  const { path, url } = hook(500)
  const webhook = await createWebhook(api, url, deposits)
  await emitEvents(api, organizationId, [{}])
  const { deliveryId } = await waitForAttempts(webhook, 1)
  receiver.answer(path, (_, response) => response.writeHead(200).end('ok now'))
  const retried = await api.post(`/webhook-deliveries/${deliveryId}/retry`)
  expect(retried.body).toMatchObject({ deliveryId, status: 'PENDING' })
  const delivered = await waitForAttempts(webhook, 2)
  expect(delivered).toMatchObject({ status: 'DELIVERED', attempts: [{ statusCode: 500 }, { response: 'ok now' }] })
  expect((await api.get(`/webhook-deliveries/${deliveryId}`)).body).toEqual(delivered)
  expect((await api.post(`/webhook-deliveries/${deliveryId}/retry`)).status).toBe(409)
  expect((await api.post(`/webhook-deliveries/${newId()}/retry`)).status).toBe(404)
})

test('an event is replayed to all or to one, with the same id and the same bytes', async () => {
  const [one, two, deaf] = [hook(), hook(), hook()]
  const webhook = await createWebhook(api, one.url, deposits)
  await createWebhook(api, two.url, deposits)
  const other = await createWebhook(api, deaf.url, { events: ['customer.created'] })
  const [eventId] = await emitEvents(api, organizationId, [{ data: { text: '☃' } }])
  await expect.poll(() => [idsAt(one.path), idsAt(two.path)], patience).toEqual([[eventId], [eventId]])
  const replay = (body?: object) => api.post(`/events/${eventId}/replay`, body)
  expect(((await replay()).body as unknown as { deliveries: object[] }).deliveries.length).toBeGreaterThanOrEqual(2)
  expect((await replay({ webhookId: webhook.webhookId })).body).toMatchObject({
    deliveries: [{ webhookId: webhook.webhookId, eventId, eventType: 'deposit.created' }],
  })
  await expect.poll(() => [idsAt(one.path).length, idsAt(two.path).length], patience).toEqual([3, 2])
  expect(new Set(receiver.at(one.path).map(({ body }) => body)).size).toBe(1)
  expect(await deliveriesOf(api, webhook, `&eventId=${eventId}`)).toMatchObject([
    { isReplay: false },
    { isReplay: true },
    { isReplay: true },
  ])
  expect((await replay({ webhookId: other.webhookId })).body).toMatchObject({ error: 'CONFLICT' })
  await api.call('PATCH', `/webhooks/${webhook.webhookId}`, { body: { status: 'DISABLED' } })
  expect((await replay({ webhookId: webhook.webhookId })).body).toMatchObject({ error: 'CONFLICT' })
  expect((await replay({ webhookId: newId() })).status).toBe(404)
})

test('a range of events is replayed in order, by number or by time', async () => {
  const { path, url } = hook()
  const webhook = await createWebhook(api, url, deposits)
  const resourceId = newId()
  const versions = Array.from({ length: 30 }, (_, at) => ({ resourceId, resourceVersion: at + 1 }))
  const ids = await emitEvents(api, organizationId, versions)
  await expect.poll(() => idsAt(path), patience).toEqual(ids)
  const sequences = receiver.at(path).map(({ body }) => JSON.parse(body).sequence as number)
  const replay = (range: object) => api.post('/events/replay', { webhookId: webhook.webhookId, ...range })
  const byNumber = await replay({ fromSequence: sequences[10], toSequence: sequences[19] })
  expect(byNumber.body).toEqual({
    ...{ webhookId: webhook.webhookId, count: 10, lastSequence: sequences[19], isComplete: true },
  })
  await expect.poll(() => idsAt(path).slice(30), patience).toEqual(ids.slice(10, 20))
  const byTime = await replay({ from: new Date(nowMs).toISOString(), to: new Date(nowMs + 1).toISOString() })
  expect(byTime.body).toMatchObject({ count: 30 })
  await expect.poll(() => idsAt(path).slice(40), patience).toEqual(ids)
  for (const wrong of [{}, { toSequence: 3 }, { to: new Date().toISOString() }, { fromSequence: 5, toSequence: 4 }]) {
    expect((await replay(wrong)).status).toBe(400)
  }
  expect((await replay({ fromSequence: 1, from: new Date().toISOString() })).status).toBe(400)
  expect((await api.post('/events/replay', { webhookId: newId(), fromSequence: 1 })).status).toBe(404)
})

test('after all of that the checks of the deployment find nothing', async () => {
  await moveClock({ resume: true })
  const { checks } = await service.app.verify()
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
})
