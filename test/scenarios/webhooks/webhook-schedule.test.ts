import { createHash } from 'node:crypto'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { makeSelfSignedCertificate } from '../../support/runner/self-signed-certificate.ts'
import { createWebhook, deliveriesOf, type Receiver, readWebhook } from '../../support/webhooks/receiver.ts'
import { hour, minute, patience, second, startStories } from '../../support/webhooks/webhook-stories.ts'

const { service, receiver, moveClock, begin } = await startStories()
const tls = createTlsServer(makeSelfSignedCertificate(['localhost']), (_, response) => response.end())
await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve))
afterAll(() => tls.close())

const delays = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
/** Adds the jitter of a delivery and attempt, computed independently of the code under test. */
const jittered = (delayMs: number, deliveryId: string, made: number) => {
  const share = createHash('sha256').update(`${deliveryId} ${made}`).digest().readUInt32BE(0) / 2 ** 32
  return Math.round(delayMs * (1 + share / 10))
}
type Answer = Parameters<Receiver['answer']>[1]
const redirect: Answer = (_, response) => response.writeHead(307, { location: '/elsewhere' }).end()

/**
 * Emitted before the first test, so that the timeout of 15 real seconds passes while the others run. The service is its
 * own: its clock is frozen, and no other failing receiver waits for it.
 */
const quiet = await (await startStories()).begin()
const silent = await quiet.hook(() => {})
const quick = await quiet.hook()
await quiet.emit(Array.from({ length: 40 }, () => ({})))
const silentAttempts = async () => (await deliveriesOf(quiet.api, silent.webhook)).flatMap(({ attempts }) => attempts)

test('a silent receiver does not delay other receivers', async () => {
  await expect.poll(quick.heard).toHaveLength(40)
  // At most its own share of requests.
  expect(silent.heard().length).toBeLessThanOrEqual(16)
  expect(await silentAttempts()).toEqual([])
})

test.each<[string, Answer, object]>([
  ['500', 500, { outcome: 'REJECTED', statusCode: 500 }],
  ['a redirect', redirect, { outcome: 'REJECTED', statusCode: 307 }],
  ['a reset', (_, response) => response.socket?.resetAndDestroy(), { outcome: 'RESET' }],
])('%s: ten attempts at exactly the scheduled times, then the delivery fails', async (_name, answer, expected) => {
  const { hook, emit, only, now, advance, afterAttempts, untilDueIsSent } = await begin()
  const { webhook, heard, received } = await hook(answer)
  const [eventId] = await emit([{}])
  const times: number[] = []
  for (const [made, delay] of delays.entries()) {
    const delivery = await afterAttempts(webhook, made + 1)
    times.push(now())
    expect(delivery).toMatchObject({ eventId, status: 'PENDING' })
    const wait = jittered(delay, delivery.deliveryId, made + 1)
    expect(Date.parse(delivery.nextAttemptAt ?? '') - now()).toBe(wait)
    await advance(wait - 1)
    await untilDueIsSent()
    expect(heard()).toHaveLength(made + 1)
    await advance(1)
  }
  await expect.poll(async () => (await only(webhook)).status, patience).toBe('FAILED')
  const failed = await only(webhook)
  expect(failed.attempts.map(({ attemptedAt }) => Date.parse(attemptedAt))).toEqual([...times, now()])
  for (const attempt of failed.attempts) expect(attempt).toMatchObject(expected)
  expect(failed).not.toHaveProperty('nextAttemptAt')
  // Standard Webhooks: a retry is the same message. Its timestamp is the real time of the attempt.
  expect(new Set(received().map(({ body, id }) => body + id)).size).toBe(1)
  for (const { headers } of received()) {
    expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(120)
  }
  expect(receiver.at('/elsewhere')).toEqual([])
})

test('a URL that keeps failing is paused, probed by one delivery, and then gets all of them', async () => {
  const { api, hook, emit, advance, untilDueIsSent } = await begin()
  const { webhook, path, heard } = await hook(503)
  const ids = await emit(Array.from({ length: 60 }, () => ({})))
  const recorded = async () => (await deliveriesOf(api, webhook)).filter(({ attempts }) => attempts.length > 0).length
  await expect.poll(recorded, patience).toBeGreaterThanOrEqual(10)
  await expect.poll(async () => heard().length - (await recorded()), patience).toBe(0)
  const tried = heard().length
  // Ten failures, and the attempts in progress at the tenth.
  expect(tried).toBeLessThanOrEqual(26)
  await advance(29 * second)
  await untilDueIsSent()
  expect(heard()).toHaveLength(tried)
  await advance(second)
  await expect.poll(() => heard().length, patience).toBe(tried + 1)
  await untilDueIsSent()
  expect(heard()).toHaveLength(tried + 1)
  receiver.answer(path, 204)
  await advance(30 * second)
  const delivered = async () => (await deliveriesOf(api, webhook, '&status=DELIVERED')).length
  await expect.poll(delivered, patience).toBeGreaterThanOrEqual(60 - tried - 1)
  await advance(10 * minute)
  await expect.poll(delivered, patience).toBe(60)
  expect(new Set(heard())).toEqual(new Set(ids))
})

