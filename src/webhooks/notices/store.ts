import type { Tx } from '../../db/database.ts'
import type { Due } from '../../db/work.ts'
import { firstOf } from '../../db/workers/due.ts'
import { newId } from '../../lib/ids.ts'
import type { Webhook } from '../webhook.ts'

type WebhookId = Pick<Webhook, 'organizationId' | 'webhookId'>

const isOpen = 'notice.former_of is not null and (notice.fanned_out_to = 0 or notice.due_at is not null)'

/**
 * Lets one database transaction at a time add notices of an organization, so that each counts the others'. Taken before
 * the lock of a webhook.
 */
export async function lockNotices(tx: Tx, organizationId: string): Promise<void> {
  await tx.query({
    name: 'lock webhook notices',
    text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
    values: [JSON.stringify(['webhook notices', organizationId])],
  })
}

export async function countOpenNotices(tx: Tx, organizationId: string): Promise<number> {
  const [counted] = await tx.query<{ count: number }>({
    name: 'count open webhook notices',
    text: `select count(*)::int as count from svc.webhooks as notice where notice.organization_id = $1 and ${isOpen}`,
    values: [organizationId],
  })
  return counted?.count ?? 0
}

/**
 * Gives up the oldest notice that has failed at least this often, and makes it due: its last session ends it. False
 * without such a notice. Skips one that a session ends at this moment.
 */
export async function giveUpOldest(tx: Tx, organizationId: string, failures: number): Promise<boolean> {
  const givenUp = await tx.query({
    name: 'give up oldest webhook notice',
    text: `with oldest as (
             select notice.organization_id, notice.webhook_id, delivery.delivery_id
               from svc.webhooks as notice
               join svc.webhook_deliveries as delivery
                 on delivery.organization_id = notice.organization_id and delivery.webhook_id = notice.webhook_id
              where notice.organization_id = $1 and ${isOpen} and delivery.status = 'PENDING'
                and delivery.attempts >= $2
              order by notice.webhook_id limit 1 for update of notice skip locked),
           failed as (
             update svc.webhook_deliveries as delivery set status = 'FAILED', due_at = null
               from oldest
              where delivery.organization_id = oldest.organization_id and delivery.delivery_id = oldest.delivery_id)
           update svc.webhooks as notice set due_at = least(notice.due_at, svc.now())
             from oldest
            where notice.organization_id = oldest.organization_id and notice.webhook_id = oldest.webhook_id
        returning notice.webhook_id`,
    values: [organizationId, failures],
  })
  return givenUp.length > 0
}

/** Inserts a notice of the event with this version, signed with the secrets that sign for the webhook now. */
export async function insertNotice(
  tx: Tx,
  { organizationId, webhookId, url }: Pick<Webhook, 'organizationId' | 'webhookId' | 'url'>,
  version: number,
): Promise<void> {
  await tx.query({
    name: 'insert webhook notice',
    text: `insert into svc.webhooks (organization_id, webhook_id, former_of, secret_ids, url, events, status, deleted_at,
             scopes, data_key_id, version, created_at, fanned_out_to)
           select webhook.organization_id, $3, webhook.webhook_id,
                  array(select secret.secret_id from svc.webhook_secrets as secret
                         where secret.organization_id = $1 and secret.webhook_id = $2
                           and (secret.expires_at is null or secret.expires_at > clock_timestamp())),
                  $4, '{}', 'DELETED', svc.now(), '{webhooks:read}', webhook.data_key_id, $5, svc.now(), 0
             from svc.webhooks as webhook
            where webhook.organization_id = $1 and webhook.webhook_id = $2`,
    values: [organizationId, webhookId, newId(), url, version],
  })
}

/** Holds while a notice has no delivery: its event may not be sequenced yet. */
export const hasNewNotices: Due =
  firstOf(`svc.webhooks as notice where notice.former_of is not null and notice.fanned_out_to = 0
       order by notice.organization_id, notice.webhook_id`)

/** Inserts the delivery of each notice whose event is sequenced, due at once. Answers how many. */
export async function fanOutNotices(tx: Tx, limit: number): Promise<number> {
  const fannedOut = await tx.query({
    name: 'fan out webhook notices',
    text: `with ready as materialized (
             select notice.organization_id, notice.webhook_id, event.event_id, event.type, event.resource_id, event.sequence
               from svc.webhooks as notice
               join svc.events as event on event.organization_id = notice.organization_id
                and event.resource_id = notice.former_of::text and event.resource_version = notice.version
              where notice.former_of is not null and notice.fanned_out_to = 0 and event.sequence is not null
              order by notice.webhook_id limit $1 for update of notice),
           placed as (
             select ready.organization_id, ready.webhook_id, ready.event_id, ready.type, ready.resource_id,
                    ready.sequence, row_number() over (order by ready.webhook_id) as place
               from ready),
           clock as materialized (select svc.now() as now),
           inserted as (
             insert into svc.webhook_deliveries (organization_id, delivery_id, webhook_id, event_id, event_type,
               resource_id, sequence, replay, status, created_at, due_at)
             select organization_id, ($2::uuid[])[place], webhook_id, event_id, type, resource_id, sequence, 0,
                    'PENDING', clock.now, clock.now
               from placed cross join clock)
           update svc.webhooks as notice set fanned_out_to = placed.sequence, due_at = clock.now
             from placed cross join clock
            where notice.organization_id = placed.organization_id and notice.webhook_id = placed.webhook_id
        returning notice.webhook_id`,
    values: [limit, Array.from({ length: limit }, () => newId())],
  })
  return fannedOut.length
}

/** Locks the webhook that a notice is about. True when it is deleted and has no notice that is not at its end. */
export async function lockWithoutNotices(tx: Tx, { organizationId, webhookId }: WebhookId): Promise<boolean> {
  const [locked] = await tx.query<{ webhookId: string; isDeleted: boolean }>({
    name: 'lock webhook of a notice',
    text: `select webhook.webhook_id as "webhookId", webhook.status = 'DELETED' as "isDeleted"
             from svc.webhooks as webhook
            where webhook.organization_id = $1
              and webhook.webhook_id = (select coalesce(notice.former_of, notice.webhook_id) from svc.webhooks as notice
                                         where notice.organization_id = $1 and notice.webhook_id = $2)
              for update`,
    values: [organizationId, webhookId],
  })
  if (!locked?.isDeleted) return false
  // A statement of its own: it sees what the holder of the lock before wrote.
  const open = await tx.query({
    name: 'find open notice of a webhook',
    text: `select notice.webhook_id from svc.webhooks as notice
            where notice.organization_id = $1 and notice.former_of = $2 and ${isOpen} limit 1`,
    values: [organizationId, locked.webhookId],
  })
  return open.length === 0
}
