import { createRemoteJWKSet, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { deriveKey, openDeploymentSecret } from '../../../src/encryption/deployment-secrets.ts'
import { createLocalMasterKeys } from '../../../src/encryption/master-keys.ts'
import { openSealed } from '../../../src/encryption/seal.ts'
import type { BodyOf } from '../../support/runner/answers.ts'
import { type Answer, createKey, startApi, testMasterKey } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { first } from '../../support/runner/first.ts'
import { makeHostileTokens } from '../../support/secrets/hostile-tokens.ts'

const api = await startApi()
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const tokenOf = ({ body }: Answer<BodyOf<'POST /auth/token'>>) => ({ apiKey: body.access_token })
const apiKeyId = (await api.get('/api-keys')).body.apiKeys[0]?.apiKeyId ?? ''
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})

test('an API key as bearer becomes a token with its scopes for 30 minutes', async () => {
  const answer = await api.post('/auth/token')
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({
    token_type: 'Bearer',
    expires_in: 1800,
    scope: expect.stringContaining('ledger:write'),
  })
  expect((await api.get('/organizations', tokenOf(answer))).status).toBe(200)
})

test.each([
  [
    'a form',
    { rawBody: `grant_type=client_credentials&client_id=${apiKeyId}&client_secret=${api.apiKey}`, headers: form },
  ],
  ['JSON', { body: { grant_type: 'client_credentials', client_id: apiKeyId, client_secret: api.apiKey } }],
  ['JSON without id', { body: { grant_type: 'client_credentials', client_secret: api.apiKey } }],
  ['HTTP Basic', { rawBody: 'grant_type=client_credentials', headers: { ...form, ...basic(apiKeyId, api.apiKey) } }],
])('OAuth 2.0 client credentials work as %s', async (_how, sent) => {
  const answer = await api.call('POST', '/auth/token', { apiKey: null, ...sent })
  expect(answer.body).toMatchObject({ token_type: 'Bearer' })
  expect((await api.get('/organizations', tokenOf(answer))).status).toBe(200)
})

test.each([
  ['nothing', {}],
  ['a wrong secret', { body: { grant_type: 'client_credentials', client_secret: 'svc_test_wrong' } }],
  ['another id', { body: { grant_type: 'client_credentials', client_id: 'other', client_secret: api.apiKey } }],
  ['a wrong Basic secret', { headers: basic(apiKeyId, 'x') }],
  ['another Basic id', { headers: basic('other', api.apiKey) }],
  ['a huge form', { rawBody: `client_secret=${'x'.repeat(100_000)}`, headers: form }],
])('client credentials with %s are 401', async (_what, sent) => {
  const answer = await api.call('POST', '/auth/token', { apiKey: null, ...sent })
  expect([answer.status, answer.body.error]).toEqual([401, 'UNAUTHORIZED'])
})

test('a token can have fewer scopes than its key, never more, and cannot issue tokens', async () => {
  const narrow = await api.post('/auth/token', { scope: 'organizations:read events:read' })
  expect(narrow.body).toMatchObject({ scope: 'organizations:read events:read' })
  expect((await api.get('/organizations', tokenOf(narrow))).status).toBe(200)
  const refused = await api.get('/api-keys', tokenOf(narrow))
  expect([refused.status, refused.body.message]).toEqual([403, 'This credential lacks the scope api_keys:read'])
  expect((await api.post('/auth/token', undefined, tokenOf(narrow))).status).toBe(401)

  const limited = await createKey(api, { name: 'Quotes', scopes: ['quotes:read'] })
  const wider = await api.post('/auth/token', { scope: 'quotes:read quotes:write' }, limited)
  expect([wider.status, wider.body.message]).toEqual([403, expect.stringContaining('quotes:write')])
  expect((await api.post('/auth/token', { scope: 'everything' })).body).toMatchObject({
    error: 'BAD_REQUEST',
    message: /^scope/,
  })
})

