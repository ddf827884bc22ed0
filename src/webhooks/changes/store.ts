import type { Tx } from '../../db/database.ts'
import { type OwnData, writeMetadata } from '../../lib/resources/own-data.ts'
import { columns } from '../store.ts'
import type { Subscription } from '../subscription.ts'
import {
  type DisabledReason,
  leastChallengeGapMs,
  type Maker,
  type Webhook,
  type WebhookStatus,
  webhookMoves,
} from '../webhook.ts'

export type NewWebhook = Pick<
  Webhook,
  'organizationId' | 'webhookId' | 'url' | 'events' | 'description' | 'dataKeyId'
> &
  Partial<OwnData> & { maker: Maker }

/** Inserts a webhook that receives the events sequenced from now on. A PENDING one is due for its challenge. */
export async function insertWebhook(
  tx: Tx,
  webhook: NewWebhook,
  status: Extract<WebhookStatus, 'PENDING' | 'ENABLED'>,
): Promise<Webhook> {
  const { organizationId, webhookId, url, events, description, dataKeyId, maker } = webhook
  const [inserted] = await tx.query<Webhook>({
    name: 'insert webhook',
    text: `insert into svc.webhooks as webhook (organization_id, webhook_id, url, events, description, status,
             data_key_id, created_at, due_at, version, fanned_out_to, external_id, metadata, maker_organization_id,
             maker_api_key_id, maker_expires_at, scopes)
           values ($1, $2, $3, $4, $5, $7, $6, svc.now(), case when $7 = 'PENDING' then svc.now() end, 1,
             coalesce((select last_sequence from svc.event_sequences where organization_id = $1), 0), $8, $9, $10, $11, $12, $13)
        returning ${columns}`,
    values: [
      organizationId,
      webhookId,
      url,
      events,
      description,
      dataKeyId,
      status,
      webhook.externalId ?? null,
      writeMetadata(webhook.metadata),
      maker.organizationId,
      maker.apiKeyId,
      maker.expiresAt,
      maker.scopes,
    ],
  })
  return inserted as Webhook
}

/** Makes the next count of webhooks exact until the database transaction ends: creations run one after the other. */
export async function lockNumberOfWebhooks(tx: Tx, organizationId: string): Promise<void> {
  await tx.query({
    name: 'lock number of webhooks',
    text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
    values: [JSON.stringify(['webhooks', organizationId])],
  })
}

export type WebhookChange = Partial<OwnData> & {
  url?: string
  events?: Subscription[]
  description?: string | null
  /** The key that answers for the webhook from now on. */
  maker?: Maker
}

type LockedColumns = 'organizationId' | 'webhookId' | 'url' | 'events' | 'status' | 'metadata' | 'scopes'
type Locked = Pick<Webhook, LockedColumns | 'disabledReason' | 'version'> & { hasMaker: boolean }

/** Reads where a webhook sends events, which and by whose rights, and holds all of it until the database transaction ends. */
export async function lockWebhook(
  tx: Tx,
  { organizationId, webhookId }: Pick<Webhook, 'organizationId' | 'webhookId'>,
): Promise<Locked | undefined> {
  const [locked] = await tx.query<Locked>({
    name: 'read webhook to change',
    text: `select organization_id as "organizationId", webhook_id as "webhookId", url, events, status, metadata, scopes,
                  disabled_reason as "disabledReason", version,
                  maker_api_key_id is not null and coalesce(maker_expires_at > clock_timestamp(), true) as "hasMaker"
             from svc.webhooks
            where organization_id = $1 and webhook_id = $2 and status <> 'DELETED' for update`,
    values: [organizationId, webhookId],
  })
  return locked
}

/**
 * Changes a webhook. A new address closes the circuit and resets the health; deliveries keep their due times. Where
 * endpoints must prove themselves, a new address makes the webhook PENDING and due for its challenge.
 */
