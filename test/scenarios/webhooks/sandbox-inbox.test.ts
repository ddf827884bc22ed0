import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { createSequencerJob } from '../../../src/db/outbox/sequencer.ts'
import { newId } from '../../../src/lib/ids.ts'
import { createPages } from '../../../src/lib/pages.ts'
import { createInboxService } from '../../../src/sandbox/inbox/service.ts'
import { createCustomer } from '../../support/customers/customers.ts'
import { startApi } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'
import { canary, findings, searchTables } from '../../support/secrets/canary-data.ts'

const api = await startApi({ SVC_RATE_LIMIT_SANDBOX: '0' })
const { database, organizations, credentials, vault, events } = api.app
const sequencer = createSequencerJob(database, 60_000)
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

async function makeOwner() {
  const { organizationId } = await organizations.create({ name: 'Own', tier: 'STARTUP', parentOrganizationId: null })
  return credentials.createFullKey('Own', organizationId)
}

/** Creates an inbox in an organization of its own, because an organization has at most ten. */
async function makeInbox(body: object = {}) {
  const { apiKey } = await makeOwner()
  const inbox = (await api.post('/sandbox/inbox', body, { apiKey })).body
  const list = async (query = '') => {
    const answer = await api.get(`/sandbox/inbox/${inbox.inboxId}/requests?${query}`, { apiKey })
    expect(answer.status).toBe(200)
    return answer.body
  }
  return { ...inbox, apiKey, list, newest: async () => (await list('pageSize=1')).requests[0] }
}

/** Sends a request as an unrelated sender would. */
async function send(url: string, body: string | Uint8Array, headers: Record<string, string> = {}) {
  const answer = await fetch(url, { method: 'POST', body, headers })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown>, headers: answer.headers }
}

function signed(text: string, id = newId(), at = new Date()) {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': new Webhook(secret).sign(id, at, text),
  }
}

test('an inbox shows each request as received, with the result of its signature check', async () => {
  const inbox = await makeInbox({ secret })
  const text = '{"name": "Zoë",\n "n": 1.0}'
  expect(await send(inbox.url, text, signed(text))).toMatchObject({ status: 200, body: { received: true } })
  await send(inbox.url, `${text} `, signed(text))
  await send(inbox.url, text, signed(text, newId(), new Date(Date.now() - 600_000)))
  await send(inbox.url, 'name=Zoe', { 'content-type': 'application/x-www-form-urlencoded' })
  const { requests } = await inbox.list()
  expect(requests.map(({ number, signature }) => ({ number, ...signature }))).toEqual([
    { number: 4, outcome: 'INVALID', reason: 'MISSING_HEADER' },
    { number: 3, outcome: 'INVALID', reason: 'TOO_OLD' },
    { number: 2, outcome: 'INVALID', reason: 'BAD_SIGNATURE' },
    { number: 1, outcome: 'VALID' },
  ])
  expect(requests[3]).toMatchObject({ body: text, bodyEncoding: 'utf8', answeredStatus: 200, erased: false })
  expect(requests[3]?.headers).toMatchObject({ 'content-type': 'application/json' })
  expect(requests[0]?.body).toBe('name=Zoe')
})

test('binary bodies are shown as base64, a missing body as empty, and credentials are not stored', async () => {
  const inbox = await makeInbox()
  await send(inbox.url, Buffer.from([0xff, 0x00, 0x80]), { authorization: 'Bearer mine', cookie: 'a=b' })
  expect(await inbox.newest()).toMatchObject({
    body: '/wCA',
    bodyEncoding: 'base64',
    signature: { outcome: 'NO_SECRET' },
    headers: { authorization: '[not kept]', cookie: '[not kept]' },
  })
  await send(inbox.url, '')
  expect(await inbox.newest()).toMatchObject({ number: 2, body: '' })
})

