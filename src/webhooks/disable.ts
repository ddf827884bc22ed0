import type { Audit } from '../db/audit/audit.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/outbox/events.ts'
import { Refusal } from '../lib/refusal.ts'
import { disableWebhook } from './changes/store.ts'
import { type Former, tellFormer } from './notices/service.ts'
import type { DisabledReason, Webhook } from './webhook.ts'
import { presentWebhook } from './wire.ts'

/**
 * Disables a webhook, with an event for the organization's other webhooks, and for its receiver if `former` is given.
 * Undefined when the webhook was no longer
 * enabled, or was changed since it was read: failures of an old address say nothing about the new one.
 */
export async function disable(
  tx: Tx,
  audit: Audit,
  { organizationId, webhookId, revision }: Pick<Webhook, 'organizationId' | 'webhookId' | 'revision'>,
  { reason, actor, former }: { reason: DisabledReason; actor: string; former?: Former },
): Promise<Webhook | undefined> {
  const disabled = await disableWebhook(tx, { organizationId, webhookId, revision }, reason)
  if (!disabled) return undefined
  await recordDisabled(tx, audit, disabled, { actor, details: { reason } })
  if (former) await tellFormer(tx, former, disabled.version)
  return disabled
}

/** Records that a webhook was disabled: as an event, and in the audit log. */
export async function recordDisabled(
  tx: Tx,
  audit: Audit,
  disabled: Webhook,
  { actor, details }: { actor: string; details: object },
): Promise<void> {
  const { organizationId, webhookId } = disabled
  await appendEvent(tx, {
    organizationId,
    type: 'webhook.disabled',
    resourceId: webhookId,
    resourceVersion: disabled.version,
    data: presentWebhook(disabled),
  })
  await audit.append(tx, { organizationId, actor, action: 'webhook.disabled', subjectId: webhookId, details })
}

export function disabledByOperator(): Refusal {
  return new Refusal('FORBIDDEN', 'The operator of Svc has disabled this webhook')
}

export function webhookNotEnabled(): Refusal {
  return new Refusal(
    'CONFLICT',
    'The webhook is DISABLED or PENDING; enable it, or let its endpoint answer the challenge',
  )
}
