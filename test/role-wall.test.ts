import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../src/db/database.ts'
import type { Route } from '../src/http/route.ts'
import type { Scope } from '../src/lib/caller.ts'
import { newId } from '../src/lib/ids.ts'
import { fillAddressPool } from './support/money/wallets.ts'
import { notIds, type Side } from './support/project/tenant-bodies.ts'
import { bodiesOf, createSides, fillPath, pathIds, snapshots } from './support/project/tenant-sides.ts'
import { type Answer, startApi } from './support/runner/api.ts'
import { makeFolder } from './support/runner/folder.ts'
import { startReceiver } from './support/webhooks/receiver.ts'

/**
 * The key of an approver decides approvals, and that of a reviewer reviews, of its own organization. Every other
 * operation refuses both with a code, and nothing of any organization changes.
 */
const blobs = await makeFolder('svc role wall ')
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
const nameOf = ({ method, path }: Route) => `${method} ${path}`

/** The operations that each role reaches, written out: a new operation that its scopes open fails until it is judged here. */
const roles: { role: string; scopes: readonly Scope[]; isReviewer?: true; reach: readonly string[] }[] = [
  {
    role: 'an approver',
    scopes: ['approvals:read', 'approvals:write'],
    reach: ['GET /approvals', 'GET /approvals/{approvalId}', 'POST /approvals/{approvalId}/decision'],
  },
  {
    role: 'a reader of approvals',
    scopes: ['approvals:read'],
    reach: ['GET /approvals', 'GET /approvals/{approvalId}'],
  },
  {
    role: 'a decider who reads nothing',
    scopes: ['approvals:write'],
    reach: ['POST /approvals/{approvalId}/decision'],
  },
  {
    role: 'a reviewer',
    scopes: ['reviews:read', 'reviews:write', 'reviews:documents'],
    isReviewer: true,
    reach: [
      'GET /deposits',
      'GET /deposits/{depositId}',
      'GET /deposits/{depositId}/sender',
      'GET /reviews',
      'GET /reviews/{customerId}',
      'GET /reviews/{customerId}/documents/{n}',
      'POST /customers/{customerId}/disbursements',
      'POST /deposits/{depositId}/recall',
      'POST /deposits/{depositId}/resolve',
      'POST /reviews/{customerId}/claim',
      'POST /reviews/{customerId}/decision',
      'POST /reviews/{customerId}/release',
      'POST /transactions/{transactionId}/resolve',
    ],
  },
]

const scoped = api.routes.filter(({ access }) => access.includes(':'))
const hasIds = ({ params }: Route) => Object.keys(params.properties).some((name) => !notIds.has(name))
const callers = await Promise.all(
  roles.map(async ({ role, scopes, isReviewer = false, reach }) => {
    const wanted = { name: role, organizationId: ours.organizationId, scopes, isReviewer }
    const { apiKey } = await api.app.credentials.createOperatorKey(wanted)
    const token = (await api.post('/auth/token', undefined, { apiKey })).body.access_token
    return [
      { title: `the key of ${role}`, credential: apiKey, reach },
      { title: `a token of ${role}`, credential: token, reach },
    ]
  }),
)

/** Fills the parts of a path that name no resource of an organization. */
const withCommonNames = (path: string) =>
  path.replace(/\{(\w+)\}/g, (part, name: string) => (name in pathIds ? part : name === 'network' ? 'BASE' : newId()))

function callWith(apiKey: string, route: Route, side: Side): Promise<Answer> {
  const body = bodies[nameOf(route)]
  const headers = { 'x-idempotency-key': newId() }
  return api.call(route.method, fillPath(withCommonNames(route.path), side), {
    apiKey,
    headers,
    ...(body ? { body } : {}),
  })
}

const randomSide: Side = {
  ...ours,
  ...Object.fromEntries([...Object.keys(pathIds), 'reviewedId', 'walletId'].map((name) => [name, newId()])),
}

test.each(callers.flat())('$title reaches its own operations alone', async ({ credential, reach }) => {
  const before = [await snapshot(ours), await snapshot(theirs)]
  const others = scoped.filter((route) => !reach.includes(nameOf(route)))
  expect(others.length).toBeGreaterThan(80)
  expect(others.length + reach.length).toBe(scoped.length)
  for (const route of others)
    for (const side of [ours, theirs]) {
      const { status, body } = await callWith(credential, route, side)
      const refusal = { error: 'FORBIDDEN', message: expect.stringContaining(route.access) }
      expect([nameOf(route), status, body]).toMatchObject([nameOf(route), 403, refusal])
    }
  expect([await snapshot(ours), await snapshot(theirs)]).toEqual(before)
})

test.each(callers.flat())('$title finds nothing of another organization', async ({ credential, reach }) => {
  const before = await snapshot(theirs)
  for (const route of scoped.filter((each) => reach.includes(nameOf(each)))) {
    if (hasIds(route)) {
      const foreign = await callWith(credential, route, theirs)
      const random = await callWith(credential, route, randomSide)
      expect([nameOf(route), foreign.status, random.status]).toEqual([nameOf(route), 404, 404])
      const blank = ({ body }: Answer) => JSON.stringify({ ...body, requestId: '' })
      expect(blank(foreign)).toBe(blank(random))
      continue
    }
    const listed = await callWith(credential, route, ours)
    expect([nameOf(route), listed.status]).toEqual([nameOf(route), 200])
    const { organizationId, customerId, reviewedId, transactionId, depositId, bankChangeId } = theirs
    for (const id of [organizationId, customerId, reviewedId, transactionId, depositId, bankChangeId])
      expect(JSON.stringify(listed.body)).not.toContain(id)
  }
  expect(await snapshot(theirs)).toEqual(before)
})

test.each(callers.flat())('$title gets no further scope', async ({ credential }) => {
  const token = await api.post('/auth/token', { scope: 'transactions:write' }, { apiKey: credential })
  expect([403, 401]).toContain(token.status)
  const key = await api.post('/api-keys', { name: 'More', scopes: ['approvals:write'] }, { apiKey: credential })
  expect([key.status, key.body.error]).toEqual([403, 'FORBIDDEN'])
})

test.each(callers.flat())(
  '$title uses each of its operations in its own organization',
  async ({ credential, reach }) => {
    for (const route of scoped.filter((each) => reach.includes(nameOf(each)))) {
      const { status } = await callWith(credential, route, ours)
      // The state of our own resource may not allow it. A reviewer reaches money that a match blocks alone.
      const allowed = [200, ...(route.method === 'GET' ? [] : [409]), ...(route.reviewerAccess ? [403, 404] : [])]
      expect([nameOf(route), allowed.includes(status) ? 'allowed' : status]).toEqual([nameOf(route), 'allowed'])
    }
  },
)