test('an unknown inbox address is refused like a bad credential, also with a valid key', async () => {
  const { url, newest } = await makeInbox()
  const token = url.split('/').at(-1) ?? ''
  const changed = (at: number) => `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
  const unknownPath = await api.post('/nowhere', {}, { apiKey: null })
  for (const wrong of ['x', changed(0), changed(40), changed(60), `${token}A`, token.slice(0, -1)]) {
    for (const headers of [{}, { authorization: `Bearer ${api.apiKey}` }]) {
      const refused = await send(url.replace(token, wrong), '{}', headers)
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      expect({ ...refused.body, requestId: '' }).toEqual({ ...unknownPath.body, requestId: '' })
    }
  }
  expect(await newest()).toBeUndefined()
})

test('a body of one megabyte is accepted, one byte more is not', async () => {
  const inbox = await makeInbox()
  expect((await send(inbox.url, Buffer.alloc(1_048_576, 'a'))).status).toBe(200)
  expect(await send(inbox.url, Buffer.alloc(1_048_577, 'a'))).toMatchObject({ status: 413 })
  const { requests } = await inbox.list()
  expect(requests.map(({ body }) => body.length)).toEqual([1_048_576])
})

test('a page of large requests is shorter, and the next page continues', async () => {
  const inbox = await makeInbox()
  const sizes = [10, 1_048_576, 1_048_576, 1_048_576, 20, 1_048_576, 1_048_576, 30]
  for (const size of sizes) await send(inbox.url, Buffer.alloc(size, 'a'))
  const seen: number[][] = []
  for (let pageToken = '', isFirst = true; isFirst || pageToken !== ''; isFirst = false) {
    const page = await inbox.list(`pageSize=100&pageToken=${pageToken}`)
    seen.push(page.requests.map(({ body }) => body.length))
    pageToken = page.nextPageToken
  }
  const newestFirst = sizes.toReversed()
  expect(seen).toEqual([newestFirst.slice(0, 6), newestFirst.slice(6)])
})

test('an inbox keeps the last hundred requests, with concurrent senders', async () => {
  const inbox = await makeInbox()
  const sent = await Promise.all(Array.from({ length: 105 }, (_, at) => send(inbox.url, `body ${at}`)))
  expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([200]))
  const numbers: number[] = []
  const bodies = new Set<string>()
  for (let pageToken = '', isFirst = true; isFirst || pageToken !== ''; isFirst = false) {
    const page = await inbox.list(`pageSize=40&pageToken=${pageToken}`)
    numbers.push(...page.requests.map(({ number }) => number))
    for (const { body } of page.requests) bodies.add(body)
    pageToken = page.nextPageToken
  }
  expect(numbers).toEqual(Array.from({ length: 100 }, (_, at) => 105 - at))
  expect(bodies.size).toBe(100)
})

test.each([400, 410, 429, 500, 503])('an inbox can be set to answer %s, and back', async (answerStatus) => {
  const inbox = await makeInbox({ answerStatus })
  const answer = await send(inbox.url, '{}')
  expect(answer).toMatchObject({
    status: answerStatus,
    body: { message: 'This inbox is set to answer with this status' },
  })
  expect(await inbox.newest()).toMatchObject({ answeredStatus: answerStatus })
  const change = { apiKey: inbox.apiKey, body: { answerStatus: 200 } }
  const changed = await api.call('PATCH', `/sandbox/inbox/${inbox.inboxId}`, change)
  expect(changed.body).toMatchObject({ answerStatus: 200 })
  expect((await send(inbox.url, '{}')).status).toBe(200)
  expect(api.logs.join('\n')).not.toContain('a request failed')
})

test('a secret can be set later, and is never shown', async () => {
  const inbox = await makeInbox()
  await send(inbox.url, '{}', signed('{}'))
  expect((await inbox.newest())?.signature).toEqual({ outcome: 'NO_SECRET' })
  const changed = await api.call('PATCH', `/sandbox/inbox/${inbox.inboxId}`, { apiKey: inbox.apiKey, body: { secret } })
  expect(JSON.stringify(changed.body)).not.toContain('whsec_')
  await send(inbox.url, '{}', signed('{}'))
  expect((await inbox.newest())?.signature).toEqual({ outcome: 'VALID' })
  for (const body of [{}, { secret: 'plain' }, { answerStatus: 418 }, { colour: 'red' }]) {
    const refused = await api.call('PATCH', `/sandbox/inbox/${inbox.inboxId}`, { apiKey: inbox.apiKey, body })
    expect(refused.body).toMatchObject({ error: 'BAD_REQUEST' })
  }
})

test('an inbox knows the secrets of webhooks that point to it', async () => {
  const { apiKey, organizationId } = await makeOwner()
  const asked: unknown[] = []
  const inboxes = createInboxService({
    database,
    vault,
    pages: createPages(Buffer.alloc(32)),
    tokenKey: Buffer.alloc(32),
    mostInboxes: 10,
    nowMs: Date.now,
    baseUrl: () => 'http://127.0.0.1:1',
    findEventKey: events.findKey,
    secretsFor: async (...about) => {
      asked.push(about)
      return [secret]
    },
  })
  const caller = await credentials.authenticate(apiKey, '127.0.0.1')
  if (!caller) throw new Error('the key is not known')
  const key = await inboxes.prepare(caller)
  const { url, inboxId } = await database.inTx((tx) => inboxes.create(tx, key, {}))
  await inboxes.receive(url.split('/').at(-1) ?? '', { headers: signed('{}'), body: Buffer.from('{}') })
  expect(asked).toEqual([[organizationId, url]])
  const { items } = await inboxes.listRequests(caller, inboxId, {})
  expect(items.map(({ signature }) => signature)).toEqual([{ outcome: 'VALID' }])
})

test('an organization has at most ten inboxes, also with concurrent requests', async () => {
  const { apiKey } = await makeOwner()
  const answers = await Promise.all(Array.from({ length: 12 }, () => api.post('/sandbox/inbox', undefined, { apiKey })))
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(200), 409, 409])
  const { inboxes, nextPageToken } = (await api.get('/sandbox/inbox?pageSize=100', { apiKey })).body
  expect([inboxes.length, nextPageToken]).toEqual([10, ''])
  expect(new Set(inboxes.map(({ url }) => url)).size).toBe(10)
  expect((await api.post('/sandbox/inbox', undefined, { apiKey })).body).toMatchObject({
    error: 'CONFLICT',
    message: 'An organization can have at most 10 sandbox inboxes: delete one first',
  })
  const shownQuota = async () => first((await api.get('/organizations', { apiKey })).body.organizations).quotas
  expect((await shownQuota()).sandboxInboxes).toEqual({ used: 10, allowed: 10 })

  const { inboxId, url } = first(inboxes)
  await send(url, 'something')
  const deleted = await api.delete(`/sandbox/inbox/${inboxId}`, { apiKey })
  expect(deleted).toMatchObject({ status: 200, body: { inboxId, received: 1 } })
  expect((await api.delete(`/sandbox/inbox/${inboxId}`, { apiKey })).body).toEqual(deleted.body)
  expect((await api.get(`/sandbox/inbox/${inboxId}/requests`, { apiKey })).status).toBe(404)
  expect((await send(url, 'more')).status).toBe(401)
  const left = { text: 'select number from svc.sandbox_inbox_requests where inbox_id = $1', values: [inboxId] }
  expect(await database.query(left)).toEqual([])
  expect((await shownQuota()).sandboxInboxes).toEqual({ used: 9, allowed: 10 })
  expect((await api.post('/sandbox/inbox', undefined, { apiKey })).status).toBe(200)
})

test('a signed challenge is returned alone; one without a valid signature is only received', async () => {
  const inbox = await makeInbox({ secret })
  const text = JSON.stringify({ type: 'webhook.challenge', challenge: 'c-1' })
  expect(await send(inbox.url, text, signed(text))).toMatchObject({ status: 200, body: { challenge: 'c-1' } })
  expect((await send(inbox.url, text)).body).toEqual({ received: true })
  const event = JSON.stringify({ type: 'customer.created', challenge: 'c-2' })
  expect((await send(inbox.url, event, signed(event))).body).toEqual({ received: true })
  expect((await inbox.list()).requests).toHaveLength(3)
})

test('requests about a customer are sealed with the customer’s key and erased with it; others stay', async () => {
  const inbox = (await api.post('/sandbox/inbox')).body
  const list = async () => {
    const { body } = await api.get(`/sandbox/inbox/${inbox.inboxId}/requests?pageSize=100`)
    return body.requests
  }
  const customer = await createCustomer(api, { firstName: canary(), lastName: canary() })
  await sequencer.runBatch()
  const event = first((await api.get(`/events?resourceId=${customer.customerId}`)).body.events)
  const text = JSON.stringify(event)
  const about = { headers: { 'content-type': 'application/json' }, body: text }
  await send(inbox.url, about.body, about.headers) // identified only by its body
  await send(inbox.url, `${text.slice(0, -1)}, cut`, { 'webhook-id': event.id.toUpperCase() }) // only by its header
  await send(inbox.url, 'something else')
  const before = await list()
  expect(before.map(({ eventId, erased }) => [eventId, erased])).toEqual([
    [undefined, false],
    [event.id, false],
    [event.id, false],
  ])
  expect(before[2]?.body).toBe(text)
  expect(findings(before.map((each) => each.body).join())).toHaveLength(2)
  expect(await searchTables(api.database.owner)).toEqual([])

  expect((await api.post(`/customers/${customer.customerId}/erase`)).status).toBe(200)
  // A process drops a destroyed key within a second.
  await expect.poll(async () => (await list())[2]?.erased).toBe(true)
  await send(inbox.url, about.body, about.headers) // a sender retries its copy
  const after = await list()
  expect(after.map(({ erased, body: shown }) => [erased, shown])).toEqual([
    [true, ''],
    [false, 'something else'],
    [true, ''],
    [true, ''],
  ])
  expect(findings(JSON.stringify(after))).toEqual([])
  expect(await searchTables(api.database.owner)).toEqual([])
  const kept = await database.query<{ number: string }>({
    text: 'select number from svc.sandbox_inbox_requests where inbox_id = $1 and sealed_request is null',
    values: [inbox.inboxId],
  })
  expect(kept).toEqual([{ number: '4' }])
})
