import type { Audit } from '../db/audit/audit.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/outbox/events.ts'
import type { Caller } from '../lib/caller.ts'
import type { Webhook } from './webhook.ts'
import { presentWebhook } from './wire.ts'

/** Tells the other webhooks of a new webhook, where one sends events from now on, which and how signed, or of its end. */
export async function tellOthers(
  tx: Tx,
  type: 'webhook.created' | 'webhook.updated' | 'webhook.disabled',
  webhook: Webhook,
  more: object = {},
): Promise<void> {
  const { organizationId, webhookId: resourceId, version: resourceVersion } = webhook
  const data = { ...presentWebhook(webhook), ...more }
  await appendEvent(tx, { organizationId, type, resourceId, resourceVersion, data })
}

/** A token ends within half an hour, and what it chose does not: the log and the alerts tell it apart from its key. */
export function byToken({ isToken }: Caller): { byToken?: true } {
  return isToken ? { byToken: true } : {}
}

/** Records what a caller did to a webhook in the audit log. */
export async function recordAct(
  audit: Audit,
  tx: Tx,
  caller: Caller,
  { organizationId, webhookId: subjectId }: Webhook,
  action: string,
  details: object = {},
): Promise<void> {
  const act = {
    actor: `api_key:${caller.apiKeyId}`,
    action,
    subjectId,
    details: { ...details, ...byToken(caller) },
  }
  await audit.append(tx, { organizationId, ...act })
}
