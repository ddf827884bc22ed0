import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect, test } from 'vitest'
import { createKey, startApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'
import { first } from '../../support/runner/first.ts'

/** The holder of a leaked key keeps nothing once the key is revoked with what it led to, and locks no other key out. */
const api = await startApi({ SVC_TRUSTED_PROXIES: '127.0.0.1', SVC_RATE_LIMIT_SANDBOX: '0' })
const openAsOwner = () => openForTest({ connection: api.database.owner })
const { organizationId: own } = first((await api.get('/organizations')).body.organizations)
const inADay = new Date(Date.now() + 86_400_000).toISOString()
const maker = ['api_keys:read', 'api_keys:write', 'organizations:read']
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
const status = async (apiKey: string, more = {}) => (await api.get('/organizations', { apiKey, ...more })).status
const revision = async () =>
  first(
    await openAsOwner().query<{ revision: string }>({
      text: `select revision from svc.revisions where name = 'credentials'`,
    }),
  ).revision

const setAddresses = (allowedIps: string[], apiKey: string) =>
  api.call('PATCH', `/organizations/${own}`, { apiKey, body: { allowedIps }, ...from('192.0.2.7') })

test('organizations:write alone changes no addresses, nor does a token; api_keys:admin does', async () => {
  const weak = await createKey(api, { name: 'Weak', scopes: ['organizations:read', 'organizations:write'] })
  const token = (await api.post('/auth/token')).body.access_token
  for (const apiKey of [weak.apiKey, token])
    for (const wanted of [['192.0.2.7'], []]) {
      const { status: code, body } = await setAddresses(wanted, apiKey)
      expect([code, body.message]).toEqual([403, expect.stringContaining('api_keys:admin')])
    }
  const renamed = { body: { name: 'New name' }, apiKey: weak.apiKey }
  const { status: code, body } = await api.call('PATCH', `/organizations/${own}`, renamed)
  expect([code, body.name, body.allowedIps]).toEqual([200, 'New name', []])
  const list = ['192.0.2.7', '127.0.0.0/8']
  expect((await setAddresses(list, api.apiKey)).status).toBe(200)
  expect((await setAddresses([], api.apiKey)).status).toBe(200)
  const { entries } = (await api.get('/audit?act=organization.changed')).body
  expect(entries.slice(0, 2).map(({ details }) => details)).toEqual([
    { fields: ['allowedIps'], changes: { allowedIps: { from: list, to: [] } } },
    { fields: ['allowedIps'], changes: { allowedIps: { from: [], to: list } } },
  ])
})

test('a cascade finds the successor of a sibling that the leaked key has rolled', async () => {
  const sibling = await createKey(api, { name: 'Sibling', scopes: ['organizations:read'] })
  const leaked = await createKey(api, { name: 'Leaked', scopes: maker })
  const rolled = await api.post(`/api-keys/${sibling.apiKeyId}/roll`, { overlap: 'P30D' }, leaked)
  const taken = rolled.body.apiKey ?? ''
  expect(await status(taken)).toBe(200)
  const revoked = await api.delete(`/api-keys/${leaked.apiKeyId}?cascade=true`)
  expect(revoked.body.revokedApiKeyIds).toEqual([leaked.apiKeyId, rolled.body.apiKeyId])
  expect([await status(taken), await status(sibling.apiKey)]).toEqual([401, 200])
})

test('api_keys:write revokes by a cascade none that it could not have created', async () => {
  const rolled = await createKey(api, { name: 'Rolled', scopes: maker })
  const successor = (await api.post(`/api-keys/${rolled.apiKeyId}/roll`, { overlap: 'PT1H' })).body
  const writer = await createKey(api, { name: 'Writer', scopes: maker, expiresAt: inADay })
  const refused = await api.delete(`/api-keys/${rolled.apiKeyId}?cascade=true`, writer)
  expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('api_keys:admin')])
  for (const apiKey of [rolled.apiKey, successor.apiKey ?? '']) expect(await status(apiKey)).toBe(200)
  expect((await api.delete(`/api-keys/${rolled.apiKeyId}?cascade=true`)).status).toBe(200)
  for (const apiKey of [rolled.apiKey, successor.apiKey ?? '']) expect(await status(apiKey)).toBe(401)
})

test('api_keys:write does not revoke the key of a reviewer', async () => {
  const { credentials } = api.app
  const reviewer = await credentials.createOperatorKey({ name: 'Reviewer', organizationId: own, isReviewer: true })
  const equal = await createKey(api, { name: 'Equal', scopes: [...reviewer.scopes, 'api_keys:write'] })
  const refused = await api.delete(`/api-keys/${reviewer.apiKeyId}`, equal)
  expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('api_keys:admin')])
})

test('a revocation of what was revoked before, and a list that stays as it is, empty no cache', async () => {
  const { apiKeyId } = await createKey(api, { name: 'Revoked', scopes: maker })
  await api.delete(`/api-keys/${apiKeyId}`)
  const before = await revision()
  expect((await api.delete(`/api-keys/${apiKeyId}?cascade=true`)).body.revokedApiKeyIds).toEqual([])
  expect((await setAddresses([], api.apiKey)).status).toBe(200)
  expect(await revision()).toBe(before)
})

test('new keys are in the audit log with their end, addresses and lineage', async () => {
  const narrow = { name: 'Narrow', scopes: maker, expiresAt: inADay, allowedIps: ['127.0.0.1'] }
  const key = await createKey(api, narrow)
  const successor = (await api.post(`/api-keys/${key.apiKeyId}/roll`, { overlap: 'PT1H' })).body
  const { entries } = (await api.get('/audit?act=api_key.created')).body
  const rights = { scopes: maker, expiresAt: inADay, allowedIps: ['127.0.0.1'] }
  expect(entries.slice(0, 2).map(({ subjectId, details }) => ({ subjectId, ...details }))).toEqual([
    { subjectId: successor.apiKeyId, ...rights, parentApiKeyId: key.apiKeyId },
    {
      subjectId: key.apiKeyId,
      ...rights,
      parentApiKeyId: first((await api.get('/api-keys?pageSize=100')).body.apiKeys.slice(-1)).apiKeyId,
    },
  ])
})

