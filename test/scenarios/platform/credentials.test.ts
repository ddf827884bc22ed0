import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createKey, startApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { prompt } from '../../support/runner/patience.ts'

const api = await startApi({ SVC_TRUSTED_PROXIES: '127.0.0.1' })
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

test('a key may be bound to addresses and ranges', async () => {
  const scopes = ['organizations:read']
  const allowedIps = ['192.0.2.7', '198.51.100.0/24', '2001:db8::/32']
  const created = await createKey(api, { name: 'Office', scopes, allowedIps })
  expect(created).toMatchObject({ allowedIps })
  const { apiKey } = created
  const status = async (address: string) => (await api.get('/organizations', { apiKey, ...from(address) })).status
  for (const address of ['192.0.2.7', '198.51.100.200', '2001:db8:1::5'])
    expect([address, await status(address)]).toEqual([address, 200])
  for (const address of ['192.0.2.8', '198.51.101.1', '2001:db9::1'])
    expect([address, await status(address)]).toEqual([address, 401])
  // A token issued for the key is bound to the same addresses.
  const token = await api.post('/auth/token', undefined, { apiKey, ...from('192.0.2.7') })
  const bearer = { apiKey: token.body.access_token }
  expect((await api.get('/organizations', { ...bearer, ...from('192.0.2.7') })).status).toBe(200)
  expect((await api.get('/organizations', { ...bearer, ...from('192.0.2.8') })).status).toBe(401)
})

test('an organization binds all its credentials to addresses, beside those of each key', async () => {
  const wanted = { name: 'Bound', tier: 'BUILDER' as const, parentOrganizationId: null }
  const { organizationId } = await api.app.organizations.create(wanted)
  const { apiKey } = await api.app.credentials.createFullKey('Bound', organizationId)
  const key = { name: 'Both', scopes: ['organizations:read'], allowedIps: ['192.0.2.7', '203.0.113.1'] }
  const narrow = await createKey(api, key, { apiKey, ...from('192.0.2.7') })
  const token = (await api.post('/auth/token', undefined, { apiKey, ...from('192.0.2.7') })).body.access_token
  const path = `/organizations/${organizationId}` as const
  const change = (allowedIps: string[], address: string) =>
    api.call('PATCH', path, { apiKey, body: { allowedIps }, ...from(address) })
  const status = async (credential: string, address: string) =>
    (await api.get(path, { apiKey: credential, ...from(address) })).status
  for (const credential of [apiKey, narrow.apiKey, token]) expect(await status(credential, '203.0.113.1')).toBe(200)

  expect((await change(['192.0.2.0/24'], '203.0.113.1')).body.details).toEqual([
    expect.objectContaining({ field: 'allowedIps' }),
  ])
  expect((await change(['192.0.2.0/24', 'office'], '192.0.2.7')).body.details).toEqual([
    expect.objectContaining({ field: 'allowedIps[1]' }),
  ])
  expect((await change(['192.0.2.0/24'], '192.0.2.7')).body.allowedIps).toEqual(['192.0.2.0/24'])
  for (const credential of [apiKey, narrow.apiKey, token]) {
    await expect.poll(() => status(credential, '203.0.113.1'), prompt).toBe(401)
    expect(await status(credential, '192.0.2.7')).toBe(200)
  }
  expect([await status(apiKey, '192.0.2.8'), await status(narrow.apiKey, '192.0.2.8')]).toEqual([200, 401])

  await change([], '192.0.2.7')
  await expect.poll(() => status(apiKey, '203.0.113.1')).toBe(200)
})

test.each(['300.1.1.1', '10.0.0.0/33', 'office', '10.0.0.0/8/8', ''])(
  'the range %o is refused with its position',
  async (range) => {
    const answer = await api.post('/api-keys', {
      name: 'Bad',
      scopes: ['quotes:read'],
      allowedIps: ['192.0.2.1', range],
    })
    expect(answer.body).toMatchObject({ error: 'BAD_REQUEST', details: [{ field: 'allowedIps[1]' }] })
  },
)

