import { expect, test } from 'vitest'
import { startApi } from '../../support/runner/api.ts'

const settings = {
  SVC_ENVIRONMENT: 'production',
  DATABASE_URL: 'postgres://svc@db.example/svc?sslmode=verify-full',
  SVC_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
  SVC_TRUSTED_PROXIES: '127.0.0.1',
  SVC_PUBLIC_URL: 'https://pay.example.com',
}
const api = await startApi(settings)
const secure = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' }

test('a live key works over HTTPS behind a trusted proxy', async () => {
  expect(api.apiKey).toMatch(/^svc_live_/)
  const answer = await api.get('/organizations', { headers: secure })
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({ organizations: [{ environment: 'production' }] })
  expect(answer.headers.get('strict-transport-security')).toMatch(/max-age=\d+/)
})

test('plain HTTP is refused, with and without a credential, except for probes', async () => {
  expect((await api.get('/organizations')).body).toMatchObject({
    error: 'FORBIDDEN',
    message: 'Use HTTPS: this service does not answer plain HTTP',
  })
  expect((await api.get('/version', { apiKey: null })).status).toBe(403)
  expect((await api.get('/livez', { apiKey: null })).status).toBe(200)
  expect((await api.get('/readyz', { apiKey: null })).status).toBe(200)
})

test('a browser gets the icon without a credential, over HTTPS', async () => {
  expect((await fetch(`${api.baseUrl}/favicon.ico`, { headers: secure })).status).toBe(200)
  expect((await fetch(`${api.baseUrl}/favicon.ico`)).status).toBe(403)
})

test('the sandbox does not exist in production', async () => {
  const answer = await api.post('/sandbox/clock', { advance: 'P1D' }, { headers: secure })
  expect([answer.status, answer.body.error]).toEqual([403, 'SANDBOX_ONLY'])
})

test('a test key is refused like any other bad credential', async () => {
  const apiKey = `svc_test_${api.apiKey.slice('svc_live_'.length)}`
  expect((await api.get('/organizations', { apiKey, headers: secure })).status).toBe(401)
})

test('only allowed addresses can read metrics', async () => {
  expect((await api.get('/metrics', { apiKey: null, headers: secure })).status).toBe(401)
  const inside = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' }
  expect((await api.get('/metrics', { apiKey: null, headers: inside })).status).toBe(200)
})
