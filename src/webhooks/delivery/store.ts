import type { Queryable, Tx } from '../../db/database.ts'
import type { PageSlice } from '../../lib/pages.ts'
import { type Attempt, type Delivery, type DeliveryFilter, type DeliveryStatus, deliveryMoves } from './delivery.ts'

const ownColumns = `delivery.organization_id as "organizationId", delivery.delivery_id as "deliveryId",
  delivery.event_id as "eventId", delivery.event_type as "eventType", delivery.replay, delivery.status,
  delivery.attempts, delivery.created_at as "createdAt", delivery.due_at as "dueAt"`
const columns = `${ownColumns}, delivery.webhook_id as "webhookId", null as "formerUrl"`

/** The position of a delivery in a list. Event ids ascend with time; the replays of an event come right before it. */
export function sortKeyOf({ eventId, replay }: Delivery): string {
  return `${eventId} ${replay}`
}

const startOfList = 'ffffffff-ffff-ffff-ffff-ffffffffffff 2147483647'

const withStatus: Record<DeliveryStatus, string> = {
  PENDING: "and delivery.status = 'PENDING'",
  DELIVERED: "and delivery.status = 'DELIVERED'",
  FAILED: "and delivery.status = 'FAILED'",
}

/** Lists deliveries by event, the newest event first. */
export function listDeliveries(
  database: Queryable,
  organizationId: string,
  webhookId: string,
  { status, eventId }: DeliveryFilter,
  slice: PageSlice,
): Promise<Delivery[]> {
  const [afterEvent, afterReplay] = (slice.after ?? startOfList).split(' ')
  // Each combination of filters is a separate statement, so that PostgreSQL picks its index.
  const byEvent = eventId ? 'and delivery.event_id = $6' : ''
  const byStatus = status ? withStatus[status] : ''
  return database.query<Delivery>({
    name: ['list deliveries', status, eventId && 'of an event'].join(' '),
    text: `select ${columns} from svc.webhook_deliveries as delivery
            where delivery.organization_id = $1 and delivery.webhook_id = $2
              and (delivery.event_id, delivery.replay) < ($3::uuid, $4::int) ${byStatus} ${byEvent}
            order by delivery.event_id desc, delivery.replay desc limit $5`,
    values: [organizationId, webhookId, afterEvent, afterReplay, slice.limit, ...(eventId ? [eventId] : [])],
  })
}

/** Lists the notices of a webhook like its deliveries. There is one for each of its changes at most. */
export function listNotices(
  database: Queryable,
  organizationId: string,
  webhookId: string,
  { status, eventId }: DeliveryFilter,
  slice: PageSlice,
): Promise<Delivery[]> {
  const [afterEvent, afterReplay] = (slice.after ?? startOfList).split(' ')
  return database.query<Delivery>({
    name: 'list webhook notices',
    text: `select ${ownColumns}, notice.former_of as "webhookId", notice.url as "formerUrl"
             from svc.webhooks as notice
             join svc.webhook_deliveries as delivery
               on delivery.organization_id = notice.organization_id and delivery.webhook_id = notice.webhook_id
            where notice.organization_id = $1 and notice.former_of = $2
              and (delivery.event_id, delivery.replay) < ($3::uuid, $4::int)
              and ($6::text is null or delivery.status = $6) and ($7::uuid is null or delivery.event_id = $7)
            order by delivery.event_id desc, delivery.replay desc limit $5`,
    values: [organizationId, webhookId, afterEvent, afterReplay, slice.limit, status ?? null, eventId ?? null],
  })
}

export async function findDelivery(
  database: Queryable,
  organizationIds: readonly string[],
  deliveryId: string,
): Promise<Delivery | undefined> {
  const [found] = await database.query<Delivery>({
    name: 'find delivery',
    text: `select ${ownColumns}, webhook.webhook_id as "webhookId",
                  case when endpoint.former_of is not null then endpoint.url end as "formerUrl"
             from svc.webhook_deliveries as delivery
             join svc.webhooks as endpoint
               on endpoint.organization_id = delivery.organization_id and endpoint.webhook_id = delivery.webhook_id
             join svc.webhooks as webhook on webhook.organization_id = endpoint.organization_id
              and webhook.webhook_id = coalesce(endpoint.former_of, endpoint.webhook_id)
            where delivery.organization_id = any($1) and delivery.delivery_id = $2 and webhook.status <> 'DELETED'`,
    values: [organizationIds, deliveryId],
  })
  return found
}

