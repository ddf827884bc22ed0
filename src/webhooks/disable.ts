import type { Audit } from '../db/audit/audit.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/outbox/events.ts'
import * as store from './store.ts'
import type { DisabledReason, Webhook } from './webhook.ts'
import { presentWebhook } from './wire.ts'

/**
 * Disables a webhook, with an event for the organization's other webhooks. Undefined when the webhook was no longer
 * enabled, or was changed since it was read: failures of an old address say nothing about the new one.
 */
export async function disable(
  tx: Tx,
  audit: Audit,
  { organizationId, webhookId, revision }: Pick<Webhook, 'organizationId' | 'webhookId' | 'revision'>,
  { reason, actor }: { reason: DisabledReason; actor: string },
): Promise<Webhook | undefined> {
  const disabled = await store.disableWebhook(tx, { organizationId, webhookId, revision }, reason)
  if (!disabled) return undefined
  await appendEvent(tx, {
    organizationId,
    type: 'webhook.disabled',
    resourceId: webhookId,
    resourceVersion: disabled.version,
    data: presentWebhook(disabled),
  })
  await audit.append(tx, {
    organizationId,
    actor,
    action: 'webhook.disabled',
    subjectId: webhookId,
    details: { reason },
  })
  return disabled
}
