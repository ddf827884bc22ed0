import type { Queryable } from '../db/database.ts'
import type { Check } from '../db/verify.ts'
import { claimWork, requireFence, type WorkTable } from '../db/work.ts'
import type { EventType } from '../lib/event-types.ts'
import type { DeliveryStatus } from './delivery.ts'
import type { Outcome } from './outcome.ts'
import { circuitPauseSeconds, failingDaysAllowed, failuresThatOpenCircuit, type WebhookStatus } from './webhook.ts'

const webhooks: WorkTable = {
  table: 'svc.webhooks',
  key: ['organization_id', 'webhook_id'],
  dueBy: 'business time',
}

export type Circuit = 'CLOSED' | 'OPEN'

/** A webhook in our hands: as long as the fence is ours, nobody else sends to it. */
export type ClaimedWebhook = {
  organizationId: string
  webhookId: string
  url: string
  dataKeyId: string
  revision: number
  circuit: Circuit
  fence: string
}

export async function claimWebhooks(
  database: Queryable,
  circuit: Circuit,
  options: { limit: number; leaseMs: number },
): Promise<ClaimedWebhook[]> {
  type Row = { organization_id: string; webhook_id: string; url: string; data_key_id: string; revision: number }
  const rows = await claimWork<Row>(database, webhooks, {
    ...options,
    columns: ['url', 'data_key_id', 'revision'],
    only: { column: 'circuit', values: [circuit] },
  })
  return rows.map(({ organization_id, webhook_id, url, data_key_id, revision, fence }) => {
    const ids = { organizationId: organization_id, webhookId: webhook_id, dataKeyId: data_key_id }
    return { ...ids, url, revision, circuit, fence }
  })
}

/** The event of a delivery that may be sent now. */
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
 * A later event of a resource waits for each earlier one, until that has failed three times. The smallest number, and not
 * `not exists`: that one PostgreSQL turns into a join, which reads every waiting delivery for each one when it was planned
 * in a calm hour and a burst has come since.
 */
const isFirst = `delivery.sequence <= coalesce((
  select min(earlier.sequence) from svc.webhook_deliveries as earlier
   where earlier.organization_id = delivery.organization_id and earlier.webhook_id = delivery.webhook_id
     and earlier.resource_id = delivery.resource_id and earlier.replay = delivery.replay
     and earlier.status = 'PENDING' and earlier.attempts < 3), delivery.sequence)`

