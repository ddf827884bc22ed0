import type { ServerResponse } from 'node:http'
import { Webhook as Verifier } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { createKey } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'
import { deliveriesOf, type Received, readWebhook } from '../../support/webhooks/receiver.ts'
import { hour, patience, second, startStories } from '../../support/webhooks/webhook-stories.ts'

const { receiver, begin } = await startStories({ SVC_WEBHOOK_CHALLENGE: 'true' })
let paths = 0
const freshPath = () => `/proof-${++paths}`
const challengeIn = ({ body }: Received): string | undefined => JSON.parse(body).challenge
const isChallenge = (request: Received) => challengeIn(request) !== undefined
const echo = (request: Received, response: ServerResponse) =>
  isChallenge(request)
    ? response.writeHead(200, { 'content-type': 'application/json' }).end(`{"challenge":"${challengeIn(request)}"}`)
    : response.writeHead(204).end()
const challengesAt = (path: string) => receiver.at(path).filter(isChallenge)
const eventsAt = (path: string) => receiver.at(path).filter((request) => !isChallenge(request))

/** Creates a webhook for deposits, with an endpoint that answers like this. */
async function create(
  { api }: Pick<Awaited<ReturnType<typeof begin>>, 'api'>,
  answer: Parameters<typeof receiver.answer>[1],
) {
  const path = freshPath()
  receiver.answer(path, answer)
  const created = await api.post('/webhooks', { url: receiver.url + path, events: ['deposit.created'] })
  expect(created).toMatchObject({ status: 201, body: { status: 'PENDING', challenge: { attempts: 0 } } })
  const { webhookId, secret = '' } = created.body
  const read = () => readWebhook(api, { webhookId })
  const change = async (body: object) => (await api.call('PATCH', `/webhooks/${webhookId}`, { body })).body
  return { path, webhookId, secret, read, change }
}

test('a sandbox inbox answers the challenge of its webhook, which is then enabled', async () => {
  const { api, emit } = await begin()
  const inbox = (await api.post('/sandbox/inbox')).body
  const { webhookId } = (await api.post('/webhooks', { url: inbox.url, events: ['deposit.created'] })).body
  const [eventId] = await emit([{}])
  await expect.poll(async () => (await readWebhook(api, { webhookId })).status, patience).toBe('ENABLED')
  const arrived = async () => (await api.get(`/sandbox/inbox/${inbox.inboxId}/requests`)).body.requests
  await expect.poll(async () => first(await arrived()).eventId, patience).toBe(eventId)
})

test('an endpoint proves itself by a signed challenge, and then receives the events since the creation', async () => {
  const story = await begin()
  const held = Promise.withResolvers<void>()
  const { path, webhookId, secret, read } = await create(story, async (request, response) => {
    if (isChallenge(request)) await held.promise
    echo(request, response)
  })
  const resourceId = newId()
  const ids = await story.emit([1, 2, 3].map((resourceVersion) => ({ resourceId, resourceVersion })))
  await expect.poll(() => challengesAt(path), patience).toHaveLength(1)
  const challenge = first(challengesAt(path))
  expect(new Verifier(secret).verify(challenge.body, challenge.headers)).toMatchObject({
    type: 'webhook.challenge',
    webhookId,
    challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
  })
  expect(await read()).toMatchObject({ status: 'PENDING' })
  held.resolve()
  await expect.poll(() => eventsAt(path).map(({ id }) => id), patience).toEqual(ids)
  const proven = await read()
  expect(proven).toMatchObject({ status: 'ENABLED' })
  expect(proven).not.toHaveProperty('challenge')
  expect(challengesAt(path)).toHaveLength(1)
})

