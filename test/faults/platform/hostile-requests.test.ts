import { expect, test } from 'vitest'
import { startApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'
import { first } from '../../support/runner/first.ts'

const api = await startApi({ SVC_RATE_LIMIT_SANDBOX: '0', SVC_RATE_LIMIT_FAILED_AUTHENTICATION: '30' })
const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** Sends a request, and keeps sending small ones meanwhile: the process must keep answering. */
async function whileAnswering<Result>(sent: Promise<Result>): Promise<{ result: Result; longestMs: number }> {
  let finished = false
  void sent.finally(() => {
    finished = true
  })
  let longestMs = 0
  while (!finished) {
    const startedAt = performance.now()
    expect((await fetch(`${api.baseUrl}/livez`)).status).toBe(200)
    longestMs = Math.max(longestMs, performance.now() - startedAt)
  }
  return { result: await sent, longestMs }
}

test('a form with thousands of fields of one name is rejected at once', async () => {
  const sent = api.call('POST', '/auth/token', { apiKey: null, rawBody: 'a&'.repeat(32_000), headers: form })
  expect((await whileAnswering(sent)).result.status).toBe(401)
})

test('a huge form is rejected, even from an authenticated caller', async () => {
  const sent = api.call('POST', '/auth/token', { rawBody: `scope=${'x'.repeat(1_000_000)}`, headers: form })
  expect((await sent).body).toMatchObject({
    error: 'BAD_REQUEST',
    message: 'body must not be longer than 65536 bytes here',
  })
})

test.each([
  ['scopes', { name: 'x', scopes: Array.from({ length: 300_000 }, () => 'a') }],
  ['distinct scopes', { name: 'x', scopes: Array.from({ length: 100_000 }, (_, at) => `s${at}`) }],
  ['unknown fields', Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`f${at}`, 1]))],
])('a list or object of very many %s is rejected without a full traversal', async (_what, body) => {
  const { result } = await whileAnswering(api.call('POST', '/api-keys', { body }))
  expect(result.body).toMatchObject({ error: 'BAD_REQUEST', message: /more than 1000 items/ })
})

test('any unauthenticated request to the token route gets the common 401', async () => {
  const json = { 'content-type': 'application/json' }
  const common = (await api.get('/organizations', { apiKey: null })).body
  for (const [rawBody, headers] of [
    ['{', json],
    ['text', { 'content-type': 'text/plain' }],
    ['{"nonsense":1}', json],
    [`client_secret=${'x'.repeat(100_000)}`, form],
  ] as const) {
    const { status, body } = await api.call('POST', '/auth/token', { apiKey: null, rawBody, headers })
    expect([status, { ...body, requestId: '' }]).toEqual([401, { ...common, requestId: '' }])
  }
})

test('concurrent guesses of a secret each count against the limit', async () => {
  const guesses = Array.from({ length: 200 }, (_, at) => `svc_test_${String(at).padStart(43, 'A')}`)
  const startedAt = performance.now()
  const statuses = await Promise.all(
    guesses.map(async (apiKey) => (await api.get('/organizations', { apiKey })).status),
  )
  // Thirty each minute.
  const trickled = Math.ceil((performance.now() - startedAt) / 2_000)
  const refused = statuses.filter((status) => status === 429).length
  expect(refused).toBeGreaterThanOrEqual(165 - trickled)
  expect(statuses.filter((status) => status === 401).length).toBe(200 - refused)
})

test('an unknown resource is a 404 even when the body is unreadable', async () => {
  const path = '/organizations/0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11'
  const json = { 'content-type': 'application/json' }
  expect((await api.call('PATCH', path, { rawBody: '{', headers: json })).status).toBe(404)
  expect((await api.call('PATCH', path, { rawBody: 'x', headers: { 'content-type': 'text/plain' } })).status).toBe(404)
})

test('a long text in place of an object gets a type error', async () => {
  const { organizations } = (await api.get('/organizations')).body
  const body = { branding: 'x'.repeat(70_000) }
  const answer = await api.call('PATCH', `/organizations/${first(organizations).organizationId}`, { body })
  expect(answer.body).toMatchObject({ details: [{ field: 'branding' }] })
  expect(JSON.stringify(answer.body)).not.toContain('pieces')
})

