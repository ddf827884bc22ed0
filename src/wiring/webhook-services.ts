import { createOutboundHttp } from '../adapters/outbound-http.ts'
import { createWebhookOutbound } from '../adapters/webhook-outbound.ts'
import type { CredentialService } from '../credentials/service.ts'
import { commandActor } from '../db/audit/audit.ts'
import { deriveKey } from '../encryption/deployment-secrets.ts'
import type { SendPipelineDeps } from '../webhooks/delivery/send-pipeline.ts'
import { createDeliveryService } from '../webhooks/delivery/service.ts'
import { readLag } from '../webhooks/delivery/store.ts'
import { createReplayService } from '../webhooks/fan-out/replay.ts'
import { createOperatorOperations } from '../webhooks/operator/service.ts'
import { createPrivateAddressHints } from '../webhooks/private-address-hints.ts'
import { createWebhookService } from '../webhooks/service.ts'
import type { Deps } from './deps.ts'
import { eventPayloads } from './event-payloads.ts'

export function createWebhookServices(deps: Deps, { holdKey }: Pick<CredentialService, 'holdKey'>) {
  const { config, database, pages, vault, audit, revisions, metrics, secret } = deps
  const http = createOutboundHttp()
  const outbound = createWebhookOutbound(http, {
    kind: 'tenant',
    allowLoopback: config.webhooksMayCallLoopback,
    ports: config.webhooks.ports,
  })
  const nowMs = revisions.databaseNow
  metrics.addGauge('svc_webhook_lag_seconds', 'Business time that the most delayed webhook has been due for', () =>
    readLag(database).catch(() => Number.NaN),
  )
  const onPrivateAddress = createPrivateAddressHints(nowMs, (hint) =>
    deps.log.warn(hint, 'the name of a webhook receiver resolves to an address that Svc must not call'),
  )
  const sendPipelineDeps: SendPipelineDeps = {
    database,
    vault,
    outbound,
    nowMs,
    onPrivateAddress,
    audit,
    replaysPerSecond: config.webhooks.replaysPerSecond,
    mostAttempts: config.webhooks.mostAttempts,
    leaseMs: config.leaseMs,
    onOutcome: metrics.countDelivery,
    onPoint: deps.onPoint,
    onFailure: deps.onJobFailure(
      'deliver webhooks',
      'a webhook session failed; another worker takes the webhook over when its lease ends',
    ),
  }
  return {
    webhooks: createWebhookService({
      database,
      vault,
      outbound,
      nowMs,
      onPrivateAddress,
      pages,
      audit,
      holdKey,
      // An event type without a payload yet has no example.
      exampleOf: (type) => eventPayloads[type]?.example ?? {},
      addressKey: deriveKey(secret, 'webhook addresses'),
      mostWebhooks: config.webhooks.mostWebhooks,
      mustProve: config.webhooks.mustProve,
    }),
    webhookOperator: createOperatorOperations({ database, audit, actor: commandActor(config.operator) }),
    deliveries: createDeliveryService({ database, pages, vault, audit }),
    replays: createReplayService({ database, vault, audit }),
    sendPipelineDeps,
    closeOutbound: http.close,
  }
}
