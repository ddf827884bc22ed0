import { Webhook as Verifier } from 'standardwebhooks'
import { afterAll, expect, test } from 'vitest'
import { eventTypes } from '../../../src/lib/event-types.ts'
import { newId } from '../../../src/lib/ids.ts'
import { startApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'
import { first } from '../../support/runner/first.ts'
import { createWebhook, emitEvents, type Received, startReceiver } from '../../support/webhooks/receiver.ts'

const api = await startApi()
const worker = await api.app.startWorker()
const receiver = await startReceiver()
afterAll(async () => {
  await worker.stop()
  receiver.close()
})
let paths = 0
const freshUrl = () => `${receiver.url}/hook-${++paths}`
const pathOf = ({ url }: { url: string }) => new URL(url).pathname
const waitFor = (webhook: { url: string }, count: number): Promise<Received[]> =>
  expect
    .poll(() => receiver.at(pathOf(webhook)))
    .toHaveLength(count)
    .then(() => receiver.at(pathOf(webhook)))
/** The deposits that a webhook was told of; after a rotation its receiver hears of that, too. */
const waitForDeposits = async (webhook: { url: string }, count: number): Promise<Received[]> => {
  const deposits = () => receiver.at(pathOf(webhook)).filter(({ body }) => JSON.parse(body).type === 'deposit.created')
  await expect.poll(deposits).toHaveLength(count)
  return deposits()
}
const verify = (secret: string, { body, headers }: Received) => new Verifier(secret).verify(body, headers)

test('the Standard Webhooks library verifies every event type, and refuses any changed byte', async () => {
  const webhook = await createWebhook(api, freshUrl())
  const data = { text: 'Grüße ☃ 🎉', amount: '1.00', quoted: '"\\' }
  await emitEvents(
    api,
    webhook.organizationId,
    eventTypes.map((type) => ({ type, data })),
  )
  const received = await waitFor(webhook, eventTypes.length)
  const types = received.map((each) => (verify(webhook.secret, each) as { type: string; data: object }).type)
  expect(types.sort()).toEqual([...eventTypes].sort())
  const signed = first(received)
  const bytes = Buffer.from(signed.body)
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] as number) ^ 1
    expect(() => verify(webhook.secret, { ...signed, body: changed.toString() }), `byte ${at}`).toThrow()
  }
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
    const value = signed.headers[name] ?? ''
    const changed = name === 'webhook-timestamp' ? String(Number(value) + 1) : `${value.slice(0, -2)}aa`
    expect(() => verify(webhook.secret, { ...signed, headers: { ...signed.headers, [name]: changed } })).toThrow()
  }
})

test('both secrets sign for a day after a rotation, then only the new one', async () => {
  const webhook = await createWebhook(api, freshUrl())
  const rotated = await api.post(`/webhooks/${webhook.webhookId}/rotate-secret`)
  const secret = rotated.body.secret ?? ''
  expect(secret).not.toBe(webhook.secret)
  await emitEvents(api, webhook.organizationId, [{}])
  const during = first(await waitForDeposits(webhook, 1))
  expect(during.headers['webhook-signature']?.split(' ')).toHaveLength(2)
  for (const each of [webhook.secret, secret]) expect(verify(each, during)).toBeTruthy()

  const owner = openForTest({ connection: api.database.owner })
  await owner.query({
    text: `update svc.webhook_secrets set expires_at = expires_at - interval '24 hours' where webhook_id = $1`,
    values: [webhook.webhookId],
  })
  await emitEvents(api, webhook.organizationId, [{}])
  const after = first((await waitForDeposits(webhook, 2)).slice(1))
  expect(verify(secret, after)).toBeTruthy()
  expect(() => verify(webhook.secret, after)).toThrow()
})

test('two rotations in a row leave two secrets, not three', async () => {
  const webhook = await createWebhook(api, freshUrl())
  const rotate = async () => (await api.post(`/webhooks/${webhook.webhookId}/rotate-secret`)).body.secret ?? ''
  const [second, third] = [await rotate(), await rotate()]
  await emitEvents(api, webhook.organizationId, [{}])
  const received = first(await waitForDeposits(webhook, 1))
  for (const secret of [second, third]) expect(verify(secret, received)).toBeTruthy()
  expect(() => verify(webhook.secret, received)).toThrow()
})

test('a secret is shown once, and never stored in clear', async () => {
  const headers = { 'x-idempotency-key': newId() }
  const body = { url: freshUrl(), events: ['*'] }
  const first = await api.post('/webhooks', body, { headers })
  const again = await api.post('/webhooks', body, { headers })
  const { secret, ...rest } = first.body
  expect(again.body).toEqual(rest)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  const webhookId = rest.webhookId
  expect((await api.get(`/webhooks/${webhookId}`)).body).toEqual(rest)
  const owner = openForTest({ connection: api.database.owner })
  const stored = await owner.query({
    text: `select to_jsonb(w)::text || coalesce((select string_agg(to_jsonb(s)::text, '') from svc.webhook_secrets s), '')
                  as text from svc.webhooks w`,
  })
  const bytes = Buffer.from(secret?.slice(6) ?? '', 'base64')
  for (const form of [secret ?? '', bytes.toString('hex'), bytes.toString('base64')]) {
    expect(JSON.stringify(stored)).not.toContain(form)
    expect(api.logs.join()).not.toContain(form)
  }
})
