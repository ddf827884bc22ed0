import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../src/db/database.ts'
import type { Route } from '../src/http/route.ts'
import { newId } from '../src/lib/ids.ts'
import { fillAddressPool } from './support/money/wallets.ts'
import {
  autoFiatAccount,
  changing,
  disbursed,
  notIds,
  ownStatus,
  ruleOf,
  type Side,
} from './support/project/tenant-bodies.ts'
import { policyOf, previewRows } from './support/project/tenant-policies.ts'
import { bodiesOf, createSides, fillPath, pathIds, snapshots } from './support/project/tenant-sides.ts'
import { ruleBody } from './support/rules/rules.ts'
import { type Answer, startApi } from './support/runner/api.ts'
import { makeFolder } from './support/runner/folder.ts'
import { listen } from './support/webhooks/event-stream.ts'
import { startReceiver } from './support/webhooks/receiver.ts'

/**
 * Nothing of one organization can be read, changed, counted or guessed with another's credential. Every route that
 * takes an id has a row here; a new one without a row fails.
 */
const blobs = await makeFolder('svc tenant wall ')
afterAll(blobs.remove)
const api = await startApi({ SVC_RATE_LIMIT_SANDBOX: '0', SVC_BLOB_DIR: blobs.folder })
const worker = await api.app.startWorker()
afterAll(() => worker.stop())
const owner = openDatabase({ connection: api.database.owner, connections: 1 })
afterAll(() => owner.close())
await fillAddressPool(api.database)
const receiver = await startReceiver()
afterAll(() => receiver.close())
const makeSide = createSides(api, receiver.url)
const ours = await makeSide('Ours')
const theirs = await makeSide('Theirs')
const bodies = bodiesOf(ours)
const snapshot = await snapshots(owner)

