import { Agent, EventSource } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { appendEvents, type NewEvent } from '../../../src/db/outbox/events.ts'
import { createSequencerJob } from '../../../src/db/outbox/sequencer.ts'
import { newId } from '../../../src/lib/ids.ts'
import { createCustomer } from '../../support/customers/customers.ts'
import { asTx } from '../../support/db/as-tx.ts'
import { createKey, startApi } from '../../support/runner/api.ts'
import { type Listener, listen } from '../../support/webhooks/event-stream.ts'

const api = await startApi({ SVC_RATE_LIMIT_SANDBOX: '0' })
const { database, organizations, credentials } = api.app
const sequencer = createSequencerJob(database, 60_000)

/** Creates an organization of its own, so that no other events interfere. */
async function makeOrganization(parentOrganizationId: string | null = null) {
  const { organizationId } = await organizations.create({ name: 'Own', tier: 'STARTUP', parentOrganizationId })
  const { apiKey } = await credentials.createFullKey('Own', organizationId)
  return { organizationId, baseUrl: api.baseUrl, apiKey }
}

const eventOf = (organizationId: string, number: number, type: NewEvent['type'] = 'deposit.created'): NewEvent => ({
  organizationId,
  type,
  resourceId: newId(),
  resourceVersion: 1,
  data: { number },
})

async function happen(organizationId: string, numbers: number[], type?: NewEvent['type']): Promise<void> {
  await appendEvents(
    asTx(database),
    numbers.map((number) => eventOf(organizationId, number, type)),
  )
  await sequencer.runBatch()
}

const numbersOf = ({ told }: Listener) => told.map(({ event }) => event.data.number)
const caughtUp = ({ comments }: Listener) => comments.includes('caught up')

test('a stream shows new events as GET /events shows them', async () => {
  const own = await makeOrganization()
  await happen(own.organizationId, [1])
  const listener = await listen(own)
  expect([listener.status, listener.headers['content-type']]).toEqual([200, 'text/event-stream'])
  expect(listener.headers).toMatchObject({ 'cache-control': 'no-store', 'x-request-id': expect.any(String) })
  await listener.until(caughtUp)
  await happen(own.organizationId, [2, 3])
  await listener.until(({ told }) => told.length === 2)
  expect(numbersOf(listener)).toEqual([2, 3])
  const [first] = listener.told
  expect(first?.type).toBe('deposit.created')
  expect((await api.get(`/events/${first?.event.id}`, { apiKey: own.apiKey })).body).toEqual(first?.event)
})

test('a stream shows personal data, but not after an erasure', async () => {
  const customer = await createCustomer(api, { firstName: 'Ada', lastName: 'Example' })
  await sequencer.runBatch()
  const listener = await listen(api, { query: '?from=beginning' })
  await listener.until(({ told }) => told.length === 1)
  expect(listener.told[0]?.event.data).toMatchObject({ customerId: customer.customerId, name: 'Ada Example' })
  expect((await api.post(`/customers/${customer.customerId}/erase`)).status).toBe(200)
  // A process drops a destroyed key within a second.
  await expect
    .poll(async () => {
      const later = await listen(api, { query: '?from=beginning' })
      await later.until(({ told }) => told.length > 0)
      return later.told[0]?.event.data
    })
    .toEqual({ erased: true })
})

test('a reader resumes after the last id, by header or query, or from the beginning', async () => {
  const own = await makeOrganization()
  await happen(own.organizationId, [1, 2, 3, 4])
  const all = await listen(own, { query: '?from=beginning' })
  await all.until(caughtUp)
  expect(numbersOf(all)).toEqual([1, 2, 3, 4])
  expect(all.lastEventId()).toBe(all.told[3]?.cursor)
  const second = all.told[1]?.cursor
  const third = all.told[2]?.cursor
  const byHeader = await listen(own, { lastEventId: second })
  // The Last-Event-ID header takes precedence over the query.
  const byBoth = await listen(own, { query: `?cursor=${second}&from=beginning`, lastEventId: third })
  const byQuery = await listen(own, { query: `?cursor=${third}` })
  for (const each of [byHeader, byBoth, byQuery]) await each.until(caughtUp)
  expect([byHeader, byBoth, byQuery].map(numbersOf)).toEqual([[3, 4], [4], [4]])
})

