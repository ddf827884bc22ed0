import type { ServerResponse } from 'node:http'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { startMortal } from '../../support/faults/mortal.ts'
import { actingWith, startApi } from '../../support/runner/api.ts'
import { playRounds, roundsTimeoutMs } from '../../support/runner/form.ts'
import { createWebhook, deliveriesOf, emitEvents, startReceiver } from '../../support/webhooks/receiver.ts'

const service = await startApi({ SVC_LEASE_MS: '500', SVC_RATE_LIMIT_SANDBOX: '0' })
const receiver = await startReceiver()
afterAll(receiver.close)
/** A short lease for the workers that die, so that the next one does not wait long. */
const settings = { SVC_LEASE_MS: '150' }
const patience = { interval: 50 }

/** A separate organization, which gets no events of the others. */
async function start() {
  const { organizations, credentials } = service.app
  const { organizationId } = await organizations.create({ name: 'Told', tier: 'BUILDER', parentOrganizationId: null })
  const api = actingWith(service, (await credentials.createFullKey('Told', organizationId)).apiKey)
  return { api, organizationId, path: (name: string) => `${receiver.url}/${organizationId}/${name}` }
}

test.each([
  ['after it claimed a webhook', { point: 'claimed', times: 1 }],
  ['after it sent, before it recorded', { point: 'sent', times: 7 }],
  ['after it recorded, before the next delivery', { point: 'recorded', times: 1 }],
])(
  'a worker killed %s loses no event, and the next one retries unrecorded deliveries',
  async (_when, dieAt) => {
    const { api, organizationId, path } = await start()
    const deposits = { events: ['deposit.created'] }
    const webhooks = [await createWebhook(api, path('one'), deposits), await createWebhook(api, path('two'), deposits)]
    const resources = Array.from({ length: 6 }, () => newId())
    const ids: string[] = []
    await playRounds({ short: 2, full: 15 }, async (kill) => {
      const changes = resources.map((resourceId) => ({ resourceId, resourceVersion: kill + 1, data: { kill } }))
      ids.push(...(await emitEvents(api, organizationId, changes)))
      expect(await startMortal(api, { settings, dieAt }).died).toBe('SIGKILL')
    })
    const worker = await api.app.startWorker()
    onTestFinished(() => worker.stop())
    for (const webhook of webhooks) {
      const delivered = async () => (await deliveriesOf(api, webhook, '&status=DELIVERED')).length
      await expect.poll(delivered, patience).toBe(ids.length)
      expect((await deliveriesOf(api, webhook)).map(({ eventId }) => eventId).sort()).toEqual([...ids].sort())
      const heard = receiver.at(new URL(webhook.url).pathname).map(({ body }) => JSON.parse(body))
      expect(new Set(heard.map(({ id }) => id))).toEqual(new Set(ids))
      // A duplicate is possible, but never a later event first.
      const firstTold = [...new Map(heard.toReversed().map((event) => [event.id, event])).values()].toReversed()
      const versions = new Map<string, number[]>()
      for (const { id, resourceVersion } of firstTold) {
        const resource = resources[ids.indexOf(id) % resources.length] ?? ''
        versions.set(resource, [...(versions.get(resource) ?? []), resourceVersion])
      }
      for (const told of versions.values()) expect(told).toEqual([...told].sort((a, b) => a - b))
      const bodies = new Map(heard.map((event) => [event.id, new Set<string>()]))
      for (const { id, body } of receiver.at(new URL(webhook.url).pathname)) bodies.get(id)?.add(body)
      for (const seen of bodies.values()) expect(seen.size).toBe(1)
    }
    const { checks } = await api.app.verify()
    expect(checks.filter(({ ok }) => !ok)).toEqual([])
  },
  roundsTimeoutMs,
)

test('a worker stopped past its lease records nothing when it continues', async () => {
  const { api, path } = await start()
  const held: ServerResponse[] = []
  const url = path('zombie')
  receiver.answer(new URL(url).pathname, (_, response) => held.push(response))
  const webhook = await createWebhook(api, url)
  const zombie = startMortal(api, { settings })
  await zombie.passes('started')
  await emitEvents(api, webhook.organizationId, [{}])
  await expect.poll(() => held, patience).toHaveLength(1)
  zombie.child.kill('SIGSTOP')
  const worker = await api.app.startWorker()
  onTestFinished(() => worker.stop())
  await expect.poll(() => held, patience).toHaveLength(2)

  // The stopped worker gets a 410, which it would record.
  held[0]?.writeHead(410).end()
  zombie.child.kill('SIGCONT')
  await zombie.passes('lease lost')
  expect(await deliveriesOf(api, webhook)).toMatchObject([{ status: 'PENDING', attempts: [] }])
  held[1]?.writeHead(204).end()
  const delivered = { status: 'DELIVERED', attempts: [{ statusCode: 204 }] }
  await expect.poll(() => deliveriesOf(api, webhook), patience).toMatchObject([delivered])
  expect((await api.get(`/webhooks/${webhook.webhookId}`)).body).toMatchObject({ status: 'ENABLED' })
})
