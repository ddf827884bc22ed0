import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { type Answer, createKey, startApi } from '../../support/runner/api.ts'

const api = await startApi()
const unknownId = '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11'
const validKey = { name: 'Shop', scopes: ['organizations:read'] }

function expectRefusal(answer: Answer, status: number, error: string, message?: RegExp): void {
  expect(answer.body).toMatchObject({ error, statusCode: status, requestId: answer.headers.get('x-request-id') })
  expect(answer.status).toBe(status)
  const allowed = ['error', 'message', 'statusCode', 'requestId', 'details']
  expect(Object.keys(answer.body).filter((name) => !allowed.includes(name))).toEqual([])
  if (message) expect(answer.body.message).toMatch(message)
}

test.each([
  // label                                credential
  ['no credential', null],
  ['an empty one', ''],
  ['one that is not a key', 'hello'],
  ['an unknown key', `svc_test_${'A'.repeat(43)}`],
  ['a key of the other environment', `svc_live_${'A'.repeat(43)}`],
] as const)('%s is refused with the common 401', async (_what, apiKey) => {
  const answer = await api.get('/organizations', { apiKey })
  expectRefusal(answer, 401, 'UNAUTHORIZED')
  expect(answer.headers.get('www-authenticate')).toBe('Bearer')
})

test.each([
  ['GET', '/nothing-here'],
  ['POST', '/organizations/x/y/z'],
  ['PUT', '/livez/deeper'],
] as const)('%s %s is 401 for an unknown caller and 404 for a known one', async (method, path) => {
  expectRefusal(await api.call(method, path, { apiKey: null }), 401, 'UNAUTHORIZED')
  expectRefusal(await api.call(method, path), 404, 'NOT_FOUND')
})

test('a wrong method is 405 and lists the allowed ones', async () => {
  const answer = await api.call('PUT', '/api-keys', { body: {} })
  expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED')
  expect(answer.headers.get('allow')).toBe('POST, GET, HEAD')
})

test('every failing field is listed at once, and the message names the first', async () => {
  const answer = await api.post('/api-keys', {
    name: '',
    scopes: ['all', 'customers:read'],
    colour: 'red',
    expiresAt: 'soon',
  })
  expectRefusal(answer, 400, 'BAD_REQUEST')
  const { details } = answer.body
  expect(details?.map((each) => each.field).sort()).toEqual(['colour', 'expiresAt', 'name', 'scopes[0]'])
  expect(answer.body.message).toBe(`${details?.[0]?.field} ${details?.[0]?.message}`)
  expect(details?.find((each) => each.field === 'colour')?.message).toBe('is not a field of this request')
})

test('all failing fields are listed, beyond any library limit', async () => {
  const fields = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`unknown${at}`, 1]))
  const answer = await api.post('/api-keys', { ...validKey, ...fields })
  expect(answer.body.details).toHaveLength(60)
})

test.each([
  // body                                       message
  ['{"name": "x", ', /not valid JSON/],
  ['nonsense', /not valid JSON/],
  ['[]', /body must be an object/],
  ['null', /body must be an object|name is required/],
  ['"text"', /body must be an object/],
  [`{"__proto__": {"scopes": []}, "name": "x", "scopes": ["api_keys:read"]}`, /__proto__ is not a field/],
  [`{"constructor": 1, "name": "x", "scopes": ["api_keys:read"]}`, /constructor is not a field/],
  [`${'['.repeat(33)}${']'.repeat(33)}`, /deeper than 32/],
  [`{"name": "\uD800", "scopes": ["api_keys:read"]}`.replace('\uD800', '\\ud800'), null],
] as const)('the body %s is refused with a clear message', async (rawBody, message) => {
  const answer = await api.call('POST', '/api-keys', { rawBody, headers: { 'content-type': 'application/json' } })
  if (message === null) expect(answer.status).toBeLessThan(500)
  else expectRefusal(answer, 400, 'BAD_REQUEST', message)
})

test('bytes that are not UTF-8 are refused', async () => {
  const rawBody = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])
  const answer = await api.call('POST', '/api-keys', { rawBody, headers: { 'content-type': 'application/json' } })
  expectRefusal(answer, 400, 'BAD_REQUEST', /UTF-8/)
})

test.each([
  ['text/plain', {}],
  ['application/xml', {}],
  ['application/json; charset=latin1', {}],
  ['application/json', { 'content-encoding': 'gzip' }],
] as const)('a body sent as %s %o is 415', async (type, more) => {
  const headers = { 'content-type': type, ...more }
  expectRefusal(await api.call('POST', '/api-keys', { rawBody: '{}', headers }), 415, 'UNSUPPORTED_MEDIA_TYPE')
})

