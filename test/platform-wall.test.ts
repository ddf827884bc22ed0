import { expect, test } from 'vitest'
import { newId, platformOrganizationId } from '../src/lib/ids.ts'
import { createCustomer } from './support/customers/customers.ts'
import { customerInReview } from './support/customers/reviews.ts'
import { startApi } from './support/runner/api.ts'
import { first } from './support/runner/first.ts'

/**
 * A key of the platform decides reviews of every organization, releases money that a match blocks, and reaches nothing
 * else of them. No organization gets its scope.
 */
const api = await startApi({ SVC_RATE_LIMIT_SANDBOX: '0' })
const { organizationId: own } = first((await api.get('/organizations')).body.organizations)
const customer = await createCustomer(api)
const reviewed = await customerInReview(api, ['AML_WARNING'])
const key = await api.app.credentials.createFullKey('Platform', platformOrganizationId)
const token = (await api.post('/auth/token', undefined, { apiKey: key.apiKey })).body.access_token
const callers = [
  ['an API key', key.apiKey],
  ['a token', token],
] as const
const ids: Record<string, string> = { organizationId: own, customerId: customer.customerId, n: '1', network: 'BASE' }
const fill = (path: string) => path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? newId())
const held = new Set<string>(key.scopes)
const scoped = api.routes.filter(({ access }) => access.includes(':'))
const reachable = scoped.filter(({ access }) => held.has(access))
const isOfReviews = ({ path }: { path: string }) => path.startsWith('/reviews')

test.each(callers)(
  'with %s of the platform, every operation beside reviews and its own books is refused',
  async (_, apiKey) => {
    const others = scoped.filter(({ access, reviewerAccess }) => !held.has(access) && !reviewerAccess)
    expect(others.length).toBeGreaterThan(80)
    for (const { method, path, access } of others) {
      const { status, body } = await api.call(method, fill(path), { apiKey })
      expect([method, path, status, body.message]).toEqual([method, path, 403, expect.stringContaining(access)])
    }
  },
)

test.each(callers)('with %s of the platform, its own books show nothing of an organization', async (_, apiKey) => {
  const books = reachable.filter((route) => !isOfReviews(route))
  expect(books.length).toBeGreaterThan(5)
  for (const { method, path } of books) {
    const answer = await api.call(method, fill(path), { apiKey })
    expect([path, answer.status]).not.toEqual([path, 500])
    for (const id of [own, customer.customerId, reviewed.customerId])
      expect(JSON.stringify(answer.body)).not.toContain(id)
  }
})

test.each(callers)('with %s of the platform, a customer without a review stays out of reach', async (_, apiKey) => {
  const { customerId } = customer
  const about = (id: string) =>
    reachable
      .filter(isOfReviews)
      .map(({ method, path }) => ({ method, path: path.replace('{customerId}', id).replace('{n}', '1') }))
  for (const { method, path } of about(customerId).filter(({ path }) => path !== '/reviews')) {
    const body = path.endsWith('/decision') ? { decision: 'APPROVE', reason: 'Taken over' } : undefined
    const { status } = await api.call(method, path, { apiKey, ...(body ? { body } : {}) })
    expect([method, path, status]).toEqual([method, path, 404])
  }
  expect((await api.get(`/reviews/${reviewed.customerId}`, { apiKey })).status).toBe(200)
})

test.each(callers)('with %s of the platform, money that does not exist cannot be released', async (_, apiKey) => {
  const releases = scoped.filter(({ reviewerAccess }) => reviewerAccess === 'reviews:write')
  expect(releases.map(({ path }) => path).toSorted()).toEqual([
    '/customers/{customerId}/disbursements',
    '/deposits/{depositId}/resolve',
    '/transactions/{transactionId}/resolve',
  ])
  const order = { paymentAccountId: newId(), currency: 'USD', destinationPaymentAccountId: newId(), reason: 'a test' }
  for (const { method, path } of releases) {
    const body = path.endsWith('/resolve') ? { action: 'CREDIT', reason: 'a test' } : order
    expect([path, (await api.call(method, fill(path), { apiKey, body })).status]).toEqual([path, 404])
  }
})

test.each(callers)('with %s of the platform, deposits that do not exist cannot be read', async (_, apiKey) => {
  const reads = scoped.filter(({ reviewerAccess }) => reviewerAccess === 'reviews:read')
  expect(reads.map(({ method, path }) => [method, path])).toEqual([
    ['GET', '/deposits'],
    ['GET', '/deposits/{depositId}'],
  ])
  expect((await api.get('/deposits', { apiKey })).body.deposits).toEqual([])
  expect((await api.get(fill('/deposits/{depositId}'), { apiKey })).status).toBe(404)
})

test('no organization gets the scope of the platform', async () => {
  const asked = await api.post('/api-keys', { name: 'Higher', scopes: ['platform:write'] })
  expect([asked.status, asked.body.error]).toEqual([403, 'FORBIDDEN'])
  expect((await api.post('/auth/token', { scope: 'platform:write' })).status).toBe(403)
  await expect(
    api.app.credentials.createOperatorKey({ name: 'Higher', organizationId: own, scopes: ['platform:write'] }),
  ).rejects.toThrow(/cannot have platform:write/)
  const { apiKeys } = (await api.get('/api-keys?pageSize=100')).body
  expect(apiKeys.flatMap(({ scopes }) => scopes)).not.toContain('platform:write')
})
