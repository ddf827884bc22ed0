import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { makeOutboundHttp } from '../src/adapters/outbound-http.ts'
import { makeSequencerJob } from '../src/db/sequencer.ts'
import { startWorker } from '../src/db/work.ts'
import { deliverJob, fanOutJob } from '../src/webhooks/jobs.ts'
import { startApi } from './support/api.ts'
import { eventually } from './support/eventually.ts'
import { patience } from './support/patience.ts'
import { createWebhook, deliveriesOf, emitEvents, startReceiver, type Webhook } from './support/receiver.ts'

const slowAfterMs = 500

/** A worker with few places, eight receivers that keep it waiting until the test lets go, and one that never does. */
async function start(places: { QUICK: number; SLOW: number }) {
  const api = await startApi()
  const receiver = await startReceiver()
  const { database, sending } = api.app
  const slow: Webhook[] = []
  for (let made = 0; made < 8; made++) {
    slow.push(await createWebhook(api, `${receiver.url}/slow-${made}`, { events: ['deposit.created'] }))
  }
  const quick = await createWebhook(api, `${receiver.url}/quick`, { events: ['deposit.updated'] })
  const held = new Map<ServerResponse, number>()
  const answerSlow = (answer: Parameters<typeof receiver.answer>[1]) => {
    for (const { url } of slow) receiver.answer(new URL(url).pathname, answer)
  }
  const letGo = () => {
    answerSlow(204)
    for (const response of held.keys()) response.writeHead(204).end()
    held.clear()
  }
  // Longer than the test, which must not pass because somebody was given up on.
  const [http, policy] = [makeOutboundHttp(), { kind: 'tenant', allowLoopback: true } as const]
  const post: typeof sending.outbound.post = (request) =>
    http.send({ ...request, method: 'POST', policy, timeoutMs: 60_000 })
  const delivering = { ...sending, outbound: { ...sending.outbound, post }, limits: { ...places, slowAfterMs } }
  const jobs = [makeSequencerJob(database, 30_000), fanOutJob(database, 30_000), deliverJob(delivering)]
  const worker = startWorker(jobs, { pollMs: 50, onError: (job, error) => expect.unreachable(`${job}: ${error}`) })
  onTestFinished(async () => {
    letGo()
    await worker.stop()
    await http.close()
    receiver.close()
  })
  const emit = (type: 'deposit.created' | 'deposit.updated') => emitEvents(api, quick.organizationId, [{ type }])
  const deliveredTo = async (webhook: Webhook) => (await deliveriesOf(api, webhook, '&status=DELIVERED')).length
  return {
    ...{ held, letGo },
    hold: () => answerSlow((_, response) => held.set(response, performance.now())),
    heldForLong: () => [...held.values()].filter((since) => performance.now() - since > 1.2 * slowAfterMs).length,
    tellSlow: () => emit('deposit.created'),
    tellQuick: async () => {
      const [eventId] = await emit('deposit.updated')
      await expect.poll(() => receiver.at('/quick').map(({ id }) => id), patience).toContain(eventId)
    },
    deliveredToSlow: async () => (await Promise.all(slow.map(deliveredTo))).reduce((sum, count) => sum + count),
    lanesOfSlow: async () => {
      const rows = await database.query<{ lane: string }>({
        text: 'select distinct lane from svc.webhooks where webhook_id <> $1',
        values: [quick.webhookId],
      })
      return rows.map(({ lane }) => lane)
    },
  }
}

test('however many receivers are slow, one that answers waits for none: those share places until they are quick', async () => {
  const { hold, letGo, held, heldForLong, tellSlow, tellQuick, deliveredToSlow, lanesOfSlow } = await start({
    QUICK: 2,
    SLOW: 3,
  })
  // They come as a surprise: each is found out on a place among the quick, and gives it up.
  hold()
  await tellSlow()
  await expect.poll(() => held.size, patience).toBeGreaterThanOrEqual(2)
  await tellQuick()
  await expect.poll(heldForLong, patience).toBe(8)
  letGo()
  await expect.poll(deliveredToSlow, patience).toBe(8)
  await expect.poll(lanesOfSlow, patience).toEqual(['SLOW'])
  // From now on they are known.
  hold()
  await tellSlow()
  await expect.poll(() => held.size, patience).toBe(3)
  for (let times = 0; times < 3; times++) await tellQuick()
  expect(held.size).toBe(3)
  letGo()
  await expect.poll(deliveredToSlow, patience).toBe(16)
  await eventually(async () => {
    await tellSlow()
    expect(await lanesOfSlow()).toEqual(['QUICK'])
  })
})
