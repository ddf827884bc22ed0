import type { Queryable, Tx } from '../../db/database.ts'
import { columns } from '../store.ts'
import { oldSecretLifetimeHours, type Webhook } from '../webhook.ts'

export type StoredSecret = { secretId: string; sealedSecret: Buffer }

/** Adds a secret. The current one expires after a day and an older one at once, so that at most two are live. */
export async function insertSecret(
  tx: Tx,
  { organizationId, webhookId }: Pick<Webhook, 'organizationId' | 'webhookId'>,
  { secretId, sealedSecret }: StoredSecret,
): Promise<void> {
  await tx.query({
    name: 'retire webhook secrets',
    text: `update svc.webhook_secrets
              set expires_at = case when expires_at is null then clock_timestamp() + $3 * interval '1 hour'
                                    else least(expires_at, clock_timestamp()) end
            where organization_id = $1 and webhook_id = $2`,
    values: [organizationId, webhookId, oldSecretLifetimeHours],
  })
  await tx.query({
    name: 'insert webhook secret',
    text: `insert into svc.webhook_secrets (organization_id, secret_id, webhook_id, sealed_secret)
           values ($1, $2, $3, $4)`,
    values: [organizationId, secretId, webhookId, sealedSecret],
  })
}

/** Raises the revision: workers read the new secret with their next session. The rotation has an event. */
export async function bumpWebhookRevision(
  tx: Tx,
  { organizationId, webhookId }: Pick<Webhook, 'organizationId' | 'webhookId'>,
): Promise<Webhook | undefined> {
  const [raised] = await tx.query<Webhook>({
    name: 'raise webhook revision',
    text: `update svc.webhooks as webhook set revision = revision + 1, version = version + 1
            where organization_id = $1 and webhook_id = $2 and status <> 'DELETED' returning ${columns}`,
    values: [organizationId, webhookId],
  })
  return raised
}

/** Reads the secrets that sign now, the newest first. A notice keeps those that signed before the change. */
export function readLiveSecrets(
  database: Queryable,
  { organizationId, webhookId }: Pick<Webhook, 'organizationId' | 'webhookId'>,
): Promise<StoredSecret[]> {
  return database.query<StoredSecret>({
    name: 'read live webhook secrets',
    text: `select secret.secret_id as "secretId", secret.sealed_secret as "sealedSecret"
             from svc.webhooks as webhook
             join svc.webhook_secrets as secret on secret.organization_id = webhook.organization_id
              and secret.webhook_id = coalesce(webhook.former_of, webhook.webhook_id)
            where webhook.organization_id = $1 and webhook.webhook_id = $2
              and case when webhook.secret_ids is null
                       then secret.expires_at is null or secret.expires_at > clock_timestamp()
                       else secret.secret_id = any(webhook.secret_ids) end
            order by secret.secret_id desc`,
    values: [organizationId, webhookId],
  })
}