/** Filters by id: a foreign id gives an empty list. */
const allOf = (name: string) => (body: Answer['body']) => (Array.isArray(body[name]) ? body[name] : [])
const firstOf = (name: string) => (body: Answer['body']) => allOf(name)(body).slice(0, 1)
type FilterRow = {
  idOf(side: Side): string
  listOf(body: Answer['body']): unknown[]
  /** Reads the result of filters on operations that return no list. */
  read?(path: string, apiKey: string): Promise<unknown[]>
}
const filterIds: Record<string, FilterRow> = {
  'GET /approvals transactionId': { idOf: (side) => side.transactionId, listOf: allOf('approvals') },
  'GET /audit actor': { idOf: (side) => side.actor, listOf: firstOf('entries') },
  'GET /automation-rules customerId': { idOf: (side) => side.customerId, listOf: firstOf('automationRules') },
  'GET /automation-rules sourcePaymentAccountId': { idOf: (side) => side.walletId, listOf: firstOf('automationRules') },
  'GET /deposits customerId': { idOf: (side) => side.customerId, listOf: firstOf('deposits') },
  'GET /deposits paymentAccountId': { idOf: (side) => side.paymentAccountId, listOf: firstOf('deposits') },
  'GET /deposits transactionId': { idOf: (side) => side.transactionId, listOf: firstOf('deposits') },
  'GET /deposits organizationId': { idOf: (side) => side.organizationId, listOf: firstOf('deposits') },
  'GET /transactions customerId': { idOf: (side) => side.customerId, listOf: allOf('transactions') },
  'GET /transactions paymentAccountId': { idOf: (side) => side.walletId, listOf: allOf('transactions') },
  'GET /transactions organizationId': { idOf: (side) => side.organizationId, listOf: allOf('transactions') },
  'GET /quotes customerId': { idOf: (side) => side.customerId, listOf: firstOf('quotes') },
  'GET /quotes organizationId': { idOf: (side) => side.organizationId, listOf: firstOf('quotes') },
  'GET /customers organizationId': { idOf: (side) => side.organizationId, listOf: firstOf('customers') },
  'GET /policies organizationId': { idOf: (side) => side.organizationId, listOf: policyOf },
  'PUT /policies organizationId': { idOf: (side) => side.organizationId, listOf: policyOf },
  'GET /payment-accounts customerId': { idOf: (side) => side.customerId, listOf: firstOf('paymentAccounts') },
  'GET /webhooks organizationId': { idOf: (side) => side.organizationId, listOf: firstOf('webhooks') },
  'GET /webhooks/{webhookId}/deliveries eventId': { idOf: (side) => side.eventId, listOf: firstOf('deliveries') },
  'GET /reviews organizationId': { idOf: (side) => side.organizationId, listOf: allOf('reviews') },
  'GET /reviews customerId': { idOf: (side) => side.reviewedId, listOf: allOf('reviews') },
  'GET /events organizationId': { idOf: (side) => side.organizationId, listOf: firstOf('events') },
  'GET /events/stream organizationId': {
    idOf: (side) => side.organizationId,
    listOf: () => [],
    read: async (path, apiKey) => {
      const listener = await listen(
        { baseUrl: api.baseUrl, apiKey },
        { query: `?from=beginning&${path.split('?')[1]}` },
      )
      await listener.until(({ comments }) => comments.includes('caught up'))
      return listener.told.slice(0, 1)
    },
  },
  'GET /events resourceId': { idOf: (side) => side.customerId, listOf: firstOf('events') },
}
const resolved = (action: string, side: Side, name: keyof Side) => ({ action, reason: 'a test', [name]: side[name] })
/** Ids inside bodies: another's is 404. */
const bodyIds: Record<string, (side: Side) => object> = {
  'POST /customers organizationId': ({ organizationId }) => ({
    customerType: 'INDIVIDUAL',
    email: 'a@example.com',
    organizationId,
  }),
  'POST /quotes customerId': ({ customerId, paymentAccountId, walletId }) => ({
    customerId,
    source: {
      sourcePaymentAccountId: walletId,
      sourceCurrency: 'USDC',
      sourcePaymentMethod: 'BASE',
      sourceAmount: '1',
    },
    destination: {
      destinationPaymentAccountId: paymentAccountId,
      destinationCurrency: 'USD',
      destinationPaymentMethod: 'ACH',
    },
  }),
  'POST /automation-rules customerId': (side) => ruleBody(ruleOf(side)),
  'POST /automation-rules/preview customerId': (side) => ruleBody(ruleOf(side)),
  'PUT /automation-rules/{ruleId} customerId': (side) => ({ id: ours.ruleId, ...ruleBody(ruleOf(side)) }),
  'POST /transactions quoteId': ({ quoteId }) => ({ quoteId }),
  ...previewRows(ours),
  'POST /sandbox/bank/recalls depositId': ({ depositId }) => ({ depositId }),
  'POST /sandbox/bank/returns transactionId': ({ transactionId }) => ({ transactionId, code: 'AC04' }),
  'POST /deposits/{depositId}/resolve transactionId': (side) => resolved('APPLY', side, 'transactionId'),
  'POST /deposits/{depositId}/resolve paymentAccountId': (side) => resolved('RETURN', side, 'paymentAccountId'),
  'POST /transactions/{transactionId}/resolve paymentAccountId': (side) => resolved('REFUND', side, 'paymentAccountId'),
  'POST /customers/{customerId}/disbursements paymentAccountId': ({ walletId }) => disbursed({ ...ours, walletId }),
  'POST /customers/{customerId}/disbursements destinationPaymentAccountId': ({ paymentAccountId }) =>
    disbursed({ ...ours, paymentAccountId }),
  'PUT /developer-fees/receiver customerId': ({ customerId }) => ({ customerId }),
  'POST /developer-fees/payouts destinationPaymentAccountId': ({ paymentAccountId }) => ({
    currency: 'USD',
    destinationPaymentAccountId: paymentAccountId,
  }),
  'POST /payment-accounts customerId': ({ customerId }) => ({
    customerId,
    paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
  }),
  'POST /payment-accounts svcAutoFiatAccount.destinationPaymentAccountId': ({ walletId }) =>
    autoFiatAccount(ours.customerId, walletId),
  'POST /webhooks organizationId': ({ organizationId }) => ({ url: receiver.url, events: ['*'], organizationId }),
  'POST /events/{eventId}/replay webhookId': ({ webhookId }) => ({ webhookId }),
  'POST /events/replay webhookId': ({ webhookId }) => ({ webhookId, fromSequence: 1 }),
}
const nameOf = ({ method, path }: Route) => `${method} ${path}`
// A secret address is a credential itself: see test/scenarios/webhooks/sandbox-inbox.test.ts.
const idRoutes = api.routes.filter(
  ({ access, params }) =>
    access !== 'secret address' && Object.keys(params.properties).some((name) => !notIds.has(name)),
)
const filters = api.routes.flatMap((route) =>
  Object.keys(route.query.properties)
    .filter((name) => !notIds.has(name))
    .map((name) => ({ route, name })),
)

test('every id in a path, filter or body has a row in this file', () => {
  for (const route of idRoutes)
    for (const name of Object.keys(route.params.properties)) expect(pathIds).toHaveProperty([name])
  for (const { route, name } of filters) expect(filterIds).toHaveProperty([`${nameOf(route)} ${name}`])
  for (const route of api.routes) {
    const names = Object.keys(route.body?.properties ?? {}).filter((name) => /Id$/.test(name) && !notIds.has(name))
    // A rule may be sent back as it was shown: Svc ignores the id in its body.
    for (const name of names.filter((each) => each !== 'ruleId'))
      expect(bodyIds).toHaveProperty([`${nameOf(route)} ${name}`])
  }
})

