import type { Queryable } from '../db/database.ts'
import type { PageSlice } from '../lib/pages.ts'
import type { Webhook, WebhookStatus } from './webhook.ts'

export const columns = `webhook.organization_id as "organizationId", webhook.webhook_id as "webhookId", webhook.url,
  webhook.events, webhook.description, webhook.status, webhook.disabled_at as "disabledAt", webhook.deleted_at as "deletedAt",
  webhook.disabled_reason as "disabledReason", webhook.proven_at as "provenAt", webhook.challenges,
  webhook.challenge_outcome as "challengeOutcome", webhook.due_at as "dueAt",
  webhook.maker_api_key_id as "makerApiKeyId", webhook.maker_expires_at as "makerExpiresAt", webhook.scopes,
  webhook.data_key_id as "dataKeyId", webhook.version, webhook.revision, webhook.created_at as "createdAt",
  webhook.external_id as "externalId", webhook.metadata`

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

export async function findEvenDeleted(
  database: Queryable,
  organizationIds: readonly string[],
  webhookId: string,
): Promise<Webhook | undefined> {
  const [found] = await database.query<Webhook>({
    name: 'find webhook even deleted',
    text: `select ${columns} from svc.webhooks as webhook
            where webhook.organization_id = any($1) and webhook.webhook_id = $2 and webhook.former_of is null`,
    values: [organizationIds, webhookId],
  })
  return found
}

/** Finds webhooks, and notices that have not ended, by the path of their address, under any host name. */
export function findByPath(database: Queryable, organizationId: string, path: string): Promise<Webhook[]> {
  return database.query<Webhook>({
    name: 'find webhooks by path',
    text: `select ${columns} from svc.webhooks as webhook
            where webhook.organization_id = $1 and right(webhook.url, length($2)) = $2
              and (webhook.status <> 'DELETED' or (webhook.former_of is not null and webhook.due_at is not null))`,
    values: [organizationId, path],
  })
}

export type WebhookFilter = { status?: WebhookStatus; externalId?: string }

/** Lists the newest webhooks first: ids ascend with time. */
export function listWebhooks(
  database: Queryable,
  organizationIds: readonly string[],
  { status, externalId }: WebhookFilter,
  slice: PageSlice,
): Promise<Webhook[]> {
  return database.query<Webhook>({
    name: 'list webhooks',
    text: `select ${columns} from svc.webhooks as webhook
            where webhook.organization_id = any($1) and webhook.status <> 'DELETED'
              and ($2::uuid is null or webhook.webhook_id < $2)
              and ($4::text is null or webhook.status = $4) and ($5::text is null or webhook.external_id = $5)
            order by webhook.webhook_id desc limit $3`,
    values: [organizationIds, slice.after ?? null, slice.limit, status ?? null, externalId ?? null],
  })
}

/** Counts the webhooks of each organization, which are few. Deleted ones do not count. */
export async function countWebhooks(
  database: Queryable,
  organizationIds: readonly string[],
): Promise<Map<string, number>> {
  const counted = await database.query<{ organizationId: string; webhooks: number }>({
    name: 'count webhooks',
    text: `select organization_id as "organizationId", count(*)::integer as webhooks from svc.webhooks
            where organization_id = any($1) and status <> 'DELETED' group by organization_id`,
    values: [organizationIds],
  })
  return new Map(counted.map(({ organizationId, webhooks }) => [organizationId, webhooks]))
}