test.each([
  ['/transactions?correlationId=a%00', 'must not contain the character NUL'],
  ['/transactions?externalId=%00', 'must not contain the character NUL'],
  ['/customers?externalId=%00', 'must not contain the character NUL'],
  ['/customers?name=%00', 'must not contain the character NUL'],
  ['/transactions?createdFrom=2025-01-01T00:00:00%2B16:00', 'must be an ISO 8601 time'],
  ['/customers?createdTo=0000-01-01T00:00:00Z', 'must be an ISO 8601 time'],
])('%s, which PostgreSQL cannot read, is refused', async (address, said) => {
  const { status, body } = await api.get(address)
  expect([status, body.message]).toEqual([400, expect.stringContaining(said)])
})

test.each(['2025-01-01T00:00:00%2B15:59', '9999-12-31T23:59:59-15:59', '0001-01-01T00:00:00%2B15:59'])(
  'the time %s is read',
  async (time) => expect((await api.get(`/transactions?createdFrom=${time}`)).status).toBe(200),
)

test('a query parameter named __proto__ is rejected like any unknown one', async () => {
  expect((await api.get('/organizations?__proto__=1')).body).toMatchObject({ error: 'BAD_REQUEST' })
})

test('a database transaction that swallowed an error does not report a commit', async () => {
  const database = openForTest(api.database.app)
  const swallowed = database.inTx(async (tx) => {
    await tx.query({ text: 'select 1/0' }).catch(() => {})
    return 'done'
  })
  await expect(swallowed).rejects.toThrow(/rolled the database transaction back/)
})

test('an IPv4 caller is recognized as the same caller on a dual-stack socket', async () => {
  const proxied = await startApi({ SVC_TRUSTED_PROXIES: '127.0.0.1', SVC_RATE_LIMIT_FAILED_AUTHENTICATION: '1' })
  const status = async (address: string) =>
    (await proxied.get('/organizations', { apiKey: 'guess', headers: { 'x-forwarded-for': address } })).status
  expect(await status('::ffff:203.0.113.9')).toBe(401)
  expect(await status('203.0.113.9')).toBe(429)
  expect(await status('203.0.113.9:4711')).toBe(429)
  expect(await status('::ffff:203.0.113.10')).toBe(401)
})

test('fields named like members of Object.prototype are rejected like any unknown field', async () => {
  const rawBody =
    '{"constructor":1,"toString":1,"__proto__":{},"customerType":"INDIVIDUAL","email":"a@example.com","kycData":{"valueOf":1}}'
  const answer = await api.call('POST', '/customers', { rawBody, headers: { 'content-type': 'application/json' } })
  const { details } = answer.body
  expect(details?.map((each) => each.field).sort()).toEqual(['__proto__', 'constructor', 'kycData.valueOf', 'toString'])
  expect(details?.every((each) => each.message === 'is not a field of this request')).toBe(true)
})

test('an error lists a limited number of problems, counts the rest and shortens unknown field names', async () => {
  const person = {
    email: 'x',
    phoneNumber: 'x',
    dateOfBirth: 'x',
    nationality: 'x',
    title: 5,
    ownershipPercentage: 101,
  }
  const body = {
    customerType: 'BUSINESS',
    email: 'a@example.com',
    kybData: { associatedPersons: Array.from({ length: 100 }, () => person) },
  }
  const { details } = (await api.post('/customers', body)).body
  expect(details).toHaveLength(501)
  expect(details?.at(-1)?.message).toBe('has 100 more problems')
  const long = { customerType: 'INDIVIDUAL', email: 'a@example.com', kycData: { [`é\n${'x'.repeat(5_000)}`]: 1 } }
  expect(JSON.stringify((await api.post('/customers', long)).body).length).toBeLessThan(1_000)
})

test('the service looks for files only in document fields', async () => {
  const lists = Array.from({ length: 100 }, () => Array.from({ length: 1_000 }, () => ({ frontIdImage: '' })))
  const sent = api.post('/customers', {
    customerType: 'INDIVIDUAL',
    email: 'a@example.com',
    kycData: { documents: lists },
  })
  const { result } = await whileAnswering(sent)
  expect(result.status).toBe(400)
  expect(JSON.stringify(result.body).length).toBeLessThan(200_000)
})