test('a reader that has received no event can still resume', async () => {
  const own = await makeOrganization()
  const before = await listen(own)
  await before.until(caughtUp)
  before.kill()
  await happen(own.organizationId, [1])
  const back = await listen(own, { lastEventId: before.lastEventId() })
  await back.until(caughtUp)
  expect(numbersOf(back)).toEqual([1])
})

test('types filter the stream, and the position moves past filtered events', async () => {
  const own = await makeOrganization()
  await happen(own.organizationId, [1, 2])
  await happen(own.organizationId, [3], 'customer.created')
  await happen(own.organizationId, [4])
  const query = '?from=beginning&types=customer.created,transaction.created'
  const listener = await listen(own, { query })
  await listener.until(caughtUp)
  expect(numbersOf(listener)).toEqual([3])
  const everything = await listen(own, { lastEventId: listener.lastEventId() })
  await everything.until(caughtUp)
  expect(numbersOf(everything)).toEqual([])
  await happen(own.organizationId, [5], 'transaction.created')
  await listener.until(({ told }) => told.length === 2)
  expect(numbersOf(listener)).toEqual([3, 5])
})

test('types take the alias of a type, and the stream shows the type itself', async () => {
  const own = await makeOrganization()
  await happen(own.organizationId, [1])
  await happen(own.organizationId, [2], 'customer.updated')
  const listener = await listen(own, { query: '?from=beginning&types=customer.update' })
  await listener.until(caughtUp)
  await happen(own.organizationId, [3], 'customer.updated')
  await listener.until(({ told }) => told.length === 2)
  expect(listener.told.map(({ type, event }) => [type, event.data.number])).toEqual([
    ['customer.updated', 2],
    ['customer.updated', 3],
  ])
})

test('a parent can stream the events of a child, never those of another organization', async () => {
  const parent = await makeOrganization()
  const child = await makeOrganization(parent.organizationId)
  await happen(child.organizationId, [1])
  const ofChild = await listen(parent, {
    query: `?from=beginning&organizationId=${child.organizationId.toUpperCase()}`,
  })
  const ofParent = await listen(child, { query: `?from=beginning&organizationId=${parent.organizationId}` })
  const ownOnly = await listen(parent, { query: '?from=beginning' })
  for (const each of [ofChild, ofParent, ownOnly]) await each.until(caughtUp)
  expect([ofChild, ofParent, ownOnly].map(numbersOf)).toEqual([[1], [], []])
  await happen(parent.organizationId, [2])
  await ownOnly.until(({ told }) => told.length === 1)
  expect([ofParent.told, ofParent.comments]).toEqual([[], ['caught up']])
})

test.each([
  ['?types=customer.up', 'types'],
  ['?types=', 'types'],
  ['?from=yesterday', 'from'],
  ['?organizationId=7', 'organizationId'],
  ['?cursor=tampered', 'cursor'],
  ['?after=1', 'after'],
])('%s is refused with its name', async (query, field) => {
  const { status, body } = await api.get(`/events/stream${query}`)
  expect([status, body]).toMatchObject([400, { error: 'BAD_REQUEST', details: [{ field }] }])
})

