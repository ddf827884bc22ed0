import { Webhook as Verifier } from 'standardwebhooks'
import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { actingWith, createKey, type TestApi } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'
import { runSvc } from '../../support/runner/process.ts'
import { deliveriesOf, readWebhook } from '../../support/webhooks/receiver.ts'
import { patience, second, startStories } from '../../support/webhooks/webhook-stories.ts'

/** The receiver of a webhook hears once that it is called no more, or for other types. */
const { service, receiver, begin } = await startStories()
const owner = openDatabase({ connection: service.database.owner, connections: 1 })
afterAll(() => owner.close())
type Story = Awaited<ReturnType<typeof begin>>
type Hook = Awaited<ReturnType<Story['hook']>>
type Told = { type: string; data: Record<string, unknown> }

/** Lists what Svc told a receiver of its own webhook; throws unless the first secret of the webhook has signed it. */
const toldOf = ({ webhook, received }: Hook): Told[] =>
  received()
    .map(({ body, headers }) => new Verifier(webhook.secret).verify(body, headers) as Told)
    .filter(({ type, data }) => type.startsWith('webhook.') && data.webhookId === webhook.webhookId)
const change = (api: TestApi, { webhook }: Hook, body: object) =>
  api.call('PATCH', `/webhooks/${webhook.webhookId}`, { body })
const rotate = (api: TestApi, { webhook }: Hook) => api.post(`/webhooks/${webhook.webhookId}/rotate-secret`)
const remove = (api: TestApi, { webhook }: Hook) => api.delete(`/webhooks/${webhook.webhookId}`)
const noticesOf = async (api: TestApi, { webhook }: Hook) =>
  (await deliveriesOf(api, webhook)).filter(({ formerUrl }) => formerUrl !== undefined)
const hasKey = async ({ webhook }: Hook): Promise<boolean> => {
  const [key] = await owner.query<{ isThere: boolean }>({
    text: `select key.wrapped_key is not null as "isThere" from svc.data_keys as key
             join svc.webhooks as webhook using (organization_id, data_key_id) where webhook.webhook_id = $1`,
    values: [webhook.webhookId],
  })
  return key?.isThere ?? false
}

