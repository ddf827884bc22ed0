import { expect, test } from 'vitest'
import { appendEvents, type NewEvent } from '../../../src/db/outbox/events.ts'
import { createSequencerJob } from '../../../src/db/outbox/sequencer.ts'
import type { OpenData } from '../../../src/events/event.ts'
import { createEventService } from '../../../src/events/service.ts'
import { presentEvent } from '../../../src/events/wire.ts'
import type { Caller } from '../../../src/lib/caller.ts'
import { newId } from '../../../src/lib/ids.ts'
import { createPages } from '../../../src/lib/pages.ts'
import { asTx } from '../../support/db/as-tx.ts'
import type { BodyOf } from '../../support/runner/answers.ts'
import { createKey, startApi } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'

const api = await startApi()
const { database, organizations, credentials } = api.app
const own = first((await api.get('/organizations')).body.organizations).organizationId
const other = await organizations.create({ name: 'Other', tier: 'STARTUP', parentOrganizationId: null })
const otherKey = (await credentials.createFullKey('Other', other.organizationId)).apiKey
const sequencer = createSequencerJob(database, 60_000)

const customer = newId()
const event = (organizationId: string, number: number, more: Partial<NewEvent> = {}): NewEvent => ({
  organizationId,
  type: 'deposit.created',
  resourceId: newId(),
  resourceVersion: 1,
  data: { number },
  ...(more as object),
})

await appendEvents(asTx(database), [
  event(own, 1, { type: 'customer.created', resourceId: customer }),
  ...Array.from({ length: 22 }, (_, at) => event(own, at + 2)),
  event(own, 24, { type: 'customer.updated', resourceId: customer, resourceVersion: 2 }),
  event(other.organizationId, 1),
])
await sequencer.runBatch()

async function list(query = '', apiKey = api.apiKey) {
  const { status, body } = await api.get(`/events?${query}`, { apiKey })
  expect(status).toBe(200)
  return body
}
const sequences = ({ events }: BodyOf<'GET /events'>) => events.map((each) => each.sequence)

test('an event shows the resource as it was, and nothing else', async () => {
  const [newest] = (await list('pageSize=1')).events
  const { body, status } = await api.get(`/events/${newest?.id.toUpperCase()}`)
  expect(status).toBe(200)
  expect(body).toEqual({
    id: newest?.id,
    eventId: newest?.id,
    type: 'customer.updated',
    resourceType: 'customer',
    resourceId: customer,
    apiVersion: '2025-11-21',
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    organizationId: own,
    sequence: 24,
    resourceVersion: 2,
    data: { number: 24 },
  })
})

test('pages are newest first and stay stable while events are added', async () => {
  const first = await list()
  expect(sequences(first)).toEqual([24, 23, 22, 21, 20, 19, 18, 17, 16, 15])
  await appendEvents(asTx(database), [event(own, 25)])
  await sequencer.runBatch()
  const second = await list(`pageToken=${first.nextPageToken}`)
  const third = await list(`pageToken=${second.nextPageToken}`)
  expect([...sequences(second), ...sequences(third)]).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  expect(third.nextPageToken).toBe('')
  expect(sequences(await list('pageSize=1'))).toEqual([25])
})

test('events are found by the kind of resource that they are about, page by page', async () => {
  expect(sequences(await list('resourceType=customer'))).toEqual([24, 1])
  expect(sequences(await list(`resourceType=customer&resourceId=${customer}`))).toEqual([24, 1])
  expect(sequences(await list(`resourceType=deposit&resourceId=${customer}`))).toEqual([])
  const { nextPageToken } = await list('resourceType=customer&pageSize=1')
  expect(sequences(await list(`resourceType=customer&pageSize=1&pageToken=${nextPageToken}`))).toEqual([1])
})