test('a request whose body arrives after the revocation of its key is refused', async () => {
  const key = await createKey(api, { name: 'Slow', scopes: ['organizations:write'] })
  const body = JSON.stringify({ name: 'Too late' })
  const slow = request(`${api.baseUrl}/organizations/${own}`, {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${key.apiKey}`,
      'content-type': 'application/json',
      'content-length': body.length,
    },
  })
  slow.write(body.slice(0, 5))
  // The service has admitted the request once it knows of the use.
  await expect
    .poll(async () => {
      await api.app.credentials.recordUses()
      const { apiKeys } = (await api.get('/api-keys?pageSize=100')).body
      return apiKeys.find(({ apiKeyId }) => apiKeyId === key.apiKeyId)?.lastUsedAt
    })
    .toBeDefined()
  await api.delete(`/api-keys/${key.apiKeyId}`)
  // The service has counted from an earlier moment than this.
  const revokedAt = performance.now()
  await expect.poll(() => performance.now() - revokedAt).toBeGreaterThan(1_500)
  slow.end(body.slice(5))
  const [answer] = (await once(slow, 'response')) as [IncomingMessage]
  answer.resume()
  expect(answer.statusCode).toBe(401)
})

/** Fills the organization up with keys of this age, and leaves room for some. */
const fill = (owner: ReturnType<typeof openAsOwner>, { age, left }: { age: string; left: number }) =>
  owner.query({
    text: `insert into svc.api_keys (organization_id, api_key_id, name, scopes, key_hash, created_at, revoked_at)
           select $1, gen_random_uuid(), 'Filler', '{}', sha256(n::text::bytea), now() - $2::interval,
                  case when $2::interval < interval '24 hours' then now() end
             from generate_series(1, 1000 - $3 - (select count(*)::integer from svc.api_keys
              where organization_id = $1 and case when $2::interval < interval '24 hours'
                    then created_at > now() - interval '24 hours' else revoked_at is null and (expires_at is null or expires_at > now()) end)) as n`,
    values: [own, age, left],
  })
const forgetFillers = (owner: ReturnType<typeof openAsOwner>) =>
  owner.query({ text: `delete from svc.api_keys where organization_id = $1 and name = 'Filler'`, values: [own] })

test.each([
  ['has at most a thousand live keys', '25 hours', 'revoke one'],
  ['creates at most a thousand keys within 24 hours, revoked ones included', '23 hours', '24 hours'],
])('an organization %s, also when many keys create some at once', async (_, age, message) => {
  const owner = openAsOwner()
  const makers = []
  for (let at = 0; at < 8; at++)
    makers.push(await createKey(api, { name: `Maker ${at}`, scopes: ['api_keys:write', 'organizations:read'] }))
  await fill(owner, { age, left: 3 })
  const body = { name: 'Too many', scopes: ['organizations:read'] }
  const answers = await Promise.all(makers.map((maker) => api.post('/api-keys', body, maker)))
  const created = answers.filter(({ status }) => status === 201)
  expect(created).toHaveLength(3)
  const refusal = { status: 409, body: { error: 'CONFLICT', message: expect.stringContaining(message) } }
  for (const answer of answers) if (answer.status !== 201) expect(answer).toMatchObject(refusal)
  const { apiKeyId } = created[0]?.body ?? {}
  expect(await api.post(`/api-keys/${apiKeyId}/roll`, { overlap: 'PT1H' })).toMatchObject(refusal)
  await forgetFillers(owner)
  expect((await api.post('/api-keys', body)).status).toBe(201)
})

test.each([
  ['work', '25 hours'],
  ['were created within a day', '23 hours'],
])('a thousand keys that %s lock no older key out: it creates and rolls ten a day', async (_, age) => {
  const owner = openAsOwner()
  const [old, leaked, other] = [
    await createKey(api, { name: 'Old', scopes: maker }),
    await createKey(api, { name: 'Leaked', scopes: maker }),
    await createKey(api, { name: 'Other', scopes: maker }),
  ]
  await owner.query({
    text: `update svc.api_keys set created_at = created_at - interval '25 hours' where api_key_id = any($1)`,
    values: [[old.apiKeyId, leaked.apiKeyId, other.apiKeyId]],
  })
  const body = { name: 'Further', scopes: maker }
  const young = await createKey(api, body, leaked)
  for (let made = 1; made < 10; made++) await createKey(api, body, leaked)
  await fill(owner, { age, left: 0 })
  const create = async (key: { apiKey: string }) => (await api.post('/api-keys', body, key)).status
  expect([await create(leaked), await create(young), await create(old)]).toEqual([409, 409, 201])
  const successor = (await api.post(`/api-keys/${old.apiKeyId}/roll`, { overlap: 'PT1H' }, old)).body
  expect(await create(successor as { apiKey: string })).toBe(409)
  for (let made = 2; made < 10; made++) expect(await create(old)).toBe(201)
  expect(await create(old)).toBe(409)
  await fill(owner, { age, left: -1_000 })
  expect(await create(other)).toBe(age === '25 hours' ? 409 : 201)
  expect((await api.delete(`/api-keys/${leaked.apiKeyId}?cascade=true`)).status).toBe(200)
  await forgetFillers(owner)
  expect(await create(other)).toBe(201)
})