export type StoredAttempt = Attempt & { sealedResponse: Buffer | null; dataKeyId: string | null }

/** Bounds the size of one delivery: a caller may request any number of retries. */
const attemptsShown = 100
const responsesShown = 20

/** Lists the newest attempts in order. With `last`, only the last attempt of each delivery has its response. */
export function listAttempts(
  database: Queryable,
  organizationId: string,
  deliveries: readonly Pick<Delivery, 'deliveryId' | 'attempts'>[],
  responses: 'all' | 'last',
): Promise<StoredAttempt[]> {
  return database.query<StoredAttempt>({
    name: 'list webhook attempts',
    text: `select attempt.delivery_id as "deliveryId", attempt.attempt, attempt.attempted_at as "attemptedAt",
                  attempt.outcome, attempt.status_code as "statusCode", attempt.duration_ms as "durationMs",
                  attempt.error, attempt.is_response_cut as "isResponseCut", attempt.data_key_id as "dataKeyId",
                  case when attempt.attempt > wanted.attempts - $4::int then attempt.sealed_response end
                    as "sealedResponse"
             from unnest($2::uuid[], $3::int[]) as wanted (delivery_id, attempts)
             join svc.webhook_attempts as attempt on attempt.delivery_id = wanted.delivery_id
            where attempt.organization_id = $1 and attempt.attempt > wanted.attempts - $5::int
            order by attempt.delivery_id, attempt.attempt`,
    values: [
      organizationId,
      deliveries.map((each) => each.deliveryId),
      deliveries.map((each) => each.attempts),
      responses === 'all' ? responsesShown : 1,
      attemptsShown,
    ],
  })
}

export type ResourceAttempt = Pick<Attempt, 'attemptedAt' | 'outcome' | 'statusCode'> &
  Pick<Delivery, 'webhookId' | 'eventType'>

/** Lists every attempt to deliver an event of one resource, oldest first. Finds events and deliveries by their keys. */
export function listResourceAttempts(
  database: Queryable,
  organizationId: string,
  resourceId: string,
): Promise<ResourceAttempt[]> {
  return database.query<ResourceAttempt>({
    name: 'list webhook attempts about a resource',
    text: `select attempt.attempted_at as "attemptedAt", attempt.outcome, attempt.status_code as "statusCode",
                  delivery.webhook_id as "webhookId", delivery.event_type as "eventType"
             from svc.events as event
             join svc.webhooks as webhook on webhook.organization_id = event.organization_id
             join svc.webhook_deliveries as delivery on delivery.organization_id = webhook.organization_id
              and delivery.webhook_id = webhook.webhook_id and delivery.event_id = event.event_id
             join svc.webhook_attempts as attempt
               on attempt.organization_id = delivery.organization_id and attempt.delivery_id = delivery.delivery_id
            where event.organization_id = $1 and event.resource_id = $2
            order by attempt.attempted_at`,
    values: [organizationId, resourceId],
  })
}

/** Makes a webhook due and locks it: a running session ends after our commit. False when it is not enabled. */
export async function wakeWebhook(tx: Tx, organizationId: string, webhookId: string): Promise<boolean> {
  const woken = await tx.query({
    name: 'wake webhook',
    text: `update svc.webhooks
              set due_at = least(due_at, svc.now()), circuit = 'CLOSED', consecutive_failures = 0
            where organization_id = $1 and webhook_id = $2 and status = 'ENABLED' returning webhook_id`,
    values: [organizationId, webhookId],
  })
  return woken.length > 0
}

/** Makes the delivery due now and restarts its schedule. */
export async function retryDelivery(tx: Tx, organizationId: string, deliveryId: string): Promise<Delivery | undefined> {
  const [retried] = await tx.query<Delivery>({
    name: 'retry delivery',
    text: `update svc.webhook_deliveries as delivery
              set status = 'PENDING', due_at = svc.now(), schedule_from = attempts
            where organization_id = $1 and delivery_id = $2 and status = any($3) returning ${columns}`,
    values: [organizationId, deliveryId, deliveryMoves.retry.from],
  })
  return retried
}

/** Reads the seconds for which the most delayed webhook without a session has been due. */
export async function readLag(database: Queryable): Promise<number> {
  const [oldest] = await database.query<{ lag: string | null }>({
    name: 'read webhook lag',
    text: `select extract(epoch from svc.now() - min(due_at))::text as lag from svc.webhooks
            where due_at is not null and (lease_until is null or lease_until < clock_timestamp())`,
  })
  return Math.max(0, Number(oldest?.lag ?? 0))
}
