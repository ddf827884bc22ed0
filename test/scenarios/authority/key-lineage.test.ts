import { expect, test } from 'vitest'
import { createKey, startApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'

const api = await startApi({ SVC_TRUSTED_PROXIES: '127.0.0.1', SVC_RATE_LIMIT_SANDBOX: '0' })
const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
const inADay = new Date(Date.now() + 86_400_000).toISOString()
const maker = ['api_keys:read', 'api_keys:write', 'organizations:read']
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
const status = async (apiKey: string, more = {}) => (await api.get('/organizations', { apiKey, ...more })).status

test('a key ends no later than the key that created it', async () => {
  const parent = await createKey(api, { name: 'Parent', scopes: maker, expiresAt: inAnHour })
  const silent = await createKey(api, { name: 'Silent', scopes: ['organizations:read'] }, parent)
  const later = await createKey(api, { name: 'Later', scopes: ['organizations:read'], expiresAt: inADay }, parent)
  const soon = new Date(Date.now() + 60_000).toISOString()
  const sooner = await createKey(api, { name: 'Sooner', scopes: ['organizations:read'], expiresAt: soon }, parent)
  expect([silent.expiresAt, later.expiresAt, sooner.expiresAt]).toEqual([inAnHour, inAnHour, soon])
})

test('a key works from no address that the key that created it lacks', async () => {
  const office = { name: 'Office', scopes: maker, allowedIps: ['192.0.2.0/24', '2001:db8::/32'] }
  const parent = { ...(await createKey(api, office)), ...from('192.0.2.7') }
  const scopes = ['organizations:read']
  const silent = await createKey(api, { name: 'Silent', scopes }, parent)
  expect(silent.allowedIps).toEqual(['192.0.2.0/24', '2001:db8::/32'])
  const wide = { name: 'Wide', scopes, allowedIps: ['0.0.0.0/0', '2001:db8:1::/48', '198.51.100.1'] }
  const narrowed = await createKey(api, wide, parent)
  expect(narrowed.allowedIps).toEqual(['192.0.2.0/24', '2001:db8:1::/48'])
  for (const { apiKey } of [silent, narrowed]) {
    expect(await status(apiKey, from('192.0.2.9'))).toBe(200)
    expect(await status(apiKey, from('198.51.100.1'))).toBe(401)
  }
  const elsewhere = await api.post('/api-keys', { name: 'Elsewhere', scopes, allowedIps: ['198.51.100.1'] }, parent)
  expect([elsewhere.status, elsewhere.body.details]).toEqual([400, [expect.objectContaining({ field: 'allowedIps' })]])
})

test('a token creates and rolls no key', async () => {
  const token = { apiKey: (await api.post('/auth/token')).body.access_token }
  const created = await api.post('/api-keys', { name: 'Minted', scopes: ['quotes:read'] }, token)
  expect([created.status, created.body.error]).toEqual([403, 'FORBIDDEN'])
  const key = await createKey(api, { name: 'Mine', scopes: ['quotes:read'] })
  expect((await api.post(`/api-keys/${key.apiKeyId}/roll`, { overlap: 'PT1H' }, token)).status).toBe(403)
  const { apiKeys } = (await api.get('/api-keys?pageSize=100')).body
  expect(apiKeys.filter(({ name }) => name === 'Minted')).toEqual([])
  expect(apiKeys.filter(({ name }) => name === 'Mine')).toHaveLength(1)
})

test('a key shows which key created it', async () => {
  const parent = await createKey(api, { name: 'Parent', scopes: maker })
  const child = await createKey(api, { name: 'Child', scopes: ['organizations:read'] }, parent)
  expect(child.parentApiKeyId).toBe(parent.apiKeyId)
  const { apiKeys } = (await api.get('/api-keys?pageSize=100')).body
  expect(apiKeys.find(({ apiKeyId }) => apiKeyId === child.apiKeyId)?.parentApiKeyId).toBe(parent.apiKeyId)
  // The first one was created on the command line.
  expect(apiKeys.at(-1)).not.toHaveProperty('parentApiKeyId')
})

test('api_keys:write revokes only what it could have created, api_keys:admin the rest', async () => {
  const wider = await createKey(api, { name: 'Wider', scopes: [...maker, 'ledger:read'] })
  const endless = await createKey(api, { name: 'Endless', scopes: ['organizations:read'] })
  const writer = await createKey(api, { name: 'Writer', scopes: maker, expiresAt: inADay })
  for (const { apiKeyId } of [wider, endless]) {
    const refused = await api.delete(`/api-keys/${apiKeyId}`, writer)
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('api_keys:admin')])
  }
  expect([await status(wider.apiKey), await status(endless.apiKey)]).toEqual([200, 200])
  const equal = await createKey(api, { name: 'Equal', scopes: maker, expiresAt: inADay })
  expect((await api.delete(`/api-keys/${equal.apiKeyId}`, writer)).status).toBe(200)
  const admin = await createKey(api, { name: 'Admin', scopes: ['api_keys:write', 'api_keys:admin'] })
  for (const { apiKeyId } of [wider, endless])
    expect((await api.delete(`/api-keys/${apiKeyId}`, admin)).status).toBe(200)
})