test('lists can be filtered by type, resource, or both', async () => {
  expect(sequences(await list(`resourceId=${customer.toUpperCase()}`))).toEqual([24, 1])
  expect(sequences(await list('type=customer.created'))).toEqual([1])
  expect(sequences(await list(`type=customer.updated&resourceId=${customer}`))).toEqual([24])
  expect(sequences(await list(`type=deposit.created&resourceId=${customer}`))).toEqual([])
  expect(sequences(await list(`resourceId=${newId()}`))).toEqual([])
  const { nextPageToken } = await list('type=deposit.created&pageSize=3')
  expect(sequences(await list(`type=deposit.created&pageSize=3&pageToken=${nextPageToken}`))).toHaveLength(3)
  expect((await api.get(`/events?type=customer.created&pageToken=${nextPageToken}`)).status).toBe(400)
  expect((await api.get(`/events?pageToken=${nextPageToken}`, { apiKey: otherKey })).status).toBe(400)
})

test('events that are not sequenced yet, or of other organizations, are not shown', async () => {
  const [unsequenced] = await appendEvents(asTx(database), [event(own, 26)])
  expect(sequences(await list('pageSize=1'))).toEqual([25])
  const [foreign] = (await list('', otherKey)).events
  expect(sequences(await list('', otherKey))).toEqual([1])
  for (const eventId of [unsequenced, foreign?.id, newId()]) {
    expect((await api.get(`/events/${eventId}`)).body).toMatchObject({ error: 'NOT_FOUND', statusCode: 404 })
  }
  await sequencer.runBatch()
  expect((await api.get(`/events/${unsequenced}`)).body).toMatchObject({ sequence: 26 })
})

test('the alias of the customer event lists the same events', async () => {
  const { body } = await api.get('/events?type=customer.updated')
  expect((await api.get('/events?type=customer.update')).body).toEqual(body)
})

test.each(['/events/7', '/events?resourceId=7', '/events?type=customer.up', '/events?type=', '/events?after=1'])(
  '%s is refused',
  async (path) => {
    expect((await api.get(path)).body).toMatchObject({ error: 'BAD_REQUEST', statusCode: 400 })
  },
)

test('a key without the scope is refused, and the scope named', async () => {
  const key = await createKey(api, { name: 'Narrow', scopes: ['webhooks:read'] })
  for (const path of ['/events', `/events/${newId()}`]) {
    const refused = await api.get(path, key)
    expect(refused.body).toMatchObject({ error: 'FORBIDDEN', message: expect.stringContaining('events:read') })
  }
})

test('sealed data is opened for the caller, a page at a time, never shown sealed', async () => {
  const ownId = newId()
  const caller: Caller = {
    organizationId: ownId,
    organizationIds: [ownId],
    tiers: new Map(),
    apiKeyId: '',
    scopes: new Set(['customers:read']),
    requestsPerMinute: 0,
    isToken: false,
    isReviewer: false,
  }
  const about = { organizationId: caller.organizationId, type: 'customer.created', resourceVersion: 1 } as const
  const sealed = () => ({ eventId: newId(), dataKeyId: newId(), sealedData: Buffer.from('{"name":"Ann"}').reverse() })
  await appendEvents(asTx(database), [
    { ...about, resourceId: newId(), ...sealed() },
    { ...about, resourceId: newId(), data: { plain: true } },
    { ...about, resourceId: newId(), ...sealed() },
  ])
  await sequencer.runBatch()
  const asked: number[] = []
  const openData: OpenData = async (events) => {
    asked.push(events.length)
    return events.map(({ sealedData }) => Buffer.from(sealedData).reverse().toString())
  }
  const pages = createPages(Buffer.alloc(32))
  const { items } = await createEventService({ database, pages, openData }).list(caller, {}, {})
  expect(items.map((item) => presentEvent(item).data)).toEqual([{ name: 'Ann' }, { plain: true }, { name: 'Ann' }])
  expect(asked).toEqual([2])
  await expect(createEventService({ database, pages }).list(caller, {}, {})).rejects.toThrow(
    'cannot open sealed events',
  )
})