export function readDue(
  database: Queryable,
  { organizationId, webhookId }: ClaimedWebhook,
  inHand: readonly string[],
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
              and delivery.delivery_id not in (select unnest($3::uuid[])) and ${isFirst}
            order by delivery.due_at, delivery.sequence limit $4`,
    values: [organizationId, webhookId, inHand, limit],
  })
}

/** How the last few attempts went, as the webhook itself is concerned. */
export type Health = { hasSuccess: boolean; failuresSince: number }
export type Standing = { revision: number; status: WebhookStatus; circuit: Circuit; isFailingTooLong: boolean }

/** An attempt, and what becomes of its delivery. */
export type MadeAttempt = {
  deliveryId: string
  attempt: number
  outcome: Outcome
  statusCode: number | null
  durationMs: number
  /** How long ago it began. */
  ageMs: number
  error: string | null
  sealedResponse: Buffer | null
  isResponseCut: boolean
  dataKeyId: string | null
  status: DeliveryStatus
  /** Until the next attempt, if there is one. */
  delayMs: number | null
}

/** How the webhook fares, under our fence. The other parts of the statement read it: without the fence they do nothing. */
const held = `
  update svc.webhooks
     set lease_until = clock_timestamp() + $6 * interval '1 millisecond',
         consecutive_failures = case when $4 then 0 else consecutive_failures end + $5::int,
         circuit = case when (case when $4 then 0 else consecutive_failures end) + $5::int >= $7 then 'OPEN'
                        else 'CLOSED' end,
         failing_since = case when $5::int = 0 and not $4 then failing_since
                              when $5::int = 0 then null
                              when $4 then svc.now()
                              else coalesce(failing_since, svc.now()) end
   where organization_id = $1 and webhook_id = $2 and fence = $3
  returning revision, status, circuit,
            coalesce(failing_since <= svc.now() - $8 * interval '1 day', false) as "isFailingTooLong"`

/**
 * All attempts, what becomes of their deliveries and what they say about the webhook, in one statement, which also renews
 * the lease. Throws LeaseLost, and has written nothing then. While business time stands still an attempt takes none of it.
 * That a delivery is PENDING is said so that no index of what is waiting fits: PostgreSQL finds it by its id, and not among
 * all the others.
 * The commit does not wait for the disk: a record that is lost with the server's power is of a message sent once more.
 */
export async function recordAttempts(
  database: Queryable,
  { organizationId, webhookId, fence }: ClaimedWebhook,
  { hasSuccess, failuresSince }: Health,
  attempts: readonly MadeAttempt[],
  leaseMs: number,
): Promise<Standing> {
  const column = <Name extends keyof MadeAttempt>(name: Name) => attempts.map((attempt) => attempt[name])
  const recorded = await database.query<Standing>({
    name: 'record webhook attempts',
    text: `with held as (${held}),
           clock as materialized (select svc.now() as now, frozen_at from svc.clock),
           made as (
             select delivery_id, attempt, age_ms, outcome, status_code, duration_ms, error, sealed_response,
                    is_response_cut, data_key_id, made.status, delay_ms
               from unnest($9::uuid[], $10::int[], $11::int[], $12::text[], $13::smallint[], $14::int[], $15::text[],
                      $16::bytea[], $17::boolean[], $18::uuid[], $19::text[], $20::bigint[])
                    as made (delivery_id, attempt, age_ms, outcome, status_code, duration_ms, error, sealed_response,
                      is_response_cut, data_key_id, status, delay_ms)
              cross join held),
           written as (
             insert into svc.webhook_attempts (organization_id, delivery_id, attempt, attempted_at, outcome, status_code,
                      duration_ms, error, sealed_response, is_response_cut, data_key_id)
             select $1, delivery_id, attempt,
                    case when frozen_at is null then clock.now - age_ms * interval '1 millisecond' else frozen_at end,
                    outcome, status_code, duration_ms, error, sealed_response, is_response_cut, data_key_id
               from made cross join clock),
           settled as (
             update svc.webhook_deliveries as delivery
                set status = made.status, attempts = made.attempt,
                    due_at = clock.now + made.delay_ms * interval '1 millisecond'
               from made cross join clock
              where delivery.organization_id = $1 and delivery.delivery_id = made.delivery_id
                and delivery.status not in ('DELIVERED', 'FAILED') and delivery.attempts = made.attempt - 1)
           select revision, status, circuit, "isFailingTooLong",
                  set_config('synchronous_commit', 'off', true) as commit from held`,
    values: [
      ...[organizationId, webhookId, fence, hasSuccess, failuresSince],
      ...[leaseMs, failuresThatOpenCircuit, failingDaysAllowed],
      ...[column('deliveryId'), column('attempt'), column('ageMs'), column('outcome')],
      ...[column('statusCode'), column('durationMs'), column('error'), column('sealedResponse')],
      ...[column('isResponseCut'), column('dataKeyId'), column('status'), column('delayMs')],
    ],
  })
  requireFence(recorded)
  return recorded[0] as Standing
}

/** False when somebody else has taken the webhook over. */
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
 * Gives the webhook back, due when its next delivery is. Two statements: the second sees what whoever held the row
 * before us has written.
 */
export async function endTurn(
  transaction: Queryable,
  { organizationId, webhookId, fence }: ClaimedWebhook,
): Promise<void> {
  const locked = await transaction.query({
    name: 'lock webhook',
    text: `select fence from svc.webhooks where organization_id = $1 and webhook_id = $2 and fence = $3 for update`,
    values: [organizationId, webhookId, fence],
  })
  requireFence(locked)
  await transaction.query({
    name: 'end webhook turn',
    text: `update svc.webhooks as webhook
              set lease_until = null,
                  due_at = case when status <> 'ENABLED' then null
                                when circuit = 'OPEN' and next.due_at is not null
                                then greatest(next.due_at, svc.now() + $4 * interval '1 second')
                                else next.due_at end
             from (values (1)) as always left join lateral (
                  select delivery.due_at from svc.webhook_deliveries as delivery
                   where delivery.organization_id = $1 and delivery.webhook_id = $2 and delivery.due_at is not null
                     and ${isFirst}
                   order by delivery.due_at limit 1) as next on true
            where webhook.organization_id = $1 and webhook.webhook_id = $2 and webhook.fence = $3`,
    values: [organizationId, webhookId, fence, circuitPauseSeconds],
  })
}

export const webhookChecks: readonly Check[] = [
  {
    name: 'no delivery waits unseen',
    sql: `select format('delivery %s of organization %s is due and its webhook is not', delivery.delivery_id,
                   delivery.organization_id) as violation
            from svc.webhooks as webhook
            join svc.webhook_deliveries as delivery
              on delivery.organization_id = webhook.organization_id and delivery.webhook_id = webhook.webhook_id
           where webhook.status = 'ENABLED' and webhook.circuit = 'CLOSED' and delivery.status = 'PENDING'
             and (webhook.due_at is null or webhook.due_at > delivery.due_at) and ${isFirst}`,
  },
]