test('a revocation can take along every key that the key has led to', async () => {
  const root = await createKey(api, { name: 'Root', scopes: maker })
  const child = await createKey(api, { name: 'Child', scopes: maker }, root)
  const grandchild = await createKey(api, { name: 'Grandchild', scopes: maker }, child)
  const stranger = await createKey(api, { name: 'Stranger', scopes: maker })
  // Revoked alone, a key leaves its descendants.
  await api.delete(`/api-keys/${child.apiKeyId}`)
  expect(await status(grandchild.apiKey)).toBe(200)
  expect((await api.delete(`/api-keys/${root.apiKeyId}?cascade=true`)).status).toBe(200)
  for (const { apiKey } of [root, child, grandchild]) expect(await status(apiKey)).toBe(401)
  expect(await status(stranger.apiKey)).toBe(200)
  const acts = await openForTest({ connection: api.database.owner }).query({
    text: `select action, details from svc.audit where subject_id = $1 order by at`,
    values: [grandchild.apiKeyId],
  })
  expect(acts.at(-1)).toEqual({ action: 'api_key.revoked', details: { cascadeOf: root.apiKeyId } })
})

test('descendants of a revoked key can still be revoked with it', async () => {
  const root = await createKey(api, { name: 'Root', scopes: maker })
  const child = await createKey(api, { name: 'Child', scopes: maker }, root)
  const alone = await api.delete(`/api-keys/${root.apiKeyId}`)
  expect(await api.delete(`/api-keys/${root.apiKeyId}`)).toMatchObject({ status: 200, body: alone.body })
  expect(await status(child.apiKey)).toBe(200)
  expect((await api.delete(`/api-keys/${root.apiKeyId}?cascade=true`)).status).toBe(200)
  expect(await status(child.apiKey)).toBe(401)
})

test('a cascade walks through dead keys and changes none of them', async () => {
  const root = await createKey(api, { name: 'Root', scopes: maker })
  const ended = await createKey(api, { name: 'Ended', scopes: maker }, root)
  const revoked = await createKey(api, { name: 'Revoked', scopes: maker }, ended)
  const live = await createKey(api, { name: 'Live', scopes: maker }, revoked)
  await api.delete(`/api-keys/${revoked.apiKeyId}`)
  const owner = openForTest({ connection: api.database.owner })
  const ids = [ended.apiKeyId, revoked.apiKeyId]
  await owner.query({
    text: `update svc.api_keys set expires_at = now() - interval '1 hour' where api_key_id = $1`,
    values: [ended.apiKeyId],
  })
  const versions = () =>
    owner.query({
      text: `select xmin::text, revoked_at from svc.api_keys where api_key_id = any($1) order by api_key_id`,
      values: [ids],
    })
  // Otherwise the last uses of the keys may be written at any moment.
  await api.app.credentials.recordUses()
  const before = await versions()
  const answer = await api.delete(`/api-keys/${root.apiKeyId}?cascade=true`)
  expect(answer.body.revokedApiKeyIds).toEqual([root.apiKeyId, live.apiKeyId])
  expect(await status(live.apiKey)).toBe(401)
  expect(await versions()).toEqual(before)
})

test('while a revocation cascades, a descendant creates no key that survives it', async () => {
  const root = await createKey(api, { name: 'Root', scopes: maker })
  const child = await createKey(api, { name: 'Child', scopes: maker }, root)
  const creations = Array.from({ length: 12 }, (_, at) =>
    api.post('/api-keys', { name: `Racer ${at}`, scopes: ['organizations:read'] }, child),
  )
  const revoked = api.delete(`/api-keys/${root.apiKeyId}?cascade=true`)
  const answers = await Promise.all(creations)
  expect((await revoked).status).toBe(200)
  for (const { body } of answers) if (body.apiKey !== undefined) expect(await status(body.apiKey)).toBe(401)
})

