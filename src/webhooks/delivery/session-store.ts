import type { Queryable, Tx } from '../../db/database.ts'
import type { Check } from '../../db/verify.ts'
import { claimWork, requireFence, type WorkTable } from '../../db/work.ts'
import { dueIn } from '../../db/workers/due.ts'
import type { EventType } from '../../lib/event-types.ts'
import { circuitPauseSeconds } from '../webhook.ts'

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
  circuit: Circuit
  fence: string
}

export const dueWebhooks = dueIn(webhooks)

export async function claimWebhooks(
  database: Queryable,
  lane: Lane,
  options: { limit: number; leaseMs: number },
): Promise<ClaimedWebhook[]> {
  type Columns = { organization_id: string; webhook_id: string; data_key_id: string }
  type Claimed = Pick<ClaimedWebhook, 'url' | 'revision' | 'circuit'> & Columns
  const claimed = await claimWork<Claimed>(database, webhooks, {
    ...options,
    columns: ['url', 'data_key_id', 'revision', 'circuit'],
    only: { column: 'lane', values: [lane] },
  })
  return claimed.map(({ organization_id, webhook_id, data_key_id, ...webhook }) => {
    return { ...webhook, organizationId: organization_id, webhookId: webhook_id, dataKeyId: data_key_id }
  })
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

export function readDue(
  database: Queryable,
  { organizationId, webhookId }: ClaimedWebhook,
  inFlight: readonly string[],
  limit: number,
): Promise<DueDelivery[]> {
  return database.query<DueDelivery>({
    name: 'read due deliveries',
    text: `select delivery.delivery_id as "deliveryId", delivery.attempts, delivery.schedule_from as "scheduleFrom",
                  event.event_id as "eventId", event.type, event.api_version as "apiVersion",
                  event.created_at as "createdAt", event.sequence, event.resource_version as "resourceVersion",
                  event.data, event.sealed_data as "sealedData", event.data_key_id as "dataKeyId"
             from svc.webhook_deliveries as delivery
             join svc.events as event
               on event.organization_id = delivery.organization_id and event.event_id = delivery.event_id
            where delivery.organization_id = $1 and delivery.webhook_id = $2 and delivery.due_at <= svc.now()
              and delivery.delivery_id not in (select unnest($3::uuid[])) and ${isNextInOrder}
            order by delivery.due_at, delivery.sequence limit $4`,
    values: [organizationId, webhookId, inFlight, limit],
  })
}

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
 * queue. The lock is a separate statement, so that the update sees the deliveries of a fan-out that held the lock.
 */
export async function endSession(tx: Tx, { organizationId, webhookId, fence }: ClaimedWebhook): Promise<void> {
  const locked = await tx.query({
    name: 'lock webhook',
    text: `select fence from svc.webhooks where organization_id = $1 and webhook_id = $2 and fence = $3 for update`,
    values: [organizationId, webhookId, fence],
  })
  requireFence(locked)
  await tx.query({
    name: 'end webhook session',
    text: `update svc.webhooks as webhook
              set lease_until = null,
                  due_at = case when status <> 'ENABLED' then null
                                when circuit = 'OPEN' and next.due_at is not null
                                then greatest(next.due_at, svc.now() + $4 * interval '1 second')
                                when next.due_at is not null then greatest(next.due_at, svc.now()) end
             from (values (1)) as always left join lateral (
                  select delivery.due_at from svc.webhook_deliveries as delivery
                   where delivery.organization_id = $1 and delivery.webhook_id = $2 and delivery.due_at is not null
                     and ${isNextInOrder}
                   order by delivery.due_at limit 1) as next on true
            where webhook.organization_id = $1 and webhook.webhook_id = $2 and webhook.fence = $3`,
    values: [organizationId, webhookId, fence, circuitPauseSeconds],
  })
}

export const webhookChecks: readonly Check[] = [
  {
    name: 'every due delivery has a scheduled webhook',
    sql: `select format('delivery %s of organization %s is due, but its webhook is not scheduled', delivery.delivery_id,
                   delivery.organization_id) as violation
            from svc.webhooks as webhook
            join svc.webhook_deliveries as delivery
              on delivery.organization_id = webhook.organization_id and delivery.webhook_id = webhook.webhook_id
           where webhook.status = 'ENABLED' and webhook.circuit = 'CLOSED' and delivery.status = 'PENDING'
             and (webhook.due_at is null
                  or webhook.due_at > greatest(delivery.due_at, svc.now() + interval '1 minute')) and ${isNextInOrder}`,
  },
]