test('an id of another organization, or of a restored database, is refused', async () => {
  const [one, two] = [await makeOrganization(), await makeOrganization()]
  await happen(one.organizationId, [1])
  await happen(two.organizationId, [1])
  const listener = await listen(one, { query: '?from=beginning' })
  await listener.until(caughtUp)
  const foreign = await api.get(`/events/stream?cursor=${listener.lastEventId()}`, { apiKey: two.apiKey })
  expect(foreign.body).toMatchObject({
    error: 'BAD_REQUEST',
    message: 'cursor is not an id of this stream; pass the id of an event that this stream sent',
  })
  await happen(one.organizationId, [2])
  await listener.until(({ told }) => told.length === 2)
  const later = listener.lastEventId()
  await database.query({
    text: 'update svc.event_sequences set last_sequence = 1 where organization_id = $1',
    values: [one.organizationId],
  })
  const ahead = await api.get(`/events/stream?cursor=${later}`, { apiKey: one.apiKey })
  expect(ahead.body).toMatchObject({ error: 'BAD_REQUEST', message: expect.stringContaining('ahead') })
})

test('a key without the scope opens no stream, and HEAD leaves none open', async () => {
  const key = await createKey(api, { name: 'Narrow', scopes: ['webhooks:read'] })
  const narrow = await api.get('/events/stream', key)
  expect(narrow.body).toMatchObject({ error: 'FORBIDDEN' })
  const before = api.app.eventStreams.count()
  expect((await api.call('HEAD', '/events/stream')).status).toBe(200)
  await expect.poll(() => api.app.eventStreams.count()).toBeLessThanOrEqual(before)
})

test('the stream of a revoked key ends, and that of another key continues', async () => {
  const own = await makeOrganization()
  const other = await credentials.createFullKey('Doomed', own.organizationId)
  const [kept, doomed] = [await listen(own), await listen({ ...own, apiKey: other.apiKey })]
  for (const each of [kept, doomed]) await each.until(caughtUp)
  expect((await api.delete(`/api-keys/${other.apiKeyId}`, { apiKey: own.apiKey })).status).toBe(200)
  expect(await doomed.ended).toBe('ended')
  await happen(own.organizationId, [1])
  await kept.until(({ told }) => told.length === 1)
  expect(doomed.told).toEqual([])
  await expect(listen({ ...own, apiKey: other.apiKey })).resolves.toMatchObject({ status: 401 })
})

test('an organization has at most 50 streams, and closing one frees its slot', async () => {
  const own = await makeOrganization()
  const open = await Promise.all(Array.from({ length: 50 }, () => listen(own)))
  expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]))
  const refused = await api.get('/events/stream', { apiKey: own.apiKey })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
  expect(refused.body).toMatchObject({ error: 'RATE_LIMITED' })
  expect((await listen(await makeOrganization())).status).toBe(200)
  open[0]?.kill()
  await expect.poll(async () => (await listen(own)).status).toBe(200)
})

test('an independent client, the EventSource of undici, reconnects and misses no event', async () => {
  const own = await makeOrganization()
  const dispatcher = new Agent().compose((dispatch) => (options, handler) => {
    const headers = { ...(options.headers as Record<string, string>), authorization: `Bearer ${own.apiKey}` }
    return dispatch({ ...options, headers }, handler)
  })
  const source = new EventSource(`${api.baseUrl}/events/stream`, { node: { dispatcher } } as object)
  onTestFinished(() => source.close())
  const numbers: number[] = []
  source.addEventListener('deposit.created', (message) => {
    numbers.push((JSON.parse((message as Event & { data: string }).data) as { data: { number: number } }).data.number)
  })
  await new Promise((resolve) => source.addEventListener('open', resolve))
  await happen(own.organizationId, [1])
  await expect.poll(() => numbers).toEqual([1])
  api.app.eventStreams.stop()
  await happen(own.organizationId, [2, 3])
  await expect.poll(() => numbers).toEqual([1, 2, 3])
})

test('a closing server ends its streams without waiting for readers', async () => {
  const closing = await startApi()
  const listener = await listen(closing)
  await listener.until(caughtUp)
  await closing.server.close()
  expect(await listener.ended).toBe('ended')
})
