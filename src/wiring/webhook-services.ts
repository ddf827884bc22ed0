import { makeOutboundHttp } from '../adapters/outbound-http.ts'
import { makeWebhookOutbound } from '../adapters/webhook-outbound.ts'
import type { SendingOptions } from '../webhooks/delivery/sending.ts'
import { makeDeliveryService } from '../webhooks/delivery/service.ts'
import { readLag } from '../webhooks/delivery/store.ts'
import { makeReplayService } from '../webhooks/fan-out/replay.ts'
import { makeWebhookService } from '../webhooks/service.ts'
import { eventPayloads } from './event-payloads.ts'
import type { AppOptions, CustomerParts } from './parts.ts'

export function makeWebhookServices({ config, log, onPoint }: AppOptions, parts: CustomerParts) {
  const { database, pages, vault, audit, watch, metrics } = parts
  const http = makeOutboundHttp()
  const outbound = makeWebhookOutbound(http, { kind: 'tenant', allowLoopback: config.webhooksMayCallLoopback })
  const sender = { database, vault, outbound, nowMs: watch.databaseNow }
  metrics.watch('svc_webhook_lag_seconds', 'Business time that the most delayed webhook has been due for', () =>
    readLag(database).catch(() => Number.NaN),
  )
  const sending: SendingOptions = {
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
    webhooks: makeWebhookService({
      ...{ ...sender, pages, audit },
      // A type of which nothing is told yet has no resource to show.
      exampleOf: (type) => eventPayloads[type]?.example ?? {},
    }),
    deliveries: makeDeliveryService({ database, pages, vault, audit }),
    replays: makeReplayService({ database, vault, audit }),
    sending,
    closeOutbound: http.close,
  }
}
