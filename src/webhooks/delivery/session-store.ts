import type { Queryable, Tx } from '../../db/database.ts'
import type { Check } from '../../db/verify.ts'
import { claimWork, requireFence, type WorkTable } from '../../db/work.ts'
import { dueIn } from '../../db/workers/due.ts'
import type { Scope } from '../../lib/caller.ts'
import type { EventType } from '../../lib/event-types.ts'
import { circuitPauseSeconds, type WebhookStatus } from '../webhook.ts'

const webhooks: WorkTable = {
  table: 'svc.webhooks',
  key: ['organization_id', 'webhook_id'],
  dueBy: 'business time',
}

export type Circuit = 'CLOSED' | 'OPEN'

/** The slots that a webhook shares: with endpoints that answer quickly, slowly, or fail. */
export const lanes = ['QUICK', 'SLOW', 'FAILING'] as const
export type Lane = (typeof lanes)[number]

/** A webhook that this worker has claimed: while the fence matches, no other worker sends to it. */
export type ClaimedWebhook = {
  organizationId: string
  webhookId: string
  url: string
  dataKeyId: string
  revision: number
  /** PENDING is claimed for a challenge, ENABLED for deliveries, DELETED for a notice. */
  status: WebhookStatus
  challenges: number
  /** How many replays were ever requested. */
  replays: number
  circuit: Circuit
  fence: string
  scopes: Scope[]
  makerExpiresAt: Date | null
}

export const dueWebhooks = dueIn(webhooks)

export async function claimWebhooks(
  database: Queryable,
  lane: Lane,
  options: { limit: number; leaseMs: number },
): Promise<ClaimedWebhook[]> {
  type Columns = { organization_id: string; webhook_id: string; data_key_id: string; maker_expires_at: Date | null }
  type Shown = 'url' | 'revision' | 'circuit' | 'status' | 'challenges' | 'replays' | 'scopes'
  const claimed = await claimWork<Pick<ClaimedWebhook, Shown> & Columns>(database, webhooks, {
    ...options,
    columns: [
      'url',
      'data_key_id',
      'revision',
      'circuit',
      'status',
      'challenges',
      'replays',
      'scopes',
      'maker_expires_at',
    ],
    only: { column: 'lane', values: [lane] },
  })
  return claimed.map(({ organization_id, webhook_id, data_key_id, maker_expires_at, ...webhook }) => ({
    ...webhook,
    organizationId: organization_id,
    webhookId: webhook_id,
    dataKeyId: data_key_id,
    makerExpiresAt: maker_expires_at,
  }))
}

/** A delivery that may be sent now, with its event. */
export type DueDelivery = {
  deliveryId: string
  attempts: number
  scheduleFrom: number
  eventId: string
  type: EventType
  apiVersion: string
  createdAt: Date
  sequence: string
  resourceId: string
  resourceVersion: number
  data: string | null
  sealedData: Buffer | null
  dataKeyId: string | null
}

/**
 * A later event of a resource waits for each earlier one until that has failed three times. Compares with the smallest
 * pending sequence instead of `not exists`: PostgreSQL turns the latter into a join, and a plan made for few deliveries
 * then reads all pending ones for each delivery of a burst.
 */
const isNextInOrder = `delivery.sequence <= coalesce((
  select min(earlier.sequence) from svc.webhook_deliveries as earlier
   where earlier.organization_id = delivery.organization_id and earlier.webhook_id = delivery.webhook_id
     and earlier.resource_id = delivery.resource_id and earlier.replay = delivery.replay
     and earlier.status = 'PENDING' and earlier.attempts < 3), delivery.sequence)`

/** Live deliveries are of events as they happen; replays are paced, and wait for them. */
export type DeliveryKind = 'live' | 'replay'

const ofKind: Record<DeliveryKind, string> = {
  live: 'least(delivery.replay, 1) = 0',
  replay: 'least(delivery.replay, 1) = 1',
}

const areReplaysPaused = `exists (
  select from svc.webhooks as webhook
   where webhook.organization_id = $1 and webhook.webhook_id = $2 and webhook.replays_paused_until > svc.now())`

