import type { Queryable, Tx } from '../../db/database.ts'
import { columns, listWebhooks } from '../store.ts'
import type { Webhook } from '../webhook.ts'

/** Lists all webhooks of an organization for the operator, newest first: `SVC_WEBHOOKS_PER_ORGANIZATION` bounds them. */
export function listForOperator(database: Queryable, organizationId: string): Promise<Webhook[]> {
  return listWebhooks(database, [organizationId], {}, { after: undefined, limit: Number.MAX_SAFE_INTEGER })
}

/** Finds a webhook of any organization and locks it. */
export async function lockForOperator(tx: Tx, webhookId: string): Promise<Webhook | undefined> {
  const [found] = await tx.query<Webhook>({
    text: `select ${columns} from svc.webhooks as webhook
            where webhook.webhook_id = $1 and webhook.status <> 'DELETED' for update`,
    values: [webhookId],
  })
  return found
}

/** Disables a webhook, also one that is disabled for another reason: that reason would let its organization enable it. */
export async function disableForOperator(
  tx: Tx,
  { organizationId, webhookId }: Pick<Webhook, 'organizationId' | 'webhookId'>,
): Promise<Webhook> {
  const [disabled] = await tx.query<Webhook>({
    text: `update svc.webhooks as webhook
              set status = 'DISABLED', disabled_at = svc.now(), disabled_reason = 'OPERATOR', due_at = null,
                  disabled_version = case when status = 'DISABLED' then disabled_version else version + 1 end,
                  version = version + 1, revision = revision + 1
            where organization_id = $1 and webhook_id = $2 and status <> 'DELETED' returning ${columns}`,
    values: [organizationId, webhookId],
  })
  return disabled as Webhook
}

/** Lets the organization enable a webhook that the operator disabled. */
export async function allowForOperator(
  tx: Tx,
  { organizationId, webhookId }: Pick<Webhook, 'organizationId' | 'webhookId'>,
): Promise<void> {
  await tx.query({
    text: `update svc.webhooks set disabled_reason = 'REQUESTED'
            where organization_id = $1 and webhook_id = $2 and disabled_reason = 'OPERATOR'`,
    values: [organizationId, webhookId],
  })
}
