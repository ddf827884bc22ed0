import { expect, onTestFinished, test } from 'vitest'
import { createOutboundHttp } from '../../../src/adapters/outbound-http.ts'
import { createWebhookOutbound } from '../../../src/adapters/webhook-outbound.ts'
import { createSequencerJob } from '../../../src/db/outbox/sequencer.ts'
import { startWorker } from '../../../src/db/workers/worker.ts'
import { deliverJob, fanOutJob } from '../../../src/webhooks/jobs.ts'
import { startApi } from '../../support/runner/api.ts'
import { patience } from '../../support/runner/patience.ts'
import { createWebhook, deliveriesOf, emitEvents } from '../../support/webhooks/receiver.ts'

test('the log names a webhook whose receiver resolves to a private address once, without its path', async () => {
  const api = await startApi()
  const { database, sendPipelineDeps } = api.app
  const http = createOutboundHttp({ lookup: async () => [{ address: '10.0.0.7', family: 4 }] })
  const outbound = createWebhookOutbound(http, { kind: 'tenant', allowLoopback: true })
  const jobs = [
    createSequencerJob(database, 30_000),
    fanOutJob(database, 30_000),
    deliverJob({ ...sendPipelineDeps, outbound }),
  ]
  const worker = startWorker(jobs, { pollMs: 50, onError: (job, error) => expect.unreachable(`${job}: ${error}`) })
  onTestFinished(async () => {
    await worker.stop()
    await http.close()
  })
  const webhook = await createWebhook(api, 'https://inside.example.com/path-is-secret', { events: ['deposit.created'] })
  await emitEvents(api, webhook.organizationId, [{}, {}, {}])
  const outcomes = async () => (await deliveriesOf(api, webhook)).flatMap(({ attempts }) => attempts)
  await expect.poll(outcomes, patience).toMatchObject(Array.from({ length: 3 }, () => ({ outcome: 'BLOCKED' })))
  const hints = api.logs.filter((line) => line.includes('must not call'))
  expect(hints).toHaveLength(1)
  const { organizationId, webhookId } = webhook
  expect(JSON.parse(hints[0] ?? '')).toMatchObject({ organizationId, webhookId, host: 'inside.example.com' })
  expect(hints[0]).not.toContain('path-is-secret')
})