const credentialsOf = (side: Side) =>
  [
    ['an API key', side.apiKey],
    ['a token', side.token],
  ] as const

/** Our organization, with every id replaced. */
function withIds(createId: () => string): Side {
  const ids = Object.fromEntries(
    [...Object.keys(pathIds), 'reviewedId', 'walletId', 'secondWalletId'].map((name) => [name, createId()]),
  )
  return { ...ours, ...ids }
}

for (const route of idRoutes) {
  const call = (side: Side, apiKey: string) => {
    const body = bodies[nameOf(route)]
    return api.call(route.method, fillPath(route.path, side), { apiKey, ...(body ? { body } : {}) })
  }
  const randomSide = withIds(() => newId())
  const malformed = withIds(() => 'x')

  test.each(credentialsOf(ours))(
    `${nameOf(route)} with %s: a foreign id gets the same answer as a random one`,
    async (_kind, apiKey) => {
      const before = await snapshot(theirs)
      const foreign = await call(theirs, apiKey)
      const random = await call(randomSide, apiKey)
      expect([foreign.status, random.status]).toEqual([404, 404])
      const blank = ({ body }: Answer) => JSON.stringify({ ...body, requestId: '' })
      expect(blank(foreign)).toBe(blank(random))
      expect([...foreign.headers.keys()]).toEqual([...random.headers.keys()])
      // The id of a rule has no documented format.
      expect((await call(malformed, apiKey)).status).toBe(route.path.includes('{ruleId}') ? 404 : 400)
      expect(await snapshot(theirs)).toEqual(before)
    },
  )

  test(`${nameOf(route)} works on the caller's own resources`, async () => {
    const changes = route.method === 'DELETE' || changing.includes(nameOf(route))
    const mine = changes ? await makeSide('Mine, to be changed') : ours
    expect((await call(mine, mine.apiKey)).status).toBe(ownStatus[nameOf(route)] ?? 200)
  })
}

for (const { route, name } of filters) {
  test.each(credentialsOf(ours))(
    `${nameOf(route)} with %s and a foreign ${name} returns an empty list`,
    async (_kind, apiKey) => {
      const row = filterIds[`${nameOf(route)} ${name}`]
      const list = async (id: string) => {
        const path = `${fillPath(route.path, ours)}?${name}=${id}`
        return row?.read ? row.read(path, apiKey) : row?.listOf((await api.get(path, { apiKey })).body)
      }
      expect(await list(row?.idOf(theirs) ?? '')).toEqual([])
      expect(await list(newId())).toEqual([])
      expect(await list(row?.idOf(ours) ?? '')).toHaveLength(1)
    },
  )
}

test.each(Object.entries(bodyIds))(
  '%s of another organization is a 404, and the caller’s own is not',
  async (name, bodyOf) => {
    const [method = '', pattern = ''] = name.split(' ')
    const path = fillPath(pattern, ours)
    const before = await snapshot(theirs)
    for (const [, apiKey] of credentialsOf(ours)) {
      const call = (side: Side) =>
        api.call(method, path, { apiKey, body: bodyOf(side), headers: { 'x-idempotency-key': newId() } })
      expect((await call(theirs)).status).toBe(404)
      expect((await call(withIds(() => newId()))).status).toBe(404)
      // The state may still reject our own: no customer here is ACTIVE, and no deposit fits its transaction.
      const own = await call(ours)
      expect([200, 201, 403, 409]).toContain(own.status)
    }
    expect(await snapshot(theirs)).toEqual(before)
  },
)

test('lists show only the caller’s own resources', async () => {
  for (const [path, name] of [
    ['/organizations', 'organizations'],
    ['/api-keys', 'apiKeys'],
    ['/events', 'events'],
    ['/reviews', 'reviews'],
    ['/webhooks', 'webhooks'],
    ['/transactions', 'transactions'],
    ['/deposits', 'deposits'],
    ['/automation-rules', 'automationRules'],
    ['/audit', 'entries'],
  ] as const) {
    const mine = JSON.stringify((await api.get(path, { apiKey: ours.apiKey })).body)
    expect(mine).toContain(`"${name}":[{`)
    const { organizationId, apiKeyId, eventId, reviewedId, paymentAccountId } = theirs
    const { webhookId, transactionId, depositId, ruleId } = theirs
    const ids = [organizationId, apiKeyId, eventId, reviewedId, paymentAccountId]
    for (const id of [...ids, webhookId, transactionId, depositId, ruleId]) expect(mine).not.toContain(id)
  }
})