test.each(['text/plain', 'application/json', 'application/x-www-form-urlencoded'])(
  'an empty body of type %s counts as no body',
  async (type) => {
    const answer = await api.call('POST', '/api-keys', { rawBody: '', headers: { 'content-type': type } })
    expectRefusal(answer, 400, 'BAD_REQUEST', /^name is required/)
  },
)

test('a body where none is expected is refused by its fields', async () => {
  const answer = await api.call('DELETE', `/api-keys/${unknownId}`, { body: { force: true } })
  expectRefusal(answer, 400, 'BAD_REQUEST', /^force /)
})

test.each([
  ['/organizations/not-a-uuid', 400, 'BAD_REQUEST', /^organizationId must be a UUID/],
  [`/organizations/${unknownId}`, 404, 'NOT_FOUND', /./],
  ['/organizations?pageSize=0', 400, 'BAD_REQUEST', /^pageSize must be at least 1/],
  ['/organizations?pageSize=101', 400, 'BAD_REQUEST', /^pageSize must be at most 100/],
  ['/organizations?pageSize=ten', 400, 'BAD_REQUEST', /^pageSize must be a whole number/],
  ['/organizations?pageSize=5&pageSize=6', 400, 'BAD_REQUEST', /^pageSize must be given only once/],
  ['/organizations?colour=red', 400, 'BAD_REQUEST', /^colour is not a field/],
  ['/organizations?pageToken=tampered', 400, 'BAD_REQUEST', /^pageToken /],
  ['/organizations/%zz', 400, 'BAD_REQUEST', /./],
] as const)('%s is %i %s', async (path, status, error, message) => {
  expectRefusal(await api.get(path), status, error, message)
})

test('a missing scope is 403 and named, before the body is read', async () => {
  const limited = await createKey(api, validKey)
  expectRefusal(await api.post('/api-keys', { nonsense: 1 }, limited), 403, 'FORBIDDEN', /api_keys:write/)
  expect((await api.get('/organizations', limited)).status).toBe(200)
})

test('a key cannot grant what it does not have', async () => {
  const limited = await createKey(api, { name: 'Keys only', scopes: ['api_keys:write'] })
  const wanted = { name: 'More', scopes: ['api_keys:write', 'ledger:read'] }
  expectRefusal(await api.post('/api-keys', wanted, limited), 403, 'FORBIDDEN', /ledger:read/)
})

test('a revoked and an expired key are refused', async () => {
  const key = await createKey(api, validKey)
  expect((await api.get('/organizations', key)).status).toBe(200)
  expect((await api.delete(`/api-keys/${key.apiKeyId}`)).status).toBe(200)
  expectRefusal(await api.get('/organizations', key), 401, 'UNAUTHORIZED')
  expectRefusal(await api.delete(`/api-keys/${key.apiKeyId}`), 404, 'NOT_FOUND')
  const past = { ...validKey, expiresAt: '2020-01-01T00:00:00Z' }
  expectRefusal(await api.post('/api-keys', past), 400, 'BAD_REQUEST', /^expiresAt must be in the future/)
})

test('a valid request id is kept, any other is replaced', async () => {
  const own = await api.get('/version', { headers: { 'x-request-id': 'order-42.try_1' } })
  expect(own.headers.get('x-request-id')).toBe('order-42.try_1')
  const strange = await api.get('/version', { headers: { 'x-request-id': 'a b"c' } })
  expect(strange.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})

test.each(['2025-11-07', '2025-11-14', '2025-11-19', '2025-11-21'])(
  'version %s is accepted and echoed',
  async (version) => {
    const answer = await api.get('/organizations', { headers: { 'x-api-version': version } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-api-version')).toBe(version)
  },
)

test('an unknown version is refused, and the newest is the default', async () => {
  const unknown = await api.get('/organizations', { headers: { 'x-api-version': '2024-01-01' } })
  expectRefusal(unknown, 400, 'BAD_REQUEST', /^x-api-version /)
  expect((await api.get('/organizations')).headers.get('x-api-version')).toBe('2025-11-21')
})

test('bytes that are not HTTP get the common error body', async () => {
  const { hostname, port } = new URL(api.baseUrl)
  const text = await new Promise<string>((resolve, reject) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.write('\u0016\u0003\u0001 this is not http\r\n\r\n'))
    socket.on('data', (chunk) => (received += chunk))
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
  })
  expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request/)
  expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: 'BAD_REQUEST', statusCode: 400 })
})

test('HEAD answers like GET without a body', async () => {
  const answer = await api.call('HEAD', '/organizations')
  expect([answer.status, answer.body]).toEqual([200, ''])
})

test('no answer of the whole file was an internal error, and no log holds a credential', () => {
  expect(api.logs.filter((line) => line.includes('"status":500'))).toEqual([])
  expect(api.logs.filter((line) => line.includes(api.apiKey) || line.includes('Bearer'))).toEqual([])
})
