import type { Tx } from '../../db/database.ts'
import type { Check } from '../../db/verify.ts'
import type { Due } from '../../db/work.ts'
import { firstOf, realNow } from '../../db/workers/due.ts'
import { columns } from '../store.ts'
import type { Webhook } from '../webhook.ts'

export type KeyId = { organizationId: string; apiKeyId: string }

/** Lists the webhooks that keys answer for, and locks them in the order in which every other writer does. */
export function lockWebhooksOf(tx: Tx, organizationId: string, apiKeyIds: readonly string[]): Promise<Webhook[]> {
  return tx.query<Webhook>({
    name: 'lock webhooks of keys',
    text: `select ${columns} from svc.webhooks as webhook
            where webhook.maker_organization_id = $1 and webhook.maker_api_key_id = any($2)
              and webhook.status <> 'DELETED'
            order by webhook.webhook_id for update`,
    values: [organizationId, apiKeyIds],
  })
}

/** Holds while the maker of a webhook that is not disabled has expired. */
export const hasExpiredMakers: Due =
  firstOf(`svc.webhooks where status in ('PENDING', 'ENABLED') and maker_expires_at <= ${realNow}
       order by maker_expires_at`)

/** Lists the keys of webhooks whose maker has expired first. */
export function listExpiredMakers(tx: Tx, limit: number): Promise<KeyId[]> {
  return tx.query<KeyId>({
    name: 'list expired makers of webhooks',
    text: `select distinct expired.maker_organization_id as "organizationId", expired.maker_api_key_id as "apiKeyId"
             from (select maker_organization_id, maker_api_key_id from svc.webhooks as webhook
                    where webhook.status in ('PENDING', 'ENABLED') and webhook.maker_expires_at <= ${realNow}
                    order by webhook.maker_expires_at limit $1) as expired
            order by 1, 2`,
    values: [limit],
  })
}

export function lockWebhooksOfExpired(tx: Tx, makers: readonly KeyId[], limit: number): Promise<Webhook[]> {
  return tx.query<Webhook>({
    name: 'lock webhooks of expired keys',
    text: `select ${columns} from svc.webhooks as webhook
            where (webhook.maker_organization_id, webhook.maker_api_key_id) in (
                    select maker.organization_id, maker.api_key_id
                      from unnest($1::uuid[], $2::uuid[]) as maker (organization_id, api_key_id))
              and webhook.status in ('PENDING', 'ENABLED') and webhook.maker_expires_at <= ${realNow}
            order by webhook.webhook_id limit $3 for update`,
    values: [makers.map((maker) => maker.organizationId), makers.map((maker) => maker.apiKeyId), limit],
  })
}

/** Takes the maker and its rights from webhooks. */
export async function removeMaker(tx: Tx, webhooks: readonly Webhook[]): Promise<void> {
  await tx.query({
    name: 'remove maker of webhooks',
    text: `update svc.webhooks as webhook
              set maker_organization_id = null, maker_api_key_id = null, maker_expires_at = null, scopes = '{}'
             from unnest($1::uuid[], $2::uuid[]) as ended (organization_id, webhook_id)
            where webhook.organization_id = ended.organization_id and webhook.webhook_id = ended.webhook_id`,
    values: [webhooks.map((webhook) => webhook.organizationId), webhooks.map((webhook) => webhook.webhookId)],
  })
}

/** Hands the webhooks of a key to its successor, which has the same scopes. */
export async function changeMaker(
  tx: Tx,
  from: KeyId,
  to: { apiKeyId: string; expiresAt: Date | null },
): Promise<void> {
  await tx.query({
    name: 'change maker of webhooks',
    // The fan-out has passed over them if the key had expired.
    text: `update svc.webhooks set maker_api_key_id = $3, maker_expires_at = $4, fanned_out_revision = 0
            where maker_organization_id = $1 and maker_api_key_id = $2`,
    values: [from.organizationId, from.apiKeyId, to.apiKeyId, to.expiresAt],
  })
}

export const makerChecks: readonly Check[] = [
  {
    name: 'no webhook has rights that its key lacks',
    sql: `select format('webhook %s of organization %s has rights that its key %s lacks', webhook.webhook_id,
                   webhook.organization_id, webhook.maker_api_key_id) as violation
            from svc.webhooks as webhook
            left join svc.api_keys as key
              on key.organization_id = webhook.maker_organization_id and key.api_key_id = webhook.maker_api_key_id
           where webhook.maker_api_key_id is not null and webhook.status <> 'DELETED'
             and (key.api_key_id is null or key.revoked_at is not null or not webhook.scopes <@ key.scopes
                  or webhook.maker_expires_at is distinct from key.expires_at)`,
  },
]