test('an endpoint that does not echo gets challenges and nothing else, and is disabled in the end', async () => {
  const story = await begin()
  const { api, emit, advance } = story
  const { path, webhookId, read, change } = await create(story, 204)
  const [eventId] = await emit([{}])
  await expect.poll(read, patience).toMatchObject({ challenge: { attempts: 1, outcome: 'NOT_ECHOED' } })
  expect((await api.post(`/webhooks/${webhookId}/test`)).body).toMatchObject({ error: 'CONFLICT' })
  expect((await api.post('/events/replay', { webhookId, fromSequence: 1 })).body).toMatchObject({ error: 'CONFLICT' })
  expect(await change({ status: 'ENABLED' })).toMatchObject({ status: 'PENDING', challenge: { attempts: 1 } })
  // Not sooner than half a minute after the last: no stranger's server is called without end.
  await advance(31 * second)
  await expect.poll(read, patience).toMatchObject({ challenge: { attempts: 2 } })
  for (let attempts = 3; attempts <= 10; attempts++) {
    await advance(27 * hour)
    await expect.poll(read, patience).toMatchObject({ challenge: { attempts } })
  }
  expect(await read()).toMatchObject({ status: 'DISABLED', disabledReason: 'UNPROVEN', challenge: { attempts: 10 } })
  const disabledEvents = async () => (await api.get('/events?type=webhook.disabled')).body.events
  await expect.poll(disabledEvents, patience).toMatchObject([{ data: { webhookId } }])
  expect([challengesAt(path).length, eventsAt(path)]).toEqual([10, []])
  receiver.answer(path, echo)
  expect(await change({ status: 'ENABLED' })).toMatchObject({ status: 'PENDING', challenge: { attempts: 0 } })
  await advance(31 * second)
  await expect.poll(() => eventsAt(path).map(({ id }) => id), patience).toEqual([eventId])
})

test('a new address must prove itself again; the events wait for it, and the old address gets none', async () => {
  const story = await begin()
  const { api, emit } = story
  const { path, webhookId, read, change } = await create(story, echo)
  await expect.poll(read, patience).toMatchObject({ status: 'ENABLED' })
  const silent = freshPath()
  const url = receiver.url + silent
  expect(await change({ url })).toMatchObject({ status: 'PENDING', url })
  await expect.poll(read, patience).toMatchObject({ challenge: { attempts: 1 } })
  const [eventId] = await emit([{}])
  // The description changes nothing, and so does the same address.
  expect(await change({ url, description: 'the same' })).toMatchObject({ status: 'PENDING' })
  receiver.answer(silent, echo)
  await story.advance(31 * second)
  await expect.poll(() => eventsAt(silent).map(({ id }) => id), patience).toEqual([eventId])
  expect(await read()).toMatchObject({ status: 'ENABLED' })
  // The old address hears of its end alone.
  expect(eventsAt(path).map(({ body }) => JSON.parse(body).type)).toEqual(['webhook.updated'])
  const ownDeliveries = (await deliveriesOf(api, { webhookId })).filter(({ formerUrl }) => formerUrl === undefined)
  expect(ownDeliveries).toHaveLength(1)
  expect(await change({ url, description: 'still the same' })).toMatchObject({ status: 'ENABLED' })
  // Disabled and enabled at the same address: it has proven itself already.
  await change({ status: 'DISABLED' })
  expect(await change({ status: 'ENABLED' })).toMatchObject({ status: 'ENABLED' })
})

test('the answer of an address that was replaced during its challenge proves nothing', async () => {
  const story = await begin()
  const held = Promise.withResolvers<void>()
  const { path, read, change } = await create(story, async (request, response) => {
    await held.promise
    echo(request, response)
  })
  await expect.poll(() => challengesAt(path), patience).toHaveLength(1)
  const next = freshPath()
  await change({ url: receiver.url + next })
  held.resolve()
  await expect.poll(() => challengesAt(next), patience).toHaveLength(1)
  await expect.poll(read, patience).toMatchObject({ status: 'PENDING', challenge: { outcome: 'NOT_ECHOED' } })
})

test('a webhook that has not proven itself ends with its key, and a new address buys no challenge at once', async () => {
  const story = await begin()
  const { api } = story
  const { read, change, path } = await create(story, 204)
  await expect.poll(read, patience).toMatchObject({ challenge: { attempts: 1 } })
  const { challenge } = await change({ url: receiver.url + freshPath() })
  const { now } = (await api.get('/sandbox/clock')).body
  expect(challenge).toMatchObject({ attempts: 0 })
  expect(Date.parse(challenge?.nextAttemptAt ?? '') - Date.parse(now)).toBeGreaterThan(15 * second)
  expect(challengesAt(path)).toHaveLength(1)
  const scopes = ['webhooks:read', 'webhooks:write', 'transactions:read']
  const maker = await createKey(api, { name: 'Maker', scopes })
  const wanted = { url: receiver.url + freshPath(), events: ['deposit.created'] }
  const { webhookId } = (await api.post('/webhooks', wanted, maker)).body
  expect((await api.delete(`/api-keys/${maker.apiKeyId}`)).status).toBe(200)
  expect(await readWebhook(api, { webhookId })).toMatchObject({ status: 'DISABLED', disabledReason: 'KEY_REVOKED' })
})
