import { expect, test } from 'vitest'
import { appendEvent } from '../../../src/db/outbox/events.ts'
import { newId } from '../../../src/lib/ids.ts'
import type { BodyOf } from '../../support/runner/answers.ts'
import { startApi } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'

const api = await startApi()
const { organizations, credentials } = api.app
const own = first((await api.get('/organizations')).body.organizations).organizationId
const child = await organizations.create({ name: 'Child', tier: 'STARTUP', parentOrganizationId: own })
const childKey = { apiKey: (await credentials.createFullKey('Child', child.organizationId)).apiKey }
const ids = ({ organizations }: BodyOf<'GET /organizations'>) => organizations.map((each) => each.organizationId)

test('a parent reads and changes its children, a child sees only itself', async () => {
  await expect.poll(async () => ids((await api.get('/organizations')).body)).toEqual([child.organizationId, own])
  expect((await api.get(`/organizations/${child.organizationId}`)).body).toMatchObject({
    name: 'Child',
    parentOrganizationId: own,
  })
  expect(
    (await api.call('PATCH', `/organizations/${child.organizationId}`, { body: { name: 'Renamed' } })).body,
  ).toMatchObject({ name: 'Renamed' })
  expect(ids((await api.get('/organizations', childKey)).body)).toEqual([child.organizationId])
  for (const method of ['GET', 'PATCH']) {
    const sent = method === 'PATCH' ? { body: { name: 'Taken over' } } : {}
    expect((await api.call(method, `/organizations/${own}`, { ...childKey, ...sent })).status).toBe(404)
  }
  expect((await api.get(`/organizations/${own}`)).body).toMatchObject({ name: 'My organization' })
})

test('limits are those that apply, also without limits of its own', async () => {
  expect((await api.get(`/organizations/${own}`)).body.limits).toEqual({
    requestsPerMinute: 6_000,
    guaranteedUSDAmountPerTransaction: '10000.00',
    guaranteedUSDAmountPerOrganization: '100000.00',
    guaranteeWindowSeconds: 3_600,
  })
})

test('branding and allowed origins are kept as sent', async () => {
  const branding = { displayName: 'Example Pay', logoUrl: 'https://example.com/logo.png', primaryColor: '#1a4fff' }
  const change = { branding, allowedOrigins: ['https://app.example.com', 'http://localhost:3000'] }
  const changed = await api.call('PATCH', `/organizations/${own}`, { body: change })
  expect(changed.body).toMatchObject(change)
  expect((await api.call('PATCH', `/organizations/${own}`, { body: { name: 'Mine' } })).body).toMatchObject({
    name: 'Mine',
    ...change,
  })
})

test.each([
  [{}, 'body'],
  [{ tier: 'ENTERPRISE' }, 'tier'],
  [{ limits: { requestsPerMinute: 0 } }, 'limits'],
  [{ name: '' }, 'name'],
  [{ branding: { logoUrl: 'http://example.com/a.png' } }, 'branding.logoUrl'],
  [{ branding: { primaryColor: 'red' } }, 'branding.primaryColor'],
  [{ allowedOrigins: ['https://app.example.com/path'] }, 'allowedOrigins[0]'],
  [{ allowedOrigins: ['javascript:alert(1)'] }, 'allowedOrigins[0]'],
])('%o is refused by its field', async (body, field) => {
  const answer = await api.call('PATCH', `/organizations/${own}`, { body })
  expect(answer.body).toMatchObject({ error: 'BAD_REQUEST', details: [{ field }] })
})

test('a child cannot have children, and a parent must exist', async () => {
  await expect(
    organizations.create({ name: 'x', tier: 'BUILDER', parentOrganizationId: child.organizationId }),
  ).rejects.toThrow(/is a child itself/)
  const nowhere = '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11'
  await expect(organizations.create({ name: 'x', tier: 'BUILDER', parentOrganizationId: nowhere })).rejects.toThrow(
    /There is no organization/,
  )
})

test('a parent can read the events of a child, a child never those of its parent', async () => {
  const worker = await api.app.startWorker()
  const event = {
    organizationId: child.organizationId,
    type: 'customer.created' as const,
    resourceId: newId(),
    resourceVersion: 1,
    data: {},
  }
  const eventId = await api.app.database.inTx((tx) => appendEvent(tx, event))
  const list = async (query: string, options = {}) =>
    (await api.get(`/events?${query}`, options)).body.events.map(({ id }) => id)
  await expect.poll(() => list(`organizationId=${child.organizationId}`)).toEqual([eventId])
  expect(await list('')).toEqual([])
  expect((await api.get(`/events/${eventId}`)).status).toBe(200)
  expect(await list('', childKey)).toEqual([eventId])
  expect(await list(`organizationId=${own}`, childKey)).toEqual([])
  await worker.stop()
})