test('any JOSE library verifies a token with the published keys', async () => {
  const { access_token } = (await api.post('/auth/token')).body
  const keys = createRemoteJWKSet(new URL(`${api.baseUrl}/.well-known/jwks.json`))
  const { payload, protectedHeader } = await jwtVerify(access_token, keys, { audience: 'svc:sandbox', issuer: 'svc' })
  expect(protectedHeader).toMatchObject({ alg: 'EdDSA', typ: 'at+jwt' })
  expect(payload).toMatchObject({ sub: apiKeyId, scope: expect.any(String) })
  const jwks = (await api.get('/.well-known/jwks.json', { apiKey: null })).body
  for (const key of jwks.keys) expect(key).not.toHaveProperty('d')
})

test('forged tokens are refused, all with the same body', async () => {
  const good = tokenOf(await api.post('/auth/token')).apiKey
  const jwk = first((await api.get('/.well-known/jwks.json')).body.keys)
  const hostile = makeHostileTokens(good, jwk, await readPrivateKey(jwk.kid))
  expect(hostile.length).toBeGreaterThanOrEqual(25)
  const bodies = new Set<string>()
  for (const [what, token] of hostile) {
    const answer = await api.get('/organizations', { apiKey: token })
    expect([what, answer.status]).toEqual([what, 401])
    const isOurs = what === 'expired' || what === 'a life of ten years from long ago'
    const reason = 'Bearer error="invalid_token", error_description="The token has expired"'
    expect([what, answer.headers.get('www-authenticate')]).toEqual([what, isOurs ? reason : 'Bearer'])
    bodies.add(JSON.stringify({ ...answer.body, requestId: '' }))
  }
  const common = await api.get('/organizations', { apiKey: null })
  bodies.add(JSON.stringify({ ...common.body, requestId: '' }))
  expect(bodies.size).toBe(1)
  // The test can fail: unchanged, the same code makes a token that is accepted.
  expect((await api.get('/organizations', { apiKey: good })).status).toBe(200)
})

test('revoking a key revokes its tokens', async () => {
  const key = await createKey(api, { name: 'Short', scopes: ['organizations:read'] })
  const token = tokenOf(await api.post('/auth/token', undefined, key))
  expect((await api.get('/organizations', token)).status).toBe(200)
  await api.delete(`/api-keys/${key.apiKeyId}`)
  await expect.poll(async () => (await api.get('/organizations', token)).status).toBe(401)
  expect((await api.get('/organizations', token)).headers.get('www-authenticate')).toBe(
    'Bearer error="invalid_token", error_description="The API key was revoked: the token is of this key"',
  )
})

test('the signing key rotates without downtime: old and new tokens work side by side', async () => {
  const before = tokenOf(await api.post('/auth/token'))
  const keyIdOf = ({ apiKey }: typeof before): string =>
    JSON.parse(Buffer.from(apiKey.split('.')[0] ?? '', 'base64url').toString()).kid
  // Not in the past: the first key may be younger than that, and would continue to sign.
  await api.app.tokens.rotate(Date.now())
  const after = await eventually(async () => {
    const token = tokenOf(await api.post('/auth/token'))
    expect(keyIdOf(token)).not.toBe(keyIdOf(before))
    return token
  })
  const keyIds = [before, after].map(keyIdOf)
  for (const token of [before, after]) expect((await api.get('/organizations', token)).status).toBe(200)
  const jwks = (await api.get('/.well-known/jwks.json')).body
  expect(jwks.keys.map((key) => key.kid)).toEqual(expect.arrayContaining(keyIds))
})

/** Signs as only the service can: with the master key. */
async function readPrivateKey(keyId: string) {
  const database = openForTest(api.database.app)
  const secret = await openDeploymentSecret(database, createLocalMasterKeys(testMasterKey, []), 'deployment')
  const [row] = await database.query<{ sealed: Buffer }>({
    text: 'select sealed_private_key as sealed from svc.signing_keys where key_id = $1',
    values: [keyId],
  })
  const place = { organizationId: '', table: 'signing_keys', row: keyId, column: 'private_key' }
  return JSON.parse(openSealed(deriveKey(secret, 'signing keys'), row?.sealed ?? Buffer.alloc(0), place).toString())
}
