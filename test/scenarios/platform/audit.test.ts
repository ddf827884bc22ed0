import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { actingWith, createKey, startApi } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'
import { readMetric } from '../../support/runner/metrics.ts'
import { startReceiver } from '../../support/webhooks/receiver.ts'

const api = await startApi({ SVC_TRUSTED_PROXIES: '127.0.0.1' })
const { organizations, credentials } = api.app
const own = first((await api.get('/organizations')).body.organizations).organizationId

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

async function list(query: string, calls = api) {
  const answer = await calls.get(`/audit?pageSize=100&${query}`)
  expect(answer.status).toBe(200)
  return answer.body.entries
}

async function makeTenant(name: string, parentOrganizationId: string | null = null) {
  const { organizationId } = await organizations.create({ name, tier: 'BUILDER', parentOrganizationId })
  const { apiKey, apiKeyId } = await credentials.createFullKey(name, organizationId)
  return { organizationId, apiKeyId, calls: actingWith(api, apiKey) }
}

const hook = { url: 'https://hooks.example.com/services/T0KEN?token=one', events: ['customer.created'] }

test('a change of a webhook shows its actor, its address, and the old and the new values', async () => {
  const { organizationId, apiKeyId, calls } = await makeTenant('Changes')
  const { webhookId } = (await calls.post('/webhooks', hook, from('203.0.113.7'))).body
  const url = 'https://hooks.example.com/services/T0KEN?token=two'
  const body = { url, events: ['*'], description: 'of Ada' }
  await calls.call('PATCH', `/webhooks/${webhookId}`, { body, ...from('2001:DB8::7') })
  await calls.call('PATCH', `/webhooks/${webhookId}`, { body: { url } })
  const shared = { organizationId, actor: `api_key:${apiKeyId}`, subjectId: webhookId }
  // The address is a secret with many receivers: its origin and a hash are enough to tell that it changed.
  const described = { origin: 'https://hooks.example.com', hash: expect.stringMatching(/^[0-9a-f]{16}$/) }
  const changes = { url: { from: described, to: described }, events: { from: hook.events, to: ['*'] } }
  const fields = ['url', 'events', 'description']
  expect((await list('', calls)).slice(0, 3)).toMatchObject([
    { ...shared, act: 'webhook.changed', details: { fields: ['url'], changes: {} } },
    { ...shared, act: 'webhook.changed', sourceAddress: '2001:DB8::7', details: { fields, changes } },
    { ...shared, act: 'webhook.created', sourceAddress: '203.0.113.7', details: { ...hook, url: described } },
  ])
  const shown = JSON.stringify(await list('', calls))
  for (const secret of ['Ada', 'T0KEN', 'token']) expect(shown).not.toContain(secret)
  expect(new Set(shown.match(/(?<="hash":")\w+/g)).size).toBe(2)
})

test('requests at once each keep their own address', async () => {
  const tenants = await Promise.all(Array.from({ length: 8 }, (_, n) => makeTenant(`At once ${n}`)))
  const addressOf = (n: number) => `198.51.100.${n}`
  await Promise.all(tenants.map(({ calls }, n) => calls.post('/webhooks', hook, from(addressOf(n)))))
  for (const [n, { calls }] of tenants.entries())
    expect(await list('act=webhook.created', calls)).toMatchObject([{ sourceAddress: addressOf(n) }])
})

test('an act of a command or of a worker has no address, also when a request triggers it', async () => {
  const receiver = await startReceiver()
  receiver.answer('/gone', 410)
  const worker = await api.app.startWorker()
  const { apiKeyId, calls } = await makeTenant('Commands')
  await calls.post('/webhooks', { ...hook, url: `${receiver.url}/gone` }, from('203.0.113.9'))
  await calls.post('/customers', { customerType: 'INDIVIDUAL', email: 'a@example.com' }, from('203.0.113.9'))
  await expect.poll(() => list('actor=worker', calls)).toHaveLength(1)
  const [disabled] = await list('actor=worker', calls)
  const [created] = await list('actor=command%20line&act=api_key.created', calls)
  expect(disabled).toMatchObject({ act: 'webhook.disabled' })
  expect(created).toMatchObject({ subjectId: apiKeyId })
  for (const entry of [disabled, created]) expect(entry).not.toHaveProperty('sourceAddress')
  const disabledCount = 'svc_audit_acts_total{act="webhook.disabled"}'
  await expect.poll(() => readMetric(api, disabledCount)).toBe('1')
  await worker.stop()
  receiver.close()
})

test('each request line names the organization, the key and the address; without a key it names none', async () => {
  const { organizationId, apiKeyId, calls } = await makeTenant('Lines')
  const [known, unknown] = [newId(), newId()]
  await calls.get('/audit', { headers: { 'x-request-id': known, 'x-forwarded-for': '203.0.113.4' } })
  const stranger = { 'x-request-id': unknown, 'x-forwarded-for': '203.0.113.5' }
  await api.get('/version', { apiKey: null, headers: stranger })
  const lineOf = (requestId: string) => api.logs.find((line) => line.includes(requestId)) ?? '{}'
  await expect.poll(() => lineOf(unknown)).toContain('/version')
  expect(JSON.parse(lineOf(known))).toMatchObject({ organizationId, apiKeyId, sourceAddress: '203.0.113.4' })
  expect(lineOf(unknown)).not.toContain('203.0.113.5')
})

test('filters narrow the list, and pages are read to the end', async () => {
  const { calls, apiKeyId } = await makeTenant('Filters')
  const second = await createKey(calls, { name: 'Second', scopes: ['webhooks:write', 'audit:read', 'customers:read'] })
  await calls.post('/webhooks', hook)
  await calls.post('/webhooks', hook, { apiKey: second.apiKey })
  const all = await list('', calls)
  expect(all.map(({ act }) => act)).toEqual([
    'webhook.created',
    'webhook.created',
    'api_key.created',
    'api_key.created',
    'organization.created',
  ])
  expect(await list(`actor=api_key:${second.apiKeyId.toUpperCase()}`, calls)).toEqual([all[0]])
  expect(await list(`actor=api_key:${apiKeyId}&act=webhook.created`, calls)).toEqual([all[1]])
  const { at } = all[2]!
  const before = all.filter((entry) => entry.at < at)
  expect(await list(`to=${at}`, calls)).toEqual(before)
  expect(await list(`from=${at}`, calls)).toEqual(all.slice(0, all.length - before.length))
  const pages: unknown[] = []
  for (let token = ''; ; ) {
    const { body } = await calls.get(`/audit?pageSize=2&pageToken=${token}`)
    pages.push(...body.entries)
    token = body.nextPageToken
    if (token === '') break
  }
  expect(pages).toEqual(all)
})

test.each([
  ['actor=Ada', 'actor'],
  ['act=everything', 'act'],
  ['from=yesterday', 'from'],
  ['to=2026-13-01T00:00:00Z', 'to'],
  ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'to'],
  ['subject=1', 'subject'],
  ['pageToken=tampered', 'pageToken'],
])('%s is refused by its field', async (query, field) => {
  const answer = await api.get(`/audit?${query}`)
  expect(answer.body).toMatchObject({ error: 'BAD_REQUEST', details: [{ field }] })
})

test('acts of reviewers need their own scope, and what operators wrote is for the platform', async () => {
  const { organizationId, calls } = await makeTenant('Hidden')
  const { audit, database } = api.app
  await database.inTx(async (tx) => {
    const subjectId = newId()
    const decided = { actor: 'worker', action: 'review.decided', details: { why: 'WATCH_LIST_HIT' } }
    await audit.append(tx, { organizationId, subjectId, ...decided })
    const read = { actor: 'worker', action: 'customer.document_read', details: { reviewId: subjectId } }
    await audit.append(tx, { organizationId, subjectId, ...read })
    const settled = {
      actor: 'operator:ada',
      action: 'payout.settled',
      details: { outcome: 'refused', reason: 'a note' },
    }
    await audit.append(tx, { organizationId, subjectId, ...settled })
  })
  expect(await list('act=review.decided', calls)).toHaveLength(1)
  const body = { name: 'Auditor', scopes: ['audit:read'] }
  const auditor = actingWith(calls, (await createKey(calls, body)).apiKey)
  expect(await list('act=review.decided', auditor)).toEqual([])
  expect(await list('act=customer.document_read', calls)).toHaveLength(1)
  expect(await list('act=customer.document_read', auditor)).toEqual([])
  const [shown] = await list('act=payout.settled', auditor)
  expect(shown).toMatchObject({ actor: 'operator', details: { outcome: 'refused' } })
  expect(shown?.details).not.toHaveProperty('reason')
  const guessed = await auditor.get('/audit?actor=operator:ada')
  expect(guessed.body).toMatchObject({ error: 'BAD_REQUEST', details: [{ field: 'actor' }] })
})

test('a parent reads the log of its children, a stranger neither, and only with its scope', async () => {
  const child = await makeTenant('Child', own)
  const stranger = await makeTenant('Stranger')
  await child.calls.post('/webhooks', hook)
  const ofChild = `actor=api_key:${child.apiKeyId}`
  await expect.poll(() => list(ofChild)).toMatchObject([{ organizationId: child.organizationId }])
  expect(await list(ofChild, stranger.calls)).toEqual([])
  for (const entry of await list('', child.calls)) expect(entry.organizationId).toBe(child.organizationId)
  const { apiKey } = await createKey(api, { name: 'No audit', scopes: ['events:read'] })
  expect((await api.get('/audit', { apiKey })).body).toMatchObject({ error: 'FORBIDDEN' })
})
