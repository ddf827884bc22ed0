import type { Queryable, Tx } from '../db/database.ts'
import type { PageSlice } from '../lib/pages.ts'
import type { Subscription } from './subscription.ts'
import { type DisabledReason, oldSecretLifetimeHours, type Webhook, webhookMoves } from './webhook.ts'

const columns = `webhook.organization_id as "organizationId", webhook.webhook_id as "webhookId", webhook.url,
  webhook.events, webhook.description, webhook.status, webhook.disabled_at as "disabledAt",
  webhook.disabled_reason as "disabledReason", webhook.data_key_id as "dataKeyId", webhook.version, webhook.revision,
  webhook.created_at as "createdAt"`

export type NewWebhook = Pick<Webhook, 'organizationId' | 'webhookId' | 'url' | 'events' | 'description' | 'dataKeyId'>

/** Inserts a webhook that receives the events sequenced from now on. */
export async function insertWebhook(tx: Tx, webhook: NewWebhook): Promise<Webhook> {
  const { organizationId, webhookId, url, events, description, dataKeyId } = webhook
  const [inserted] = await tx.query<Webhook>({
    name: 'insert webhook',
    text: `insert into svc.webhooks as webhook (organization_id, webhook_id, url, events, description, status,
             data_key_id, created_at, fanned_out_to)
           values ($1, $2, $3, $4, $5, 'ENABLED', $6, svc.now(),
             coalesce((select last_sequence from svc.event_sequences where organization_id = $1), 0))
        returning ${columns}`,
    values: [organizationId, webhookId, url, events, description, dataKeyId],
  })
  return inserted as Webhook
}

/**
 * Counts under an advisory lock: concurrent creations run one after the other, and each counts the others' webhooks.
 */
export async function countWebhooks(tx: Tx, organizationId: string): Promise<number> {
  await tx.query({
    name: 'lock webhook count',
    text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
    values: [JSON.stringify(['webhooks', organizationId])],
  })
  const [counted] = await tx.query<{ count: number }>({
    name: 'count webhooks',
    text: `select count(*)::int as count from svc.webhooks where organization_id = $1 and status <> 'DELETED'`,
    values: [organizationId],
  })
  return counted?.count ?? 0
}

export async function findWebhook(
  database: Queryable,
  organizationIds: readonly string[],
  webhookId: string,
): Promise<Webhook | undefined> {
  const [found] = await database.query<Webhook>({
    name: 'find webhook',
    text: `select ${columns} from svc.webhooks as webhook
            where webhook.organization_id = any($1) and webhook.webhook_id = $2 and webhook.status <> 'DELETED'`,
    values: [organizationIds, webhookId],
  })
  return found
}

/** Finds webhooks by the path of their address, under any host name. */
export function findByPath(database: Queryable, organizationId: string, path: string): Promise<Webhook[]> {
  return database.query<Webhook>({
    name: 'find webhooks by path',
    text: `select ${columns} from svc.webhooks as webhook
            where webhook.organization_id = $1 and right(webhook.url, length($2)) = $2 and webhook.status <> 'DELETED'`,
    values: [organizationId, path],
  })
}

/** Lists the newest webhooks first: ids ascend with time. */
export function listWebhooks(
  database: Queryable,
  organizationIds: readonly string[],
  slice: PageSlice,
): Promise<Webhook[]> {
  return database.query<Webhook>({
    name: 'list webhooks',
    text: `select ${columns} from svc.webhooks as webhook
            where webhook.organization_id = any($1) and webhook.status <> 'DELETED'
              and ($2::uuid is null or webhook.webhook_id < $2)
            order by webhook.webhook_id desc limit $3`,
    values: [organizationIds, slice.after ?? null, slice.limit],
  })
}

export type WebhookChange = { url?: string; events?: Subscription[]; description?: string | null }

/** Reads where a webhook sends events and which, and holds both until the database transaction ends. */
export async function lockWebhook(
  tx: Tx,
  { organizationId, webhookId }: Pick<Webhook, 'organizationId' | 'webhookId'>,
): Promise<Pick<Webhook, 'url' | 'events'> | undefined> {
  const [locked] = await tx.query<Pick<Webhook, 'url' | 'events'>>({
    name: 'read webhook to change',
    text: `select url, events from svc.webhooks
            where organization_id = $1 and webhook_id = $2 and status <> 'DELETED' for update`,
    values: [organizationId, webhookId],
  })
  return locked
}

