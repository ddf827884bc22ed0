import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { type Answer, startApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'

const api = await startApi({ SVC_RATE_LIMIT_SANDBOX: '0' })
const body = (name: string) => ({ name, scopes: ['quotes:read'] })
const withKey = (key: string) => ({ headers: { 'x-idempotency-key': key } })
const named = async (name: string): Promise<number> => {
  const database = openForTest(api.database.app)
  const statement = 'select count(*)::int as count from svc.api_keys where name = $1'
  return (await database.query<{ count: number }>({ text: statement, values: [name] }))[0]?.count ?? -1
}
const withoutSecret = ({ body: { apiKey: _, ...rest } }: Answer) => rest

test('the same key and body give the first answer again, without its secret', async () => {
  const first = await api.post('/api-keys', body('once'), withKey('k-1'))
  const again = await api.post('/api-keys', body('once'), withKey('k-1'))
  expect([first.status, again.status]).toEqual([201, 201])
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body).toEqual(withoutSecret(first))
  expect(await named('once')).toBe(1)
})

test('the same body written differently is the same, another body is 422', async () => {
  const first = await api.post('/api-keys', body('twice'), withKey('k-2'))
  const rawBody = `{ "scopes" : ["quotes:read"],\n "name":"tw\\u0069ce" }`
  const headers = { 'content-type': 'application/json', ...withKey('k-2').headers }
  expect((await api.call('POST', '/api-keys', { rawBody, headers })).body).toEqual(withoutSecret(first))
  const other = await api.post('/api-keys', body('other'), withKey('k-2'))
  expect([other.status, other.body.error]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
  expect(await named('other')).toBe(0)
})

test('the header Idempotency-Key means the same; both must not differ', async () => {
  const alias = { headers: { 'idempotency-key': 'k-alias' } }
  const first = await api.post('/api-keys', body('alias'), alias)
  expect((await api.post('/api-keys', body('alias'), withKey('k-alias'))).body).toEqual(withoutSecret(first))
  const both = { headers: { ...alias.headers, 'x-idempotency-key': 'k-alias' } }
  expect((await api.post('/api-keys', body('alias'), both)).headers.get('idempotent-replayed')).toBe('true')
  const different = { headers: { ...alias.headers, 'x-idempotency-key': 'k-other' } }
  const refused = await api.post('/api-keys', body('alias'), different)
  expect(refused.body).toMatchObject({ error: 'BAD_REQUEST', details: [{ field: 'idempotency-key' }] })
  const long = await api.post('/api-keys', body('alias'), { headers: { 'idempotency-key': 'x'.repeat(256) } })
  expect(long.body).toMatchObject({ error: 'BAD_REQUEST', details: [{ field: 'idempotency-key' }] })
  expect(await named('alias')).toBe(1)
})

test.each(['x-idempotency-key', 'Idempotency-Key'])('two different values of %s are refused', async (name) => {
  const send = (keys: string[]) =>
    new Promise<[number | undefined, { details?: { field: string }[] }]>((resolve, reject) => {
      const headers = { authorization: `Bearer ${api.apiKey}`, 'content-type': 'application/json', [name]: keys }
      const sent = request(`${api.baseUrl}/api-keys`, { method: 'POST', headers }, async (answer) =>
        resolve([answer.statusCode, JSON.parse(await text(answer))]),
      )
      sent.on('error', reject).end(JSON.stringify(body(`repeated ${name}`)))
    })
  const [status, { details }] = await send([`${name}-1`, `${name}-2`])
  expect([status, details]).toEqual([400, [{ field: name.toLowerCase(), message: 'must be given only once' }]])
  expect(await named(`repeated ${name}`)).toBe(0)
  // The same value twice is that value; a comma within one value is a part of it.
  for (const keys of [[`${name}-1`, `${name}-1`], [`${name}-1`], [`${name}-1, ${name}-2`]])
    expect((await send(keys))[0]).toBe(201)
  expect(await named(`repeated ${name}`)).toBe(2)
})

test('64 identical concurrent calls have one effect', async () => {
  const answers = await Promise.all(
    Array.from({ length: 64 }, () => api.post('/api-keys', body('crowd'), withKey('k-3'))),
  )
  const statuses = answers.map((answer) => answer.status)
  expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([])
  for (const answer of answers) {
    if (answer.status !== 409) continue
    expect(answer.body).toMatchObject({ error: 'IDEMPOTENCY_REQUEST_IN_PROGRESS' })
    expect(answer.headers.get('retry-after')).toBe('1')
  }
  const ids = answers.filter((answer) => answer.status === 201).map((answer) => answer.body.apiKeyId)
  expect(new Set(ids).size).toBe(1)
  expect(await named('crowd')).toBe(1)
})

test('without a key the same calls have 64 effects: the test can fail', async () => {
  await Promise.all(Array.from({ length: 64 }, () => api.post('/api-keys', body('keyless'))))
  expect(await named('keyless')).toBe(64)
})

test('a refusal is not stored: the corrected request may use the same key', async () => {
  expect((await api.post('/api-keys', { name: 'fixed', scopes: [] }, withKey('k-4'))).status).toBe(400)
  expect((await api.post('/api-keys', body('fixed'), withKey('k-4'))).status).toBe(201)
})

test('keys do not cross routes or organizations', async () => {
  await api.post('/api-keys', body('here'), withKey('k-5'))
  const clock = await api.post('/sandbox/clock', { resume: true }, withKey('k-5'))
  expect([clock.status, clock.headers.get('idempotent-replayed')]).toEqual([200, null])
  const { organizationId } = await api.app.organizations.create({
    name: 'Other',
    tier: 'BUILDER',
    parentOrganizationId: null,
  })
  const { apiKey } = await api.app.credentials.createFullKey('Other', organizationId)
  const elsewhere = await api.post('/api-keys', body('there'), { ...withKey('k-5'), apiKey })
  expect([elsewhere.status, elsewhere.headers.get('idempotent-replayed')]).toEqual([201, null])
})

test('a repeated key returns the stored answer', async () => {
  const before = await api.post('/sandbox/clock', { advance: 'PT1H' }, withKey('k-6'))
  const again = await api.post('/sandbox/clock', { advance: 'PT1H' }, withKey('k-6'))
  expect(again.body).toEqual(before.body)
})

test.each([[''], ['x'.repeat(256)], ['caf\u00e9']])('the key %o is refused', async (key) => {
  const answer = await api.post('/api-keys', body('bad key'), withKey(key))
  expect(answer.body).toMatchObject({ error: 'BAD_REQUEST', details: [{ field: 'x-idempotency-key' }] })
})

test('a crashed holder of a key does not block callers', async () => {
  const database = openForTest(api.database.app)
  const lock = `select pg_advisory_xact_lock(hashtextextended($1, 0)), pg_backend_pid() as pid`
  const owner = openForTest({ connection: api.database.owner })
  const organizationId = (await api.get('/organizations')).body.organizations.at(-1)?.organizationId
  const held = database.inTx(async (tx) => {
    const values = [['idempotency key', organizationId, 'POST /api-keys', 'k-7'].join('\u001f')]
    const [row] = await tx.query<{ pid: number }>({ text: lock, values })
    expect((await api.post('/api-keys', body('survivor'), withKey('k-7'))).status).toBe(409)
    await owner.query({ text: 'select pg_terminate_backend($1)', values: [row?.pid] })
    await tx.query({ text: 'select 1' })
  })
  await expect(held).rejects.toThrow()
  await expect.poll(async () => (await api.post('/api-keys', body('survivor'), withKey('k-7'))).status).toBe(201)
})
