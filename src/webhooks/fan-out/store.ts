import type { Tx } from '../../db/database.ts'
import { changedSince, fewChangedSince, hasManyChanged } from '../../db/outbox/readers.ts'
import type { Due } from '../../db/work.ts'
import { anyDue, firstOf } from '../../db/workers/due.ts'
import { eventScopes, eventTypes } from '../../lib/event-types.ts'
import { newId } from '../../lib/ids.ts'

/** A webhook whose cursor may be behind the last sequenced event of its organization. */
export type LaggingWebhook = { organizationId: string; webhookId: string; after: string; last: string }

/** One event for one webhook. */
export type NewDelivery = {
  organizationId: string
  webhookId: string
  eventId: string
  eventType: string
  resourceId: string
  sequence: string
}

/** The cursor of a webhook whose key has expired stays: the key that takes it over gets the events from before. */
const hasMaker = '(webhook.maker_expires_at is null or webhook.maker_expires_at > clock_timestamp())'

/** The webhooks of a changed organization that lag behind it, and those that may lag behind any organization. */
const isLagging = `webhook.organization_id = sequences.organization_id and webhook.status = 'ENABLED'
                     and webhook.fanned_out_to < sequences.last_sequence and ${hasMaker}`
const isBehind = `webhook.is_behind and ${hasMaker}`

export const hasLaggingWebhooks: Due = anyDue(
  firstOf(`svc.webhooks as webhook where ${isBehind} order by webhook.organization_id, webhook.webhook_id`),
  firstOf(`${fewChangedSince('webhooks')}
     cross join lateral (select from svc.webhooks as webhook where ${isLagging} limit 1) as lagging`),
  hasManyChanged('webhooks'),
)

/**
 * Reads the webhooks with the smallest lag first, so that a webhook with a large lag delays no other. An `offset` keeps
 * PostgreSQL from joining all webhooks with all organizations.
 */
export function readLaggingWebhooks(tx: Tx, limit: number): Promise<LaggingWebhook[]> {
  return tx.query<LaggingWebhook>({
    name: 'read lagging webhooks',
    text: `select organization_id as "organizationId", webhook_id as "webhookId", fanned_out_to as after, last
             from (select lagging.organization_id, webhook_id, fanned_out_to, last_sequence as last
                     from ${changedSince('webhooks')}
                    cross join lateral (
                          select organization_id, webhook_id, fanned_out_to from svc.webhooks as webhook
                           where ${isLagging} offset 0) as lagging
                    union
                   select webhook.organization_id, webhook_id, fanned_out_to, greatest(fanned_out_to, last_sequence)
                     from svc.webhooks as webhook
                     left join lateral (
                          select last_sequence from svc.event_sequences as own
                           where own.organization_id = webhook.organization_id limit 1) as sequences on true
                    where ${isBehind}) as found
            order by last - fanned_out_to limit $1`,
    values: [limit],
  })
}

/** A range of sequences to fan out to one webhook. */
export type FanOutStep = { organizationId: string; webhookId: string; after: string; upTo: string }

/**
 * Inserts a delivery, due at once, for each event of a step that its webhook subscribes to and may receive. Returns the
 * webhooks that got any. No webhook is told of itself: a notice tells its former address. The events stay inside the database: moving thousands
 * of them to the worker and back would take long.
 */
export async function fanOutSteps(tx: Tx, steps: readonly FanOutStep[]): Promise<Set<string>> {
  const maxDeliveries = steps.reduce((sum, { after, upTo }) => sum + BigInt(upTo) - BigInt(after), 0n)
  const matched = await tx.query<{ webhookId: string }>({
    name: 'fan out events',
    text: `with match as (
             select webhook.organization_id, webhook.webhook_id, event.event_id, event.type, event.resource_id,
                    event.sequence, row_number() over (order by event.sequence) as place
               from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[]) as step (organization_id, webhook_id,
                    after, up_to)
               join svc.webhooks as webhook
                 on webhook.organization_id = step.organization_id and webhook.webhook_id = step.webhook_id
              cross join lateral (
                    select array_agg(needed.type) as types
                      from unnest($6::text[], $7::text[]) as needed (type, scope)
                     where needed.scope = any(webhook.scopes)) as readable
              -- An offset keeps the range inside: PostgreSQL would read all events of the organization, and compare then.
              cross join lateral (
                    select event_id, type, resource_id, sequence from svc.events as read
                     where read.organization_id = step.organization_id and read.sequence > step.after
                       and read.sequence <= step.up_to offset 0) as event
              where event.type = any(readable.types)
                and (event.type = any(webhook.events) or '*' = any(webhook.events))
                and not (event.type in ('webhook.created', 'webhook.updated', 'webhook.disabled')
                     and event.resource_id = webhook.webhook_id::text)),
           clock as materialized (select svc.now() as now),
           inserted as (
             insert into svc.webhook_deliveries (organization_id, delivery_id, webhook_id, event_id, event_type,
               resource_id, sequence, replay, status, created_at, due_at)
             select organization_id, ($5::uuid[])[place], webhook_id, event_id, type, resource_id, sequence, 0,
                    'PENDING', clock.now, clock.now
               from match cross join clock order by place
                 on conflict do nothing)
           select distinct webhook_id as "webhookId" from match`,
    values: [
      steps.map((step) => step.organizationId),
      steps.map((step) => step.webhookId),
      steps.map((step) => step.after),
      steps.map((step) => step.upTo),
      Array.from({ length: Number(maxDeliveries) }, () => newId()),
      eventTypes,
      eventTypes.map((type) => eventScopes[type]),
    ],
  })
  return new Set(matched.map(({ webhookId }) => webhookId))
}