test('410 disables a webhook at once, others get an event, and re-enabling it sends what waited', async () => {
  const { api, hook, emit, only, advance, untilDueIsSent } = await begin()
  const { webhook, path, heard, received } = await hook(410, { events: ['deposit.created', 'webhook.disabled'] })
  const other = await hook(204, { events: ['webhook.disabled'] })
  const witness = await hook(204, { events: ['deposit.created'] })
  const [first] = await emit([{}])
  await expect.poll(async () => (await readWebhook(api, webhook)).status, patience).toBe('DISABLED')
  const shown = await readWebhook(api, webhook)
  expect(shown).toMatchObject({ disabledReason: 'GONE' })
  await expect.poll(other.received, patience).toHaveLength(1)
  expect(JSON.parse(other.received()[0]?.body ?? '')).toMatchObject({ type: 'webhook.disabled', data: shown })
  const waiting = await only(webhook)
  expect(waiting).not.toHaveProperty('nextAttemptAt')
  expect((await api.post(`/webhook-deliveries/${waiting.deliveryId}/retry`)).body).toMatchObject({ error: 'CONFLICT' })
  await advance(48 * hour)
  await emit([{}])
  // An event that gets its number only after the webhook is enabled is sent to it.
  await expect.poll(witness.received, patience).toHaveLength(2)
  await untilDueIsSent()
  expect(heard()).toEqual([first])
  receiver.answer(path, 204)
  await api.call('PATCH', `/webhooks/${webhook.webhookId}`, { body: { status: 'ENABLED' } })
  // The deletion of the marker is an event of its own, which may get its number only now.
  const deposits = () => received().filter(({ body }) => JSON.parse(body).type === 'deposit.created')
  await expect.poll(() => deposits().map(({ id }) => id), patience).toEqual([first, first])
})

test.each<[string, string, number]>([
  ['in seconds', '120', 120 * second],
  ['shorter than the schedule', '1', 0],
  ['longer than a day', '9'.repeat(400), 24 * hour],
  ['in words', 'tomorrow', 0],
])('429 with a Retry-After %s', async (_, retryAfter, wanted) => {
  const { hook, emit, now, afterAttempts } = await begin()
  const { webhook } = await hook((_request, response) =>
    response.writeHead(429, { 'retry-after': retryAfter }).end('slow down'),
  )
  await emit([{}])
  const delivery = await afterAttempts(webhook, 1)
  expect(delivery.attempts[0]).toMatchObject({ statusCode: 429, response: 'slow down' })
  const planned = jittered(5 * second, delivery.deliveryId, 1)
  expect(Date.parse(delivery.nextAttemptAt ?? '') - now()).toBe(Math.max(wanted, planned))
})

test('an endless answer is cut off, and an untrusted certificate is refused', async () => {
  const { api, hook, emit, afterAttempts } = await begin()
  const { webhook } = await hook((_, response) => {
    const pour = () => void (response.writable && response.write('x'.repeat(2_048), pour))
    response.writeHead(200)
    pour()
  })
  const untrusted = await createWebhook(api, `https://localhost:${(tls.address() as AddressInfo).port}/`)
  await emit([{}])
  const delivered = await afterAttempts(webhook, 1)
  expect(delivered).toMatchObject({
    status: 'DELIVERED',
    attempts: [{ statusCode: 200, responseTruncated: true, response: 'x'.repeat(2_048) }],
  })
  const failed = await afterAttempts(untrusted, 1)
  expect(failed.attempts[0]).toMatchObject({ outcome: 'UNREACHABLE', error: expect.stringContaining('connection') })
  expect(failed.nextAttemptAt).toBeDefined()
})

test('five days of failures disable a webhook; one success restarts the count', async () => {
  const { api, hook, emit, advance } = await begin()
  const { webhook, path, heard } = await hook(500)
  const tell = async (count: number) => {
    await emit([{}])
    await expect.poll(() => heard().length, patience).toBeGreaterThanOrEqual(count)
    const areTried = async () => (await deliveriesOf(api, webhook)).every(({ attempts }) => attempts.length > 0)
    await expect.poll(areTried, patience).toBe(true)
  }
  await tell(1)
  await advance(4 * 24 * hour)
  receiver.answer(path, 204)
  await tell(3)
  await expect.poll(() => deliveriesOf(api, webhook, '&status=DELIVERED'), patience).toHaveLength(2)
  receiver.answer(path, 500)
  await tell(4)
  await advance(5 * 24 * hour - second)
  await tell(6)
  expect(await readWebhook(api, webhook)).toMatchObject({ status: 'ENABLED' })
  await advance(second)
  await tell(7)
  const disabled = { status: 'DISABLED', disabledReason: 'FAILING' }
  await expect.poll(() => readWebhook(api, webhook), patience).toMatchObject(disabled)
})

test('a silent receiver times out after 15 seconds', async () => {
  await expect.poll(async () => (await silentAttempts()).length, patience).toBeGreaterThanOrEqual(10)
  const attempts = await silentAttempts()
  expect(new Set(attempts.map(({ outcome }) => outcome))).toEqual(new Set(['TIMEOUT']))
  for (const { durationMs } of attempts) {
    expect(durationMs).toBeGreaterThan(14_500)
    expect(durationMs).toBeLessThan(60_000)
  }
})

test('all invariants hold', async () => {
  await moveClock({ resume: true })
  for (const { app } of [service, quiet.api]) {
    const { checks } = await app.verify()
    expect(checks.filter(({ ok }) => !ok)).toEqual([])
  }
})