test('one key that changes all webhooks of an organization at once is heard of by each former receiver', async () => {
  const { api, hook } = await begin()
  const [moved, narrowed, disabled, deleted, rotated] = [
    await hook(),
    await hook(),
    await hook(),
    await hook(),
    await hook(),
  ]
  const scopes = ['webhooks:read', 'webhooks:write', 'transactions:read', 'customers:read']
  const stolen = actingWith(api, (await createKey(api, { name: 'Stolen', scopes })).apiKey)
  const elsewhere = `${receiver.url}/thief`
  const changes = await Promise.all([
    change(stolen, moved, { url: elsewhere, events: ['customer.created'] }),
    change(stolen, narrowed, { events: ['customer.created'] }),
    change(stolen, disabled, { status: 'DISABLED' }),
    remove(stolen, deleted),
    rotate(stolen, rotated),
  ])
  expect(changes.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  const told = () => [moved, narrowed, disabled, deleted, rotated].map(toldOf)
  await expect
    .poll(told, patience)
    .toMatchObject([
      [{ type: 'webhook.updated', data: { url: elsewhere, previousUrl: moved.webhook.url } }],
      [{ type: 'webhook.updated', data: { events: ['customer.created'], previousEvents: ['deposit.created'] } }],
      [{ type: 'webhook.disabled', data: { disabledReason: 'REQUESTED' } }],
      [{ type: 'webhook.disabled', data: { deletedAt: expect.any(String) } }],
      [{ type: 'webhook.updated', data: { isSecretRotated: true } }],
    ])
  for (const each of [moved, narrowed, disabled, deleted, rotated])
    await expect
      .poll(() => noticesOf(api, each), patience)
      .toMatchObject([{ status: 'DELIVERED', formerUrl: each.webhook.url, webhookId: each.webhook.webhookId }])
})

test('of two changes at once, each address that was called hears of the one that ended it', async () => {
  const { api, hook, untilDueIsSent } = await begin()
  const former = await hook()
  const urls = [1, 2, 3, 4].map((at) => `${former.webhook.url}-${at}`)
  const answers = await Promise.all(urls.map((url) => change(api, former, { url })))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const { url: last } = await readWebhook(api, former.webhook)
  const endedAt = (url: string) =>
    receiver.at(new URL(url).pathname).map(({ body }) => (JSON.parse(body) as Told).data.previousUrl)
  const ended = () => [former.webhook.url, ...urls].map(endedAt)
  await expect.poll(ended, patience).toEqual([former.webhook.url, ...urls].map((url) => (url === last ? [] : [url])))
  await untilDueIsSent()
  expect(ended().flat()).toHaveLength(4)
})

test('a receiver that does not answer hears later, signed with the secret of before, and the key ends with the notice', async () => {
  const { api, hook, advance } = await begin()
  const former = await hook(500)
  expect((await change(api, former, { url: `${receiver.url}/elsewhere` })).status).toBe(200)
  await expect.poll(async () => first(await noticesOf(api, former)).attempts, patience).toHaveLength(1)
  // The second rotation ends the secret that the receiver knows.
  for (let at = 1; at <= 2; at += 1) expect((await rotate(api, former)).status).toBe(200)
  expect((await remove(api, former)).status).toBe(200)
  expect(await hasKey(former)).toBe(true)
  receiver.answer(former.path, 204)
  await advance(6 * second)
  await expect
    .poll(() => toldOf(former), patience)
    .toMatchObject([{ type: 'webhook.updated' }, { type: 'webhook.updated' }])
  await expect.poll(() => hasKey(former), patience).toBe(false)
  const [notice] = await noticesOf(api, former)
  expect(notice).toMatchObject({ status: 'DELIVERED', attempts: [{ outcome: 'REJECTED' }, { outcome: 'DELIVERED' }] })
})

test('a notice is read like a delivery, and no caller retries it', async () => {
  const { api, hook } = await begin()
  const former = await hook(500)
  await change(api, former, { events: ['deposit.updated'] })
  await expect.poll(async () => first(await noticesOf(api, former)).attempts, patience).toHaveLength(1)
  const { deliveryId, eventId } = first(await noticesOf(api, former))
  const read = (await api.get(`/webhook-deliveries/${deliveryId}`)).body
  expect(read).toMatchObject({ formerUrl: former.webhook.url, status: 'PENDING', nextAttemptAt: expect.any(String) })
  expect((await api.post(`/webhook-deliveries/${deliveryId}/retry`)).status).toBe(409)
  expect(await deliveriesOf(api, former.webhook, `&status=PENDING&eventId=${eventId}`)).toMatchObject([{ deliveryId }])
  expect(await deliveriesOf(api, former.webhook, '&status=FAILED')).toEqual([])
})

test('an address that is gone is told no more', async () => {
  const { api, hook, advance } = await begin()
  const former = await hook(410)
  await change(api, former, { url: `${receiver.url}/elsewhere` })
  await expect.poll(() => noticesOf(api, former), patience).toMatchObject([{ status: 'FAILED' }])
  await advance(6 * second)
  expect(former.received()).toHaveLength(1)
  expect(await readWebhook(api, former.webhook)).toMatchObject({ status: 'ENABLED' })
})

test('no request reaches an address that was never called', async () => {
  const { api, hook, untilDueIsSent } = await begin()
  const former = await hook()
  // Told once: the address of the same request was never called.
  expect((await change(api, former, { url: `${receiver.url}/victim`, status: 'DISABLED' })).body.status).toBe(
    'DISABLED',
  )
  await expect.poll(() => toldOf(former), patience).toMatchObject([{ type: 'webhook.updated' }])
  // A disabled webhook is not called either.
  expect((await change(api, former, { url: `${receiver.url}/another` })).status).toBe(200)
  expect((await rotate(api, former)).status).toBe(200)
  expect((await remove(api, former)).status).toBe(200)
  expect(await hasKey(former)).toBe(false)
  await untilDueIsSent()
  expect([...receiver.at('/victim'), ...receiver.at('/another')]).toEqual([])
  expect(toldOf(former)).toHaveLength(1)
})

test('a receiver whose key cannot read webhooks hears nothing of them', async () => {
  const { api, hook, untilDueIsSent } = await begin()
  const blind = actingWith(
    api,
    (await createKey(api, { name: 'Blind', scopes: ['webhooks:write', 'transactions:read'] })).apiKey,
  )
  const former = await hook()
  const { body } = await blind.post('/webhooks', { url: `${former.webhook.url}-blind`, events: ['deposit.created'] })
  expect((await api.delete(`/webhooks/${body.webhookId}`)).status).toBe(200)
  await untilDueIsSent()
  expect(receiver.at(`${former.path}-blind`)).toEqual([])
})

test('the receiver hears of the end of its key, and nothing of a webhook that the operator disabled', async () => {
  const { api, hook, untilDueIsSent } = await begin()
  const scopes = ['webhooks:read', 'webhooks:write', 'transactions:read']
  const [revoked, expiring] = [
    await createKey(api, { name: 'Revoked', scopes }),
    await createKey(api, { name: 'Expiring', scopes }),
  ]
  const own = await hook()
  const create = async (name: string, apiKey: string) => {
    const path = `${own.path}-${name}`
    const { body } = await api.post('/webhooks', { url: receiver.url + path, events: ['deposit.created'] }, { apiKey })
    return { webhook: { ...body, secret: body.secret ?? '' }, path, heard: () => [], received: () => receiver.at(path) }
  }
  const [ofRevoked, ofExpired] = [await create('revoked', revoked.apiKey), await create('expired', expiring.apiKey)]
  expect((await api.delete(`/api-keys/${revoked.apiKeyId}`)).status).toBe(200)
  await owner.query({
    text: 'update svc.webhooks set maker_expires_at = clock_timestamp() where webhook_id = $1',
    values: [ofExpired.webhook.webhookId],
  })
  await expect.poll(() => toldOf(ofRevoked), patience).toMatchObject([{ data: { disabledReason: 'KEY_REVOKED' } }])
  await expect.poll(() => toldOf(ofExpired), patience).toMatchObject([{ data: { disabledReason: 'KEY_EXPIRED' } }])
  expect(await runSvc(api, ['webhooks', 'disable', own.webhook.webhookId, '--reason', 'a test'])).toMatchObject({
    code: 0,
  })
  await untilDueIsSent()
  expect(own.received()).toEqual([])
})

test('enabling a webhook is told to the others', async () => {
  const { api, hook } = await begin()
  const [former, watching] = [await hook(), await hook(204, { events: ['webhook.updated', 'webhook.disabled'] })]
  for (const status of ['DISABLED', 'ENABLED', 'ENABLED'])
    expect((await change(api, former, { status })).body.status).toBe(status)
  const told = () => watching.received().map(({ body }): Told => JSON.parse(body))
  await expect.poll(told, patience).toMatchObject([
    { type: 'webhook.disabled', data: { webhookId: former.webhook.webhookId } },
    {
      type: 'webhook.updated',
      data: { webhookId: former.webhook.webhookId, status: 'ENABLED', previousStatus: 'DISABLED' },
    },
  ])
})

test('an organization has at most 1,000 notices; those to receivers that do not answer give way', async () => {
  const { api, hook } = await begin()
  const [former, failing] = [await hook(), await hook(500)]
  await change(api, failing, { events: ['deposit.updated'] })
  await expect.poll(async () => first(await noticesOf(api, failing)).attempts, patience).toHaveLength(1)
  // As many as there may be, of which no event was sequenced yet.
  await owner.query({
    text: `insert into svc.webhooks (organization_id, webhook_id, former_of, secret_ids, url, events, status, scopes,
             data_key_id, version, created_at, fanned_out_to)
           select organization_id, gen_random_uuid(), webhook_id, '{}', url, '{}', 'DELETED', '{webhooks:read}',
                  data_key_id, 1000 + place, svc.now(), 0
             from svc.webhooks cross join generate_series(1, 999) as place where webhook_id = $1`,
    values: [former.webhook.webhookId],
  })
  for (const refused of [
    await change(api, former, { url: `${receiver.url}/elsewhere` }),
    await change(api, former, { status: 'DISABLED' }),
    await rotate(api, former),
    await remove(api, former),
  ])
    expect([refused.status, refused.body.error]).toEqual([409, 'CONFLICT'])
  expect(await readWebhook(api, former.webhook)).toMatchObject({ status: 'ENABLED', url: former.webhook.url })
  await owner.query({
    text: `update svc.webhook_deliveries set attempts = 3 where delivery_id = $1`,
    values: [first(await noticesOf(api, failing)).deliveryId],
  })
  expect((await remove(api, former)).status).toBe(200)
  await expect.poll(() => toldOf(former), patience).toMatchObject([{ type: 'webhook.disabled' }])
  expect(await noticesOf(api, failing)).toMatchObject([{ status: 'FAILED' }])
  await owner.query({
    text: 'delete from svc.webhooks where former_of = $1 and version > 1000',
    values: [former.webhook.webhookId],
  })
})

test('a sandbox inbox recognizes the signature of a notice', async () => {
  const { api, hook } = await begin()
  const { url } = (await hook()).webhook
  const inbox = (await api.post('/sandbox/inbox')).body
  const { webhookId } = (await api.post('/webhooks', { url: inbox.url, events: ['deposit.created'] })).body
  expect((await api.call('PATCH', `/webhooks/${webhookId}`, { body: { url: `${url}-next` } })).status).toBe(200)
  const requests = async () => (await api.get(`/sandbox/inbox/${inbox.inboxId}/requests`)).body.requests
  await expect.poll(requests, patience).toMatchObject([{ signature: { outcome: 'VALID' } }])
})

test('all invariants hold', async () => {
  expect((await service.app.verify()).checks.filter(({ ok }) => !ok)).toEqual([])
})