/** Changes a webhook. A new address closes the circuit and resets the health; deliveries keep their due times. */
export async function changeWebhook(
  tx: Tx,
  { organizationId, webhookId }: Pick<Webhook, 'organizationId' | 'webhookId'>,
  { url, events, description }: WebhookChange,
): Promise<Webhook | undefined> {
  const [changed] = await tx.query<Webhook>({
    name: 'change webhook',
    text: `update svc.webhooks as webhook
              set url = coalesce($3, url), events = coalesce($4, events), revision = revision + 1,
                  description = case when $5 then $6 else description end,
                  circuit = case when $3 is null then circuit else 'CLOSED' end,
                  consecutive_failures = case when $3 is null then consecutive_failures else 0 end,
                  failing_since = case when $3 is null then failing_since end,
                  is_slow = is_slow and $3 is null,
                  due_at = case when $3 is null or status <> 'ENABLED' then due_at else svc.now() end
            where organization_id = $1 and webhook_id = $2 and status <> 'DELETED' returning ${columns}`,
    values: [organizationId, webhookId, url ?? null, events ?? null, description !== undefined, description ?? null],
  })
  return changed
}

/** Disables a webhook. Its pending deliveries stay until it is enabled again. */
export async function disableWebhook(
  tx: Tx,
  { organizationId, webhookId, revision }: Pick<Webhook, 'organizationId' | 'webhookId' | 'revision'>,
  reason: DisabledReason,
): Promise<Webhook | undefined> {
  const [disabled] = await tx.query<Webhook>({
    name: 'disable webhook',
    text: `update svc.webhooks as webhook
              set status = 'DISABLED', disabled_at = svc.now(), disabled_reason = $3, due_at = null,
                  version = version + 1, revision = revision + 1
            where organization_id = $1 and webhook_id = $2 and status = any($4) and revision = $5
        returning ${columns}`,
    values: [organizationId, webhookId, reason, webhookMoves.disable.from, revision],
  })
  return disabled
}

/** Enables a webhook, due at once for its pending deliveries. */
export async function enableWebhook(
  tx: Tx,
  { organizationId, webhookId }: Pick<Webhook, 'organizationId' | 'webhookId'>,
  fannedOutTo: string,
): Promise<Webhook | undefined> {
  const [enabled] = await tx.query<Webhook>({
    name: 'enable webhook',
    text: `update svc.webhooks as webhook
              set status = 'ENABLED', disabled_at = null, disabled_reason = null, revision = revision + 1,
                  circuit = 'CLOSED', consecutive_failures = 0, failing_since = null, due_at = svc.now(),
                  fanned_out_to = $4
            where organization_id = $1 and webhook_id = $2 and status = any($3) returning ${columns}`,
    values: [organizationId, webhookId, webhookMoves.enable.from, fannedOutTo],
  })
  return enabled
}

/** Deletes a webhook. The new fence ends a running session. */
export async function deleteWebhook(
  tx: Tx,
  { organizationId, webhookId }: Pick<Webhook, 'organizationId' | 'webhookId'>,
): Promise<Webhook | undefined> {
  const [deleted] = await tx.query<Webhook>({
    name: 'delete webhook',
    text: `update svc.webhooks as webhook
              set status = 'DELETED', due_at = null, lease_until = null, fence = fence + 1, revision = revision + 1
            where organization_id = $1 and webhook_id = $2 and status = any($3) returning ${columns}`,
    values: [organizationId, webhookId, webhookMoves.delete.from],
  })
  return deleted
}

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

/** Raises the revision: workers read the new secret with their next session. */
export async function bumpWebhookRevision(
  tx: Tx,
  { organizationId, webhookId }: Pick<Webhook, 'organizationId' | 'webhookId'>,
): Promise<Webhook | undefined> {
  const [raised] = await tx.query<Webhook>({
    name: 'raise webhook revision',
    text: `update svc.webhooks as webhook set revision = revision + 1
            where organization_id = $1 and webhook_id = $2 and status <> 'DELETED' returning ${columns}`,
    values: [organizationId, webhookId],
  })
  return raised
}

/** Reads the secrets that sign now, the newest first. */
export function readLiveSecrets(
  database: Queryable,
  { organizationId, webhookId }: Pick<Webhook, 'organizationId' | 'webhookId'>,
): Promise<StoredSecret[]> {
  return database.query<StoredSecret>({
    name: 'read live webhook secrets',
    text: `select secret_id as "secretId", sealed_secret as "sealedSecret" from svc.webhook_secrets
            where organization_id = $1 and webhook_id = $2
              and (expires_at is null or expires_at > clock_timestamp())
            order by secret_id desc`,
    values: [organizationId, webhookId],
  })
}