test('a proxy that sends several callers over one connection mixes up neither them nor their addresses', async () => {
  const proxy = new Agent({ keepAlive: true, maxSockets: 1 })
  const connections = new Set<number | undefined>()
  const ask = async (apiKey: string, address = '192.0.2.7') => {
    const headers = { authorization: `Bearer ${apiKey}`, 'x-forwarded-for': address, 'user-agent': '"},"\\\t{' }
    const sent = request(new URL('/organizations', api.baseUrl), { agent: proxy, headers }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    connections.add(answer.socket.localPort)
    const { organizations = [] } = JSON.parse(await text(answer))
    return [answer.statusCode, organizations[0]?.name]
  }
  const ofName = async (name: string) => {
    const own = await api.app.organizations.create({ name, tier: 'BUILDER', parentOrganizationId: null })
    return (await api.app.credentials.createFullKey(name, own.organizationId)).apiKey
  }
  const [first, second] = [await ofName('First'), await ofName('Second')]
  const scopes = ['organizations:read']
  const bound = await createKey(api, { name: 'Bound', scopes, allowedIps: ['192.0.2.7'] }, { apiKey: first })
  for (let turn = 0; turn < 3; turn += 1) {
    expect(await ask(first)).toEqual([200, 'First'])
    expect(await ask(second)).toEqual([200, 'Second'])
    expect(await ask(bound.apiKey)).toEqual([200, 'First'])
    expect(await ask(bound.apiKey, '192.0.2.8')).toEqual([401, undefined])
    expect(await ask(second, '"},{"x":"1')).toEqual([200, 'Second'])
  }
  await api.call('DELETE', `/api-keys/${bound.apiKeyId}`, { apiKey: first })
  await eventually(async () => expect(await ask(bound.apiKey)).toEqual([401, undefined]))
  expect(await ask(first)).toEqual([200, 'First'])
  expect(connections.size).toBe(1)
  for (const line of api.logs) expect(() => JSON.parse(line)).not.toThrow()
  proxy.destroy()
})

test('a key expires by real time', async () => {
  const expiresAt = new Date(Date.now() + 15_000).toISOString()
  const key = await createKey(api, { name: 'Brief', scopes: ['organizations:read'], expiresAt })
  expect((await api.get('/organizations', key)).status).toBe(200)
  await expect.poll(async () => (await api.get('/organizations', key)).status).toBe(401)
})

test('the last use of a key is shown', async () => {
  await api.get('/organizations', await createKey(api, { name: 'Used', scopes: ['organizations:read'] }))
  await api.app.credentials.recordUses()
  const { apiKeys } = (await api.get('/api-keys')).body
  const used = apiKeys.find((key) => key.name === 'Used')?.lastUsedAt ?? ''
  expect(Math.abs(Date.parse(used) - Date.now())).toBeLessThan(60_000)
})

test('only a hash of a key is stored, and changes to keys are audited', async () => {
  const { apiKeyId, apiKey } = await createKey(api, { name: 'Hashed', scopes: ['quotes:read'] })
  await api.delete(`/api-keys/${apiKeyId}`)
  const owner = openForTest({ connection: api.database.owner })
  const tables = await owner.query<{ name: string }>({
    text: `select table_name as name from information_schema.tables where table_schema = 'svc'`,
  })
  for (const { name } of tables) {
    const text = `select count(*)::int as hits from svc.${name} as t where t::text like $1`
    expect([name, await owner.query({ text, values: [`%${apiKey.slice(9)}%`] })]).toEqual([name, [{ hits: 0 }]])
  }
  const acts = await owner.query({
    text: 'select action from svc.audit where subject_id = $1 order by at',
    values: [apiKeyId],
  })
  expect(acts).toEqual([{ action: 'api_key.created' }, { action: 'api_key.revoked' }])
})

test('a cached authentication does not query the database', async () => {
  const key = await createKey(api, { name: 'Warm', scopes: ['organizations:read'] })
  const token = await api.post('/auth/token', undefined, key)
  for (const credential of [key, { apiKey: token.body.access_token }]) {
    const caller = () => api.app.credentials.authenticate(credential.apiKey, '127.0.0.1')
    // The identical object each time: it comes from the cache, once the news of the key has arrived, which empties it.
    await eventually(async () => {
      const first = await caller()
      for (let at = 0; at < 50; at++) expect(await caller()).toBe(first)
    })
  }
})

test('the log says why credentials of the other environment fail', async () => {
  await api.get('/organizations', { apiKey: `svc_live_${'A'.repeat(43)}` })
  expect(api.logs.join('')).toContain('a key of the other environment was refused')
})