export function readDue(
  database: Queryable,
  { organizationId, webhookId }: ClaimedWebhook,
  kind: DeliveryKind,
  inFlight: readonly string[],
  limit: number,
): Promise<DueDelivery[]> {
  return database.query<DueDelivery>({
    name: `read due deliveries ${kind}`,
    text: `select delivery.delivery_id as "deliveryId", delivery.attempts, delivery.schedule_from as "scheduleFrom",
                  event.event_id as "eventId", event.type, event.api_version as "apiVersion",
                  event.created_at as "createdAt", event.sequence, event.resource_id as "resourceId",
                  event.resource_version as "resourceVersion", event.data, event.sealed_data as "sealedData", event.data_key_id as "dataKeyId"
             from svc.webhook_deliveries as delivery
             join svc.events as event
               on event.organization_id = delivery.organization_id and event.event_id = delivery.event_id
            where delivery.organization_id = $1 and delivery.webhook_id = $2 and ${ofKind[kind]}
              and delivery.due_at <= svc.now() ${kind === 'replay' ? `and not ${areReplaysPaused}` : ''}
              and delivery.delivery_id not in (select unnest($3::uuid[])) and ${isNextInOrder}
            order by delivery.due_at, delivery.sequence limit $4`,
    values: [organizationId, webhookId, inFlight, limit],
  })
}

/** The first due time of a kind of deliveries; null without any. */
const nextDueOf = (kind: DeliveryKind) => `
  select delivery.due_at from svc.webhook_deliveries as delivery
   where delivery.organization_id = $1 and delivery.webhook_id = $2 and ${ofKind[kind]} and delivery.due_at is not null
     and ${isNextInOrder}
   order by delivery.due_at limit 1`

/** Renews the lease; false when another worker has taken over the webhook. */
export async function renewLease(
  database: Queryable,
  { organizationId, webhookId, fence }: ClaimedWebhook,
  leaseMs: number,
): Promise<boolean> {
  const renewed = await database.query({
    name: 'renew webhook lease',
    text: `update svc.webhooks set lease_until = clock_timestamp() + $4 * interval '1 millisecond'
            where organization_id = $1 and webhook_id = $2 and fence = $3 returning fence`,
    values: [organizationId, webhookId, fence, leaseMs],
  })
  return renewed.length > 0
}

/**
 * Releases the webhook, due with its next delivery but not before now: a webhook with a backlog goes to the end of the
 * queue. Answers when it is due; null without a delivery left. The lock is a separate statement, so that the update sees the deliveries of a fan-out that held the lock.
 */
export async function endSession(tx: Tx, { organizationId, webhookId, fence }: ClaimedWebhook): Promise<Date | null> {
  const locked = await tx.query({
    name: 'lock webhook',
    text: `select fence from svc.webhooks where organization_id = $1 and webhook_id = $2 and fence = $3 for update`,
    values: [organizationId, webhookId, fence],
  })
  requireFence(locked)
  const [ended] = await tx.query<{ dueAt: Date | null }>({
    name: 'end webhook session',
    text: `update svc.webhooks as webhook
              set lease_until = null,
                  due_at = case when status = 'PENDING' then webhook.due_at
                                when status <> 'ENABLED' and former_of is null then null
                                when circuit = 'OPEN' and next.due_at is not null
                                then greatest(next.due_at, svc.now() + $4 * interval '1 second')
                                when next.due_at is not null then greatest(next.due_at, svc.now()) end
             from (select least(live.due_at, case when replay.due_at is not null
                                                  then greatest(replay.due_at, paused.replays_paused_until) end) as due_at
                     from svc.webhooks as paused
                     left join lateral (${nextDueOf('live')}) as live on true
                     left join lateral (${nextDueOf('replay')}) as replay on true
                    where paused.organization_id = $1 and paused.webhook_id = $2) as next
            where webhook.organization_id = $1 and webhook.webhook_id = $2 and webhook.fence = $3
        returning webhook.due_at as "dueAt"`,
    values: [organizationId, webhookId, fence, circuitPauseSeconds],
  })
  return ended?.dueAt ?? null
}

export const webhookChecks: readonly Check[] = [
  {
    name: 'every due delivery has a scheduled webhook',
    sql: `select format('delivery %s of organization %s is due, but its webhook is not scheduled', delivery.delivery_id,
                   delivery.organization_id) as violation
            from svc.webhooks as webhook
            join svc.webhook_deliveries as delivery
              on delivery.organization_id = webhook.organization_id and delivery.webhook_id = webhook.webhook_id
           where (webhook.status = 'ENABLED' or webhook.former_of is not null)
             and webhook.circuit = 'CLOSED' and delivery.status = 'PENDING'
             and (webhook.due_at is null
                  or webhook.due_at > greatest(delivery.due_at, svc.now() + interval '1 minute',
                       case when delivery.replay > 0 then webhook.replays_paused_until end)) and ${isNextInOrder}`,
  },
]
