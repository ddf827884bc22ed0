import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { hashApiKey } from '../../../src/credentials/api-key.ts'
import { type Answer, createKey, startApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'

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
  ['GET', '/customers/'],
  ['GET', '/webhooks/?limit=1'],
  ['POST', '/customers//deactivate'],
] as const)('%s %s is 401 for an unknown caller and 404 for a known one', async (method, path) => {
  expectRefusal(await api.call(method, path, { apiKey: null }), 401, 'UNAUTHORIZED')
  const known = await api.call(method, path)
  expectRefusal(known, 404, 'NOT_FOUND')
  expect(known.body.details).toEqual([{ field: 'path', message: expect.stringContaining('names no operation') }])
})

test('an unknown id is told from an unknown path', async () => {
  const { body } = await api.get('/customers/0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11')
  expect([body.error, body.message, body.details]).toEqual(['NOT_FOUND', 'No resource has this id', undefined])
})

test('the holder of a key that ended learns why, and the body is the one of a stranger', async () => {
  const soon = new Date(Date.now() + 3_600_000).toISOString()
  const ended = {
    revoked: await createKey(api, validKey),
    expired: await createKey(api, { ...validKey, expiresAt: soon }),
  }
  const owner = openForTest({ connection: api.database.owner })
  const foreign = `svc_live_${'B'.repeat(43)}`
  const elsewhere = await createKey(api, { ...validKey, allowedIps: ['192.0.2.0/24'] })
  await api.delete(`/api-keys/${ended.revoked.apiKeyId}`)
  await owner.query({
    text: 'update svc.api_keys set expires_at = now() where api_key_id = $1',
    values: [ended.expired.apiKeyId],
  })
  const { apiKeyId } = await createKey(api, validKey)
  const hash = hashApiKey(foreign)
  await owner.query({ text: 'update svc.api_keys set key_hash = $2 where api_key_id = $1', values: [apiKeyId, hash] })
  const { body: toStrangers } = await api.get('/organizations', { apiKey: `svc_test_${'C'.repeat(43)}` })
  for (const [apiKey, reason] of [
    [ended.revoked.apiKey, 'The API key was revoked'],
    [ended.expired.apiKey, 'The API key has expired'],
    [foreign, 'The API key belongs to the other environment'],
    [elsewhere.apiKey, 'The API key may not be used from this address'],
  ] as const) {
    const { status, headers, body } = await api.get('/organizations', { apiKey })
    expect([status, headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer error="invalid_token", error_description="${reason}"`,
    ])
    expect(body).toEqual({ ...toStrangers, requestId: body.requestId })
  }
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

test('a text of another form is refused with an example', async () => {
  const { organizationId } = (await api.get('/organizations')).body.organizations[0] ?? {}
  const body = { branding: { primaryColor: 'red', logoUrl: 'http://example.com/a.png' }, allowedOrigins: ['x'] }
  const { details } = (await api.call('PATCH', `/organizations/${organizationId}`, { body })).body
  expect(details).toEqual([
    { field: 'branding.logoUrl', message: 'must have a form such as https://example.com/logo.png' },
    { field: 'branding.primaryColor', message: 'must have a form such as #1a4fff' },
    { field: 'allowedOrigins[0]', message: 'must have a form such as https://app.example.com' },
  ])
})

test('all failing fields are listed, beyond any library limit', async () => {
  const fields = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`unknown${at}`, 1]))
  const answer = await api.post('/api-keys', { ...validKey, ...fields })
  expect(answer.body.details).toHaveLength(60)
})

test.each([
  // body                                       message
  ['{"name": "x", ', /not valid JSON at line 1, column 15$/],
  ['{\n  "name": "x"\n  "scopes": []\n}', /not valid JSON at line 3, column 3$/],
  ['nonsense', /not valid JSON at line 1, column 1$/],
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
  ['/audit?act=nope', 400, 'BAD_REQUEST', /^act must have a form such as webhook\.changed$/],
  ['/audit?actor=nope', 400, 'BAD_REQUEST', /^actor must have a form such as api_key:/],
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
  expect((await api.delete(`/api-keys/${key.apiKeyId}`)).status).toBe(200)
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

test('bytes that are not HTTP get no answer while a request that was sent with another is being answered', async () => {
  const { hostname, port } = new URL(api.baseUrl)
  const head = `host: ${hostname}\r\nauthorization: Bearer ${api.apiKey}\r\n\r\n`
  const text = await new Promise<string>((resolve, reject) => {
    let received = ''
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET /version HTTP/1.1\r\n${head}GET /events/stream HTTP/1.1\r\n${head}`),
    )
    socket.on('data', (chunk) => {
      received += chunk
      if (received.includes('text/event-stream')) socket.write('this is not http\r\n\r\n')
    })
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
  })
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
})

test('HEAD answers like GET without a body', async () => {
  const answer = await api.call('HEAD', '/organizations')
  expect([answer.status, answer.body]).toEqual([200, ''])
})

test('no answer of the whole file was an internal error, and no log holds a credential', () => {
  expect(api.logs.filter((line) => line.includes('"status":500'))).toEqual([])
  expect(api.logs.filter((line) => line.includes(api.apiKey) || line.includes('Bearer'))).toEqual([])
})
