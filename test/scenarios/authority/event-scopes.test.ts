import { expect, test } from 'vitest'
import { createSequencerJob } from '../../../src/db/outbox/sequencer.ts'
import type { Scope } from '../../../src/lib/caller.ts'
import { eventScopes, eventTypes } from '../../../src/lib/event-types.ts'
import { createCustomer } from '../../support/customers/customers.ts'
import { createKey, startApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'
import { first } from '../../support/runner/first.ts'
import { type Listener, listen } from '../../support/webhooks/event-stream.ts'
import { emitEvents } from '../../support/webhooks/receiver.ts'

/** Events carry resources: a key reads those of the resources that it may read. */
const api = await startApi({ SVC_RATE_LIMIT_SANDBOX: '0' })
const sequencer = createSequencerJob(api.app.database, 60_000)
const { organizationId: own } = first((await api.get('/organizations')).body.organizations)
const keyWith = (...scopes: Scope[]) => createKey(api, { name: 'Narrow', scopes })
const caughtUp = ({ comments }: Listener) => comments.includes('caught up')
const typesOf = (events: readonly { type: string }[]) => [...new Set(events.map(({ type }) => type))].sort()

await createCustomer(api, { firstName: 'Ada', lastName: 'Example' })
await emitEvents(
  api,
  own,
  eventTypes.filter((type) => type !== 'customer.created').map((type) => ({ type })),
)
await sequencer.runBatch()

type Referring = { $ref?: string; properties?: Record<string, Referring> }
type Operation = {
  security?: { bearer?: string[] }[]
  responses: Record<string, { content?: { 'application/json'?: { schema: Referring } } }>
}

const alerts: string[] = [
  'payment_account.large_payout',
  'api_key.created',
  'api_key.new_address',
  'policy.updated',
  'webhook.created',
  'webhook.updated',
  'automation_rule.paused',
]

test('every event type needs the scope of the operation that shows its resource', async () => {
  const { components, paths } = (await api.get('/openapi.json')).body as unknown as {
    components: { schemas: Record<string, Referring> }
    paths: Record<string, { get?: Operation }>
  }
  const reads = Object.values(paths).flatMap(({ get }) => get ?? [])
  /** The scopes of the operations that answer with a resource alone. */
  const scopesToRead = ({ $ref }: Referring) =>
    reads
      .filter(({ responses }) => $ref && responses[200]?.content?.['application/json']?.schema.$ref === $ref)
      .flatMap(({ security }) => security?.[0]?.bearer ?? [])
  expect(Object.keys(eventScopes)).toEqual([...eventTypes])
  for (const type of eventTypes) {
    const title = `${type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`
    const { data = {} } = components.schemas[title]?.properties ?? {}
    // A run of a rule is shown with its rule.
    const { automationRule } = components.schemas[data.$ref?.split('/').at(-1) ?? '']?.properties ?? {}
    const shown = [...new Set(scopesToRead(automationRule ?? data))]
    // The data of an alert is no resource of its own.
    if (!alerts.includes(type)) expect([type, ...shown]).toEqual([type, eventScopes[type]])
  }
})

test('events:read alone lists nothing, and no form link of a customer', async () => {
  const blind = await keyWith('events:read')
  expect((await api.get('/events', blind)).body).toEqual({ events: [], nextPageToken: '' })
  const created = first((await api.get('/events?type=customer.created')).body.events)
  expect(JSON.stringify(created.data)).toContain('/verify/')
  const { status, body } = await api.get(`/events/${created.id}`, blind)
  expect([status, body.error, body.message]).toEqual([403, 'FORBIDDEN', expect.stringContaining('customers:read')])
})

test.each([...new Set(Object.values(eventScopes))])(
  'with %s, a key reads the types of this scope alone',
  async (scope) => {
    const key = await keyWith('events:read', scope)
    const readable = eventTypes.filter((type) => eventScopes[type] === scope).sort()
    const listed = (await api.get('/events?pageSize=100', key)).body.events
    expect(typesOf(listed)).toEqual(readable)
    for (const type of eventTypes) {
      const { status, body } = await api.get(`/events?type=${type}`, key)
      if (eventScopes[type] === scope) expect([status, typesOf(body.events)]).toEqual([200, [type]])
      else expect([status, body]).toMatchObject([403, { message: expect.stringContaining(eventScopes[type]) }])
    }
    const listener = await listen({ baseUrl: api.baseUrl, apiKey: key.apiKey }, { query: '?from=beginning' })
    await listener.until(caughtUp)
    expect(typesOf(listener.told)).toEqual(readable)
  },
)

test('pages of a narrow key are full, although events between them are hidden', async () => {
  const key = await keyWith('events:read', 'payment_accounts:read')
  const pages = []
  for (let token = ''; ; ) {
    const { events, nextPageToken } = (await api.get(`/events?pageSize=1${token && `&pageToken=${token}`}`, key)).body
    pages.push(typesOf(events))
    token = nextPageToken
    if (token === '') break
  }
  expect(pages).toEqual([['payment_account.deleted'], ['payment_account.updated'], ['payment_account.created']])
})

test('a stream for a type that the key may not read is refused', async () => {
  const key = await keyWith('events:read', 'customers:read')
  const asked = await api.get('/events/stream?types=customer.created,transaction.updated', key)
  expect([asked.status, asked.body]).toMatchObject([403, { message: expect.stringContaining('transactions:read') }])
})

test('a stream moves past hidden events: its reader resumes behind them', async () => {
  const key = await keyWith('events:read', 'customers:read')
  const reader = { baseUrl: api.baseUrl, apiKey: key.apiKey }
  const listener = await listen(reader)
  await listener.until(caughtUp)
  await emitEvents(api, own, [{ type: 'deposit.created' }, { type: 'customer.updated' }, { type: 'deposit.created' }])
  await sequencer.runBatch()
  await listener.until(({ told }) => told.length === 1)
  const later = await listen(reader, { lastEventId: listener.lastEventId() })
  await later.until(caughtUp)
  expect([listener.told, later.told].map(typesOf)).toEqual([['customer.updated'], []])
})

test('a token sees the types of its own scopes', async () => {
  const { access_token: apiKey } = (await api.post('/auth/token', { scope: 'events:read customers:read' })).body
  expect(typesOf((await api.get('/events?pageSize=100', { apiKey })).body.events)).toEqual([
    'customer.created',
    'customer.updated',
  ])
})

test('a stream ends when its key loses a scope', async () => {
  const key = await keyWith('events:read', 'customers:read')
  const listener = await listen({ baseUrl: api.baseUrl, apiKey: key.apiKey })
  await listener.until(caughtUp)
  const owner = openForTest({ connection: api.database.owner })
  await owner.query({
    text: `update svc.api_keys set scopes = '{events:read}' where api_key_id = $1`,
    values: [key.apiKeyId],
  })
  await owner.query({ text: `update svc.revisions set revision = revision + 1 where name = 'credentials'` })
  expect(await listener.ended).toBe('ended')
})
