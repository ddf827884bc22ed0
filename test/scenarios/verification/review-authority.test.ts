import { expect, test } from 'vitest'
import { platformOrganizationId } from '../../../src/lib/ids.ts'
import { behindProxy, productionSettings } from '../../support/customers/production-api.ts'
import { customerInReview, decideReview, listReviews } from '../../support/customers/reviews.ts'
import { actingWith, createKey, startApi } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'
import { runSvc } from '../../support/runner/process.ts'

/** Who decides reviews: the platform, an organization that may, and about matches a second person alone. */
const api = await startApi({ SVC_REVIEW_FOUR_EYES: 'true', SVC_RATE_LIMIT_SANDBOX: '0' })
const { organizationId: own } = first((await api.get('/organizations')).body.organizations)
const { credentials } = api.app
const reviewer = await credentials.createOperatorKey({ name: 'Reviewer', organizationId: own, isReviewer: true })
const platform = await credentials.createFullKey('Platform', platformOrganizationId)
const approve = { decision: 'APPROVE' }

test('the key that submitted data, or one that it created, cannot clear a match; a reviewer’s key can', async () => {
  const customer = await customerInReview(api, ['AML_WARNING'])
  const second = await createKey(api, { name: 'Second', scopes: ['reviews:read', 'reviews:write'] })
  for (const { apiKey } of [api, second]) {
    const refused = await decideReview(actingWith(api, apiKey), customer, approve)
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('reviewer')])
  }
  expect((await api.get(`/reviews/${customer.customerId}`)).body.reviewStatus).toBe('OPEN')
  const cleared = await decideReview(actingWith(api, reviewer.apiKey), customer, approve)
  expect([cleared.status, cleared.body.decidedBy]).toEqual([200, `api_key:${reviewer.apiKeyId}`])
})

test('a review without a match, and the confirmation of one, need no second person', async () => {
  expect((await decideReview(api, await customerInReview(api, ['ID_WARNING']), approve)).status).toBe(200)
  const rejected = await decideReview(api, await customerInReview(api, ['AML_MATCH']), { decision: 'REJECT' })
  expect(rejected.status).toBe(200)
})

test('the mark of a reviewer comes from the operator alone, and only for a key that submits nothing', async () => {
  const rolled = await api.post(`/api-keys/${reviewer.apiKeyId}/roll`, { overlap: 'PT1H' })
  expect([rolled.status, rolled.body.error]).toEqual([403, 'FORBIDDEN'])
  const asked = await api.post('/api-keys', { name: 'Marked', scopes: ['reviews:write'], isReviewer: true })
  expect(asked.body.details).toEqual([expect.objectContaining({ field: 'isReviewer' })])
  expect(reviewer.scopes).toEqual(['reviews:read', 'reviews:write', 'reviews:documents'])
  const create = (...flags: string[]) => runSvc(api, ['keys', 'create', 'A key', '--organization', own, ...flags])
  const writing = await create('--reviewer', '--scopes', 'reviews:write,customers:write')
  expect([writing.code, writing.output]).toEqual([1, expect.stringContaining('cannot have customers:write')])
  const marked = (await create('--reviewer')).output.trim()
  expect((await api.get('/reviews', { apiKey: marked })).status).toBe(200)
  expect(first((await api.get('/api-keys')).body.apiKeys)).toMatchObject({ isReviewer: true })
})

test('the key that submitted data cannot claim a match, and no claim delays the platform', async () => {
  const customer = await customerInReview(api, ['AML_WARNING'])
  const claim = (as: typeof api) => as.post(`/reviews/${customer.customerId}/claim`, { minutes: 480 })
  expect((await claim(api)).status).toBe(403)
  expect((await claim(actingWith(api, reviewer.apiKey))).status).toBe(200)
  const operator = actingWith(api, platform.apiKey)
  expect((await decideReview(operator, customer, { decision: 'REJECT' })).status).toBe(200)
})

test('where the platform decides, no key of the organization does, and a key of the platform does', async () => {
  const set = (answer: string) => runSvc(api, ['organizations', 'set', own, '--own-reviews', answer])
  expect((await set('perhaps')).code).toBe(2)
  expect((await set('no')).code).toBe(0)
  expect((await api.get(`/organizations/${own}`)).body.decidesReviews).toBe(false)
  const customer = await customerInReview(api, ['AML_WARNING'])
  for (const { apiKey } of [api, reviewer]) {
    const caller = actingWith(api, apiKey)
    expect((await decideReview(caller, customer, approve)).status).toBe(403)
    expect((await caller.post(`/reviews/${customer.customerId}/claim`)).status).toBe(403)
  }
  const operator = actingWith(api, platform.apiKey)
  const { reviews } = await listReviews(operator)
  expect(reviews.map(({ customerId }) => customerId)).toContain(customer.customerId)
  const once = { headers: { 'x-idempotency-key': 'decided once' } }
  const decided = await decideReview(operator, customer, approve, once)
  expect([decided.status, decided.body.organizationId]).toEqual([200, own])
  expect((await decideReview(operator, customer, approve, once)).body).toEqual(decided.body)
  expect((await set('yes')).code).toBe(0)
  expect((await decideReview(api, await customerInReview(api, ['ID_WARNING']), approve)).status).toBe(200)
})

test('in production the platform decides by default', async () => {
  const live = behindProxy(await startApi(productionSettings))
  const { organizations } = (await live.get('/organizations')).body
  expect(organizations.map(({ decidesReviews }) => decidesReviews)).toEqual([false])
})
