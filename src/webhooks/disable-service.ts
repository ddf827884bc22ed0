import type { Audit } from '../db/audit.ts'
import type { Queryable } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import * as store from './store.ts'
import type { DisabledReason, Webhook } from './webhook.ts'
import { presentWebhook } from './wire.ts'

/** Disables a webhook and tells the organization's others. Undefined when it was not enabled any more. */
export async function disable(
  transaction: Queryable,
  audit: Audit,
  { organizationId, webhookId }: Pick<Webhook, 'organizationId' | 'webhookId'>,
  { reason, actor }: { reason: DisabledReason; actor: string },
): Promise<Webhook | undefined> {
  const disabled = await store.disableWebhook(transaction, { organizationId, webhookId }, reason)
  if (!disabled) return undefined
  await appendEvent(transaction, {
    organizationId,
    type: 'webhook.disabled',
    resourceId: webhookId,
    resourceVersion: disabled.version,
    data: presentWebhook(disabled),
  })
  const act = { actor, action: 'webhook.disabled', subjectId: webhookId, details: { reason } }
  await audit.append(transaction, { organizationId, ...act })
  return disabled
}
