import { createOutboundHttp } from '../adapters/outbound-http.ts'
import { createWebhookOutbound } from '../adapters/webhook-outbound.ts'
import type { SendPipelineDeps } from '../webhooks/delivery/send-pipeline.ts'
import { createDeliveryService } from '../webhooks/delivery/service.ts'
import { readLag } from '../webhooks/delivery/store.ts'
import { createReplayService } from '../webhooks/fan-out/replay.ts'
import { createWebhookService } from '../webhooks/service.ts'
import type { AppDeps, CustomerDeps } from './deps.ts'
import { eventPayloads } from './event-payloads.ts'

export function createWebhookServices({ config, log, onPoint }: AppDeps, parts: CustomerDeps) {
  const { database, pages, vault, audit, watch, metrics } = parts
  const http = createOutboundHttp()
  const outbound = createWebhookOutbound(http, { kind: 'tenant', allowLoopback: config.webhooksMayCallLoopback })
  const sender = { database, vault, outbound, nowMs: watch.databaseNow }
  metrics.watch('svc_webhook_lag_seconds', 'Business time that the most delayed webhook has been due for', () =>
    readLag(database).catch(() => Number.NaN),
  )
  const sending: SendPipelineDeps = {
    ...sender,
    audit,
    leaseMs: config.leaseMs,
    onOutcome: metrics.countDelivery,
    onPoint: onPoint ?? (() => {}),
    onFailure: (error) => {
      metrics.countJobFailure('deliver webhooks')
      log.error({ err: error }, 'a webhook could not be served and is tried again when its lease ends')
    },
  }
  return {
    webhooks: createWebhookService({
      ...{ ...sender, pages, audit },
      // A type of which nothing is told yet has no resource to show.
      exampleOf: (type) => eventPayloads[type]?.example ?? {},
    }),
    deliveries: createDeliveryService({ database, pages, vault, audit }),
    replays: createReplayService({ database, vault, audit }),
    sending,
    closeOutbound: http.close,
  }
}
