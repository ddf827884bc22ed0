import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { startApi } from '../../support/runner/api.ts'

/** Authentication of callbacks. Their effects are tested in verification-provider.test.ts. */
const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
const settings = {
  SVC_VERIFICATION_PROVIDER_URL: 'https://identity.example.com',
  SVC_VERIFICATION_PROVIDER_SECRET: secret,
}
const api = await startApi(settings)

const sign = (body: string, { by = secret, at = new Date(), id = 'msg_1' } = {}) => ({
  'content-type': 'application/json',
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
  'webhook-signature': new Webhook(by).sign(id, at, body),
})
const about = (reference: string) => JSON.stringify({ reference })
const stranger = `whsec_${Buffer.alloc(32, 66).toString('base64')}`
const minutesAgo = (minutes: number) => new Date(Date.now() - 60_000 * minutes)
const huge = JSON.stringify({ reference: newId(), more: 'x'.repeat(70_000) })

test.each([
  ['nothing', about(newId()), {}],
  ['an API key', about(newId()), { authorization: `Bearer ${api.apiKey}`, 'content-type': 'application/json' }],
  ['another secret', about(newId()), sign(about(newId()), { by: stranger })],
  ['a signature of another body', about(newId()), sign(about(newId()))],
  ['a signature six minutes old', about(''), sign(about(''), { at: minutesAgo(6) })],
  ['a signature an hour early', about(''), sign(about(''), { at: minutesAgo(-60) })],
  ['a body that is too long', huge, sign(huge)],
  ['no JSON and no signature', '{', { 'content-type': 'application/json' }],
  ['a form and no signature', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }],
])('a callback with %s gets the common 401', async (_what, rawBody, headers) => {
  const refused = await api.call('POST', '/verification/callbacks', { apiKey: null, rawBody, headers })
  const anywhere = await api.get('/customers', { apiKey: null })
  expect(refused.status).toBe(401)
  expect({ ...refused.body, requestId: '' }).toEqual({ ...anywhere.body, requestId: '' })
})

test.each([
  ['an unknown reference', about(newId()), 200],
  ['additional fields', JSON.stringify({ reference: newId(), status: 'APPROVED', type: 'x' }), 200],
  ['no reference', '{}', 400],
  ['an invalid reference', about('1 or 1=1'), 400],
  ['no JSON', '{', 400],
  ['no body at all', '', 400],
])('a signed callback with %s', async (_what, rawBody, status) => {
  const answer = await api.call('POST', '/verification/callbacks', { apiKey: null, rawBody, headers: sign(rawBody) })
  expect(answer.status).toBe(status)
})

test('a callback with a bad signature counts as a failed authentication', async () => {
  const strict = await startApi({ ...settings, SVC_RATE_LIMIT_FAILED_AUTHENTICATION: '1' })
  const statuses = []
  for (let at = 0; at < 5; at += 1) {
    const rawBody = about(newId())
    const headers = sign(rawBody, { by: stranger })
    statuses.push((await strict.call('POST', '/verification/callbacks', { apiKey: null, rawBody, headers })).status)
  }
  expect(statuses).toEqual([401, 429, 429, 429, 429])
  const rawBody = about(newId())
  const honest = await strict.call('POST', '/verification/callbacks', { apiKey: null, rawBody, headers: sign(rawBody) })
  expect(honest.status).toBe(200)
})

test('without a configured provider every callback is refused', async () => {
  const alone = await startApi()
  const rawBody = about(newId())
  const answer = await alone.call('POST', '/verification/callbacks', { apiKey: null, rawBody, headers: sign(rawBody) })
  expect(answer.status).toBe(401)
})
