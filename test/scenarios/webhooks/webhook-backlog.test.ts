import { expect, test } from 'vitest'
import { createSequencerJob } from '../../../src/db/outbox/sequencer.ts'
import { actingWith, createKey, startApi } from '../../support/runner/api.ts'
import { runSvc } from '../../support/runner/process.ts'
import { createWebhook, deliveriesOf, emitEvents, type Webhook } from '../../support/webhooks/receiver.ts'

/** No worker runs: what a webhook gets when it is enabled are the events from before it was disabled. */
const api = await startApi()
const sequencer = createSequencerJob(api.app.database, 30_000)
const events = ['deposit.created']
const url = 'http://127.0.0.1:9/hook'
const patch = async ({ webhookId }: Webhook, body: object): Promise<void> => {
  expect((await api.call('PATCH', `/webhooks/${webhookId}`, { body })).status).toBe(200)
}

/** Emits sequenced events, and returns their ids. */
async function emit({ organizationId }: Webhook, count: number): Promise<string[]> {
  const emitted = await emitEvents(
    api,
    organizationId,
    Array.from({ length: count }, () => ({})),
  )
  while ((await sequencer.runBatch()) > 0);
  return emitted
}
const sentTo = async (webhook: Webhook) => (await deliveriesOf(api, webhook)).map(({ eventId }) => eventId)

const svc = async (webhook: Webhook, act: string): Promise<void> => {
  expect(await runSvc(api, ['webhooks', act, webhook.webhookId, '--reason', 'A test'])).toMatchObject({ code: 0 })
}

const changes: [string, (webhook: Webhook) => Promise<unknown>][] = [
  ['no other change', async () => {}],
  ['a new secret', ({ webhookId }) => api.post(`/webhooks/${webhookId}/rotate-secret`)],
  ['other types', (webhook) => patch(webhook, { events: [...events, 'deposit.updated'] })],
  ['another address', (webhook) => patch(webhook, { url: `${url}/other` })],
  ['another address that enables it', (webhook) => patch(webhook, { url: `${url}/other`, status: 'ENABLED' })],
  [
    'a second end by the operator',
    async (webhook) => {
      await svc(webhook, 'disable')
      await svc(webhook, 'allow')
    },
  ],
]

test.each(changes)('after %s a webhook gets no event from while it was disabled', async (_, change) => {
  const webhook = await createWebhook(api, url, { events })
  const before = await emit(webhook, 2)
  await patch(webhook, { status: 'DISABLED' })
  await emit(webhook, 3)
  await change(webhook)
  await emit(webhook, 1)
  await patch(webhook, { status: 'ENABLED' })
  expect(await sentTo(webhook)).toEqual(before)
})

test('a webhook that another key takes over gets no event from after the revocation of its key', async () => {
  const key = await createKey(api, {
    name: 'Revoked',
    scopes: ['webhooks:read', 'webhooks:write', 'transactions:read'],
  })
  const webhook = await createWebhook(actingWith(api, key.apiKey), url, { events })
  const before = await emit(webhook, 2)
  expect((await api.delete(`/api-keys/${key.apiKeyId}`)).status).toBe(200)
  await emit(webhook, 3)
  await patch(webhook, { status: 'ENABLED' })
  expect(await sentTo(webhook)).toEqual(before)
})

test('a webhook that was disabled twice gets no event from either time', async () => {
  const webhook = await createWebhook(api, url, { events })
  await patch(webhook, { status: 'DISABLED' })
  await emit(webhook, 1)
  await patch(webhook, { status: 'ENABLED' })
  const between = await emit(webhook, 2)
  await patch(webhook, { status: 'DISABLED' })
  await emit(webhook, 1)
  await patch(webhook, { events: [...events, 'deposit.updated'], status: 'ENABLED' })
  expect(await sentTo(webhook)).toEqual(between)
})