/**
 * Reads the range of events that happened before a webhook was disabled and were not fanned out by then. `last` is the
 * last sequence of the organization: an enabled webhook receives the events after it.
 */
export async function readBacklog(
  tx: Tx,
  { organizationId, webhookId }: { organizationId: string; webhookId: string },
): Promise<{ after: string; upTo: string; last: string } | undefined> {
  const [range] = await tx.query<{ after: string; upTo: string; last: string }>({
    name: 'read backlog of a disabled webhook',
    text: `select webhook.fanned_out_to as after,
                  coalesce(disabled.sequence - 1, sequences.last_sequence, 0) as "upTo",
                  coalesce(sequences.last_sequence, 0) as last
             from svc.webhooks as webhook
             left join svc.event_sequences as sequences on sequences.organization_id = webhook.organization_id
             left join svc.events as disabled
               on disabled.organization_id = webhook.organization_id and disabled.resource_id = webhook.webhook_id::text
              and disabled.resource_version = webhook.disabled_version
            where webhook.organization_id = $1 and webhook.webhook_id = $2 and webhook.status = 'DISABLED'`,
    values: [organizationId, webhookId],
  })
  return range
}

/**
 * Inserts deliveries that are due at once, with ids in the given order. Skips an event that has this delivery already.
 */
export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[], replay: number): Promise<string[]> {
  if (deliveries.length === 0) return []
  const deliveryIds = deliveries.map(() => newId())
  await tx.query({
    name: 'insert webhook deliveries',
    text: `insert into svc.webhook_deliveries (organization_id, delivery_id, webhook_id, event_id, event_type,
             resource_id, sequence, replay, status, created_at, due_at)
           with clock as materialized (select svc.now() as now)
           select organization_id, delivery_id, webhook_id, event_id, event_type, resource_id, sequence, $8,
                  'PENDING', clock.now, clock.now
             from clock cross join unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::bigint[])
                  as new_deliveries (organization_id, delivery_id, webhook_id, event_id, event_type, resource_id,
                  sequence)
               on conflict do nothing`,
    values: [
      deliveries.map((each) => each.organizationId),
      deliveryIds,
      deliveries.map((each) => each.webhookId),
      deliveries.map((each) => each.eventId),
      deliveries.map((each) => each.eventType),
      deliveries.map((each) => each.resourceId),
      deliveries.map((each) => each.sequence),
      replay,
    ],
  })
  return deliveryIds
}

/**
 * Advances the cursors and makes webhooks with new deliveries due. Must be the last statement of its database
 * transaction: a session that ends meanwhile waits for the lock and then sees the deliveries. A webhook with an open
 * circuit keeps its pause. Locks webhooks in the order of their ids, as a replay does, to avoid deadlocks.
 */
export async function advanceCursors(
  tx: Tx,
  steps: readonly (FanOutStep & { hasMatches: boolean; isPartial: boolean })[],
): Promise<void> {
  await tx.query({
    name: 'advance webhook cursors',
    text: `with step as materialized (
             select locked.organization_id, locked.webhook_id, after, up_to, has_matches, is_partial
               from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::boolean[], $5::bigint[], $6::boolean[])
                    as wanted (organization_id, webhook_id, up_to, has_matches, after, is_partial)
               join svc.webhooks as locked using (organization_id, webhook_id)
              order by locked.webhook_id for update of locked)
           update svc.webhooks as webhook
              set fanned_out_to = greatest(webhook.fanned_out_to, step.up_to),
                  fanned_out_revision = case when step.is_partial or webhook.fanned_out_to <> step.after then 0
                                             else webhook.revision end,
                  due_at = case when not step.has_matches or webhook.status <> 'ENABLED' then webhook.due_at
                                when webhook.circuit = 'OPEN' and webhook.due_at is not null then webhook.due_at
                                else least(webhook.due_at, svc.now()) end
             from step
            where webhook.organization_id = step.organization_id and webhook.webhook_id = step.webhook_id`,
    values: [
      steps.map((step) => step.organizationId),
      steps.map((step) => step.webhookId),
      steps.map((step) => step.upTo),
      steps.map((step) => step.hasMatches),
      steps.map((step) => step.after),
      steps.map((step) => step.isPartial),
    ],
  })
}
