import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { startMortal } from '../../support/faults/mortal.ts'
import { startApi } from '../../support/runner/api.ts'
import { createWebhook, deliveriesOf, emitEvents, startReceiver } from '../../support/webhooks/receiver.ts'

const kills = process.env.SVC_TEST_FORM === 'long' ? 15 : 5
const settings = { SVC_LEASE_MS: '500' }
const patience = { timeout: 30_000, interval: 50 }

async function start() {
  const api = await startApi(settings)
  const receiver = await startReceiver()
  onTestFinished(receiver.close)
  return { api, receiver }
}

test.each([
  ['after it claimed a webhook', { point: 'claimed', times: 1 }],
  ['after it sent, before it recorded', { point: 'sent', times: 7 }],
  ['after it recorded, before it went on', { point: 'recorded', times: 1 }],
])(
  'a worker killed %s loses nothing, and what is unrecorded is sent again by the next',
  async (_when, dieAt) => {
    const { api, receiver } = await start()
    const webhooks = [await createWebhook(api, `${receiver.url}/one`), await createWebhook(api, `${receiver.url}/two`)]
    const organizationId = webhooks[0]?.organizationId ?? ''
    const resources = Array.from({ length: 6 }, () => newId())
    const ids: string[] = []
    for (let kill = 1; kill <= kills; kill++) {
      const changes = resources.map((resourceId) => ({ resourceId, resourceVersion: kill, data: { kill } }))
      ids.push(...(await emitEvents(api, organizationId, changes)))
      const [, signal] = await once(startMortal(api, { settings, dieAt }).child, 'exit')
      expect(signal).toBe('SIGKILL')
    }
    const worker = await api.app.startWorker()
    onTestFinished(() => worker.stop())
    for (const webhook of webhooks) {
      const delivered = async () => (await deliveriesOf(api, webhook, '&status=DELIVERED')).length
      await expect.poll(delivered, patience).toBe(ids.length)
      expect((await deliveriesOf(api, webhook)).map(({ eventId }) => eventId).sort()).toEqual([...ids].sort())
      const heard = receiver.at(new URL(webhook.url).pathname).map(({ body }) => JSON.parse(body))
      expect(new Set(heard.map(({ id }) => id))).toEqual(new Set(ids))
      // Told twice perhaps, but never the later one first.
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
  180_000,
)

test('a worker that was stopped past its lease records nothing when it goes on', async () => {
  const { api, receiver } = await start()
  const held: ServerResponse[] = []
  receiver.answer('/zombie', (_, response) => held.push(response))
  const webhook = await createWebhook(api, `${receiver.url}/zombie`)
  const zombie = startMortal(api, { settings })
  await zombie.passes('started')
  await emitEvents(api, webhook.organizationId, [{}])
  await expect.poll(() => held, patience).toHaveLength(1)
  zombie.child.kill('SIGSTOP')
  const worker = await api.app.startWorker()
  onTestFinished(() => worker.stop())
  await expect.poll(() => held, patience).toHaveLength(2)

  // What the zombie is told, and would record: an address that is gone.
  held[0]?.writeHead(410).end()
  zombie.child.kill('SIGCONT')
  await zombie.passes('lease lost')
  expect(await deliveriesOf(api, webhook)).toMatchObject([{ status: 'PENDING', attempts: [] }])
  held[1]?.writeHead(204).end()
  const delivered = { status: 'DELIVERED', attempts: [{ statusCode: 204 }] }
  await expect.poll(() => deliveriesOf(api, webhook), patience).toMatchObject([delivered])
  expect((await api.get(`/webhooks/${webhook.webhookId}`)).body).toMatchObject({ status: 'ENABLED' })
})