export async function changeWebhook(
  tx: Tx,
  { organizationId, webhookId }: Pick<Webhook, 'organizationId' | 'webhookId'>,
  { url, events, description, externalId, metadata, maker }: WebhookChange,
  mustProve: boolean,
): Promise<Webhook | undefined> {
  const [changed] = await tx.query<Webhook>({
    name: 'change webhook',
    text: `update svc.webhooks as webhook
              set url = coalesce($3, url), events = coalesce($4, events), revision = revision + 1,
                  version = case when $13::uuid is null then version else version + 1 end,
                  description = case when $5 then $6 else description end,
                  external_id = case when $7 then $8 else external_id end,
                  metadata = case when $9 then $10::json else metadata end,
                  circuit = case when $3 is null then circuit else 'CLOSED' end,
                  consecutive_failures = case when $3 is null then consecutive_failures else 0 end,
                  failing_since = case when $3 is null then failing_since end,
                  is_slow = is_slow and $3 is null,
                  maker_organization_id = coalesce($12, maker_organization_id),
                  maker_api_key_id = coalesce($13, maker_api_key_id),
                  maker_expires_at = case when $13 is null then maker_expires_at else $14 end,
                  scopes = coalesce($15, scopes),
                  status = case when $11 and $3 <> url and status = 'ENABLED' then 'PENDING'
                                else status end,
                  proven_at = case when $3 <> url then null else proven_at end,
                  challenges = case when $3 <> url then 0 else challenges end,
                  challenge_outcome = case when $3 <> url then null else challenge_outcome end,
                  due_at = case when $3 is null or status = 'DISABLED' then due_at
                                when status = 'PENDING' then greatest(svc.now(),
                                  challenged_at + $16 * interval '1 millisecond')
                                else svc.now() end
            where organization_id = $1 and webhook_id = $2 and status <> 'DELETED' returning ${columns}`,
    values: [
      organizationId,
      webhookId,
      url ?? null,
      events ?? null,
      description !== undefined,
      description ?? null,
      externalId !== undefined,
      externalId ?? null,
      metadata !== undefined,
      writeMetadata(metadata),
      mustProve,
      maker?.organizationId ?? null,
      maker?.apiKeyId ?? null,
      maker?.expiresAt ?? null,
      maker?.scopes ?? null,
      leastChallengeGapMs,
    ],
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
                  disabled_version = version + 1, version = version + 1, revision = revision + 1
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
                  version = version + 1,
                  circuit = 'CLOSED', consecutive_failures = 0, failing_since = null, due_at = svc.now(),
                  fanned_out_to = $4
            where organization_id = $1 and webhook_id = $2 and status = any($3) returning ${columns}`,
    values: [organizationId, webhookId, webhookMoves.enable.from, fannedOutTo],
  })
  return enabled
}

/** Makes an endpoint due for a challenge: that of a disabled webhook, or now instead of later that of a PENDING one. */
export async function challengeWebhook(
  tx: Tx,
  { organizationId, webhookId }: Pick<Webhook, 'organizationId' | 'webhookId'>,
  /** The events up to here have their deliveries; undefined keeps the cursor of a PENDING webhook. */
  fannedOutTo: string | undefined,
): Promise<Webhook | undefined> {
  const [challenged] = await tx.query<Webhook>({
    name: 'challenge webhook',
    text: `update svc.webhooks as webhook
              set status = 'PENDING', disabled_at = null, disabled_reason = null, revision = revision + 1,
                  version = case when status = 'PENDING' then version else version + 1 end,
                  circuit = 'CLOSED', consecutive_failures = 0, failing_since = null, due_at = greatest(svc.now(),
                    challenged_at + $5 * interval '1 millisecond'),
                  challenges = case when status = 'PENDING' then challenges else 0 end,
                  challenge_outcome = case when status = 'PENDING' then challenge_outcome end,
                  fanned_out_to = coalesce($4, fanned_out_to)
            where organization_id = $1 and webhook_id = $2 and status = any($3) returning ${columns}`,
    values: [
      organizationId,
      webhookId,
      ['PENDING', ...webhookMoves.challenge.from],
      fannedOutTo ?? null,
      leastChallengeGapMs,
    ],
  })
  return challenged
}

/** Deletes a webhook. The new fence ends a running session. */
export async function deleteWebhook(
  tx: Tx,
  { organizationId, webhookId }: Pick<Webhook, 'organizationId' | 'webhookId'>,
): Promise<Webhook | undefined> {
  const [deleted] = await tx.query<Webhook>({
    name: 'delete webhook',
    text: `update svc.webhooks as webhook
              set status = 'DELETED', deleted_at = svc.now(), due_at = null, lease_until = null, fence = fence + 1,
                  version = version + 1, revision = revision + 1
            where organization_id = $1 and webhook_id = $2 and status = any($3) returning ${columns}`,
    values: [organizationId, webhookId, webhookMoves.delete.from],
  })
  return deleted
}