test('a rolled key and its successor both work until the overlap ends', async () => {
  const old = await createKey(api, { name: 'Rolled', scopes: ['organizations:read'], allowedIps: ['127.0.0.1'] })
  const before = Date.now()
  const rolled = await api.post(`/api-keys/${old.apiKeyId}/roll`, { overlap: 'PT1H' })
  expect([rolled.status, rolled.body]).toEqual([
    200,
    expect.objectContaining({
      name: 'Rolled',
      scopes: old.scopes,
      allowedIps: ['127.0.0.1'],
      parentApiKeyId: old.apiKeyId,
    }),
  ])
  expect(rolled.body).not.toHaveProperty('expiresAt')
  for (const apiKey of [old.apiKey, rolled.body.apiKey ?? '']) expect(await status(apiKey)).toBe(200)
  const shown = (await api.get('/api-keys?pageSize=100')).body.apiKeys.find((key) => key.apiKeyId === old.apiKeyId)
  const ends = Date.parse(shown?.expiresAt ?? '')
  expect(Math.abs(ends - before - 3_600_000)).toBeLessThan(120_000)
  expect(shown?.rolledAt).toBeDefined()
  // The successor was used: its holder has it.
  await api.app.credentials.recordUses()
  const twice = await api.post(`/api-keys/${old.apiKeyId}/roll`, { overlap: 'PT1H' })
  expect([twice.status, twice.body.error]).toEqual([409, 'CONFLICT'])
})

test('without an overlap the rolled key ends at once, and a shown successor is shown once', async () => {
  const old = await createKey(api, { name: 'Leaked', scopes: ['organizations:read'], expiresAt: inADay })
  const options = { headers: { 'x-idempotency-key': 'roll once' } }
  const rolled = await api.post(`/api-keys/${old.apiKeyId}/roll`, { overlap: 'PT0S' }, options)
  expect(rolled.body.expiresAt).toBe(inADay)
  expect(await status(rolled.body.apiKey ?? '')).toBe(200)
  await expect.poll(() => status(old.apiKey)).toBe(401)
  const replayed = await api.post(`/api-keys/${old.apiKeyId}/roll`, { overlap: 'PT0S' }, options)
  expect([replayed.body.apiKeyId, replayed.body.apiKey]).toEqual([rolled.body.apiKeyId, undefined])
})

test.each(['soon', 'P31D', '-PT1H', ''])('the overlap %o is refused by its field', async (overlap) => {
  const { apiKeyId } = await createKey(api, { name: 'Kept', scopes: ['organizations:read'] })
  const answer = await api.post(`/api-keys/${apiKeyId}/roll`, { overlap })
  expect([answer.status, answer.body.details]).toEqual([400, [expect.objectContaining({ field: 'overlap' })]])
})

test('a key whose owner lost the answer to its roll is rolled once more', async () => {
  const scopes = ['api_keys:read', 'api_keys:write', 'organizations:read']
  const old = await createKey(api, { name: 'Alone', scopes, expiresAt: inADay })
  const other = await createKey(api, { name: 'Other', scopes })
  const roll = (caller: { apiKey: string }) => api.post(`/api-keys/${old.apiKeyId}/roll`, { overlap: 'PT0S' }, caller)
  const lost = (await roll(old)).body
  expect(Date.parse(lost.predecessorEndsAt ?? '') - Date.now()).toBeGreaterThan(500_000)
  expect([await status(old.apiKey), (await roll(other)).status]).toEqual([200, 409])
  const found = await roll(old)
  expect([found.status, found.body.expiresAt]).toEqual([200, inADay])
  expect([await status(lost.apiKey ?? ''), await status(found.body.apiKey ?? '')]).toEqual([401, 200])
  await api.app.credentials.recordUses()
  expect((await roll(old)).status).toBe(409)
})

test('a rolled key replaces its lost successor for ten minutes only', async () => {
  const old = await createKey(api, { name: 'Late', scopes: maker })
  const roll = () => api.post(`/api-keys/${old.apiKeyId}/roll`, { overlap: 'PT1H' }, old)
  const ago = (minutes: number) =>
    openForTest({ connection: api.database.owner }).query({
      text: `update svc.api_keys set rolled_at = clock_timestamp() - $2 * interval '1 minute' where api_key_id = $1`,
      values: [old.apiKeyId, minutes],
    })
  expect((await roll()).status).toBe(200)
  await ago(9)
  expect((await roll()).status).toBe(200)
  await ago(11)
  expect((await roll()).status).toBe(409)
})

test('a key rolls no key with more rights than its own, not even with api_keys:admin', async () => {
  const wider = await createKey(api, { name: 'Wider', scopes: ['ledger:read'] })
  const admin = await createKey(api, { name: 'Admin', scopes: ['api_keys:write', 'api_keys:admin'] })
  expect((await api.post(`/api-keys/${wider.apiKeyId}/roll`, { overlap: 'PT1H' }, admin)).status).toBe(403)
})
