import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createOutboundHttp } from '../../../src/adapters/outbound-http.ts'
import { createSequencerJob } from '../../../src/db/outbox/sequencer.ts'
import { startWorker } from '../../../src/db/workers/worker.ts'
import type { SendPipelineLimits } from '../../../src/webhooks/delivery/send-pipeline.ts'
import { deliverJob, fanOutJob } from '../../../src/webhooks/jobs.ts'
import { startApi } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { patience } from '../../support/runner/patience.ts'
import {
  createWebhook,
  deliveriesOf,
  emitEvents,
  startReceiver,
  type Webhook,
} from '../../support/webhooks/receiver.ts'

/** A worker with few slots, receivers that hold their answers until the test releases them, and one quick receiver. */
async function start(slowCount: number, limits: Partial<SendPipelineLimits>) {
  const api = await startApi()
  const receiver = await startReceiver()
  const { database, sendPipelineDeps } = api.app
  const slow: Webhook[] = []
  for (let made = 0; made < slowCount; made++) {
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
  // Longer than the test: it must not pass because an attempt timed out.
  const [http, policy] = [createOutboundHttp(), { kind: 'tenant', allowLoopback: true } as const]
  const post: typeof sendPipelineDeps.outbound.post = (request) =>
    http.send({ ...request, method: 'POST', policy, timeoutMs: 60_000 })
  const delivering = { ...sendPipelineDeps, outbound: { ...sendPipelineDeps.outbound, post }, limits }
  const jobs = [createSequencerJob(database, 30_000), fanOutJob(database, 30_000), deliverJob(delivering)]
  const worker = startWorker(jobs, { pollMs: 50, onError: (job, error) => expect.unreachable(`${job}: ${error}`) })
  onTestFinished(async () => {
    letGo()
    await worker.stop()
    await http.close()
    receiver.close()
  })
  const emit = (type: 'deposit.created' | 'deposit.updated', count = 1) =>
    emitEvents(
      api,
      quick.organizationId,
      Array.from({ length: count }, () => ({ type })),
    )
  const deliveredTo = async (webhook: Webhook) => (await deliveriesOf(api, webhook, '&status=DELIVERED')).length
  return {
    held,
    letGo,
    hold: () => answerSlow((_, response) => held.set(response, performance.now())),
    heldFor: (ms: number) => [...held.values()].filter((since) => performance.now() - since > ms).length,
    tellSlow: (count = 1) => emit('deposit.created', count),
    tellQuick: async () => {
      const [eventId] = await emit('deposit.updated')
      return {
        waits: async () => expect.poll(() => deliveriesOf(api, quick), patience).toMatchObject([{ eventId }]),
        heard: async () => expect.poll(() => receiver.at('/quick').map(({ id }) => id), patience).toContain(eventId),
      }
    },
    /** The number of requests before the first one to the quick receiver. */
    heardBeforeQuick: () => receiver.received.findIndex(({ path }) => path === '/quick'),
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

test('slow receivers never delay a quick one: they share the slow slots until they are quick again', async () => {
  // On a busy machine a quick receiver may take half a second.
  const slowAfterMs = 1_500
  const { hold, letGo, held, heldFor, tellSlow, tellQuick, deliveredToSlow, lanesOfSlow } = await start(8, {
    QUICK: 2,
    SLOW: 3,
    slowAfterMs,
  })
  // Not yet known as slow: each starts on a quick slot, and gives it up once it is slow.
  hold()
  await tellSlow()
  await expect.poll(() => held.size, patience).toBeGreaterThanOrEqual(2)
  await (await tellQuick()).heard()
  await expect.poll(() => heldFor(1.2 * slowAfterMs), patience).toBe(8)
  letGo()
  await expect.poll(deliveredToSlow, patience).toBe(8)
  await expect.poll(lanesOfSlow, patience).toEqual(['SLOW'])
  // From here on they are known as slow.
  hold()
  await tellSlow()
  await expect.poll(() => held.size, patience).toBe(3)
  for (let times = 0; times < 3; times++) await (await tellQuick()).heard()
  expect(held.size).toBe(3)
  letGo()
  await expect.poll(deliveredToSlow, patience).toBe(16)
  await eventually(async () => {
    await tellSlow()
    expect(await lanesOfSlow()).toEqual(['QUICK'])
  })
})

test('a webhook with a backlog goes to the end of the queue after its session', async () => {
  const longestSessionMs = 200
  const { hold, letGo, held, heldFor, tellSlow, tellQuick, heardBeforeQuick } = await start(1, {
    QUICK: 1,
    slowAfterMs: 60_000,
    longestSessionMs,
  })
  hold()
  await tellSlow(600)
  await expect.poll(() => held.size, patience).toBe(16)
  const told = await tellQuick()
  await told.waits()
  await expect.poll(() => heldFor(longestSessionMs), patience).toBe(16)
  letGo()
  await told.heard()
  expect(heardBeforeQuick()).toBeLessThan(600)
})
