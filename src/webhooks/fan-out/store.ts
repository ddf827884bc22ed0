import type { Queryable, Tx } from '../../db/database.ts'
import { newId } from '../../lib/ids.ts'

/** A webhook that has not heard of everything that has a number. */
export type Behind = { organizationId: string; webhookId: string; after: string; last: string }

/** An event on its way to one webhook. */
export type NewDelivery = {
  organizationId: string
  webhookId: string
  eventId: string
  eventType: string
  resourceId: string
  sequence: string
}

export async function isAnyBehind(database: Queryable): Promise<boolean> {
  const [row] = await database.query<{ found: boolean }>({
    name: 'is any webhook behind',
    text: `select exists (
             select from svc.webhooks as webhook
               join svc.event_sequences as numbered on numbered.organization_id = webhook.organization_id
              where webhook.status = 'ENABLED' and webhook.fanned_out_to < numbered.last_sequence) as found`,
  })
  return row?.found ?? false
}

/** Those that are nearly there first: one with a long way to go holds up nobody. */
export function readBehind(tx: Tx, limit: number): Promise<Behind[]> {
  return tx.query<Behind>({
    name: 'read webhooks behind',
    text: `select webhook.organization_id as "organizationId", webhook.webhook_id as "webhookId",
                  webhook.fanned_out_to as after, numbered.last_sequence as last
             from svc.webhooks as webhook
             join svc.event_sequences as numbered on numbered.organization_id = webhook.organization_id
            where webhook.status = 'ENABLED' and webhook.fanned_out_to < numbered.last_sequence
            order by numbered.last_sequence - webhook.fanned_out_to limit $1`,
    values: [limit],
  })
}

export type Step = { organizationId: string; webhookId: string; after: string; upTo: string }

/**
 * Makes a delivery, due at once, of each event between the numbers of a step that its webhook subscribes to; says which
 * webhooks got any. Events come and go within the database: thousands of them take a while to be read and sent back.
 */
export async function fanOutSteps(tx: Tx, steps: readonly Step[]): Promise<Set<string>> {
  const most = steps.reduce((sum, { after, upTo }) => sum + BigInt(upTo) - BigInt(after), 0n)
  const rows = await tx.query<{ webhookId: string }>({
    name: 'fan out events',
    text: `with match as (
             select webhook.organization_id, webhook.webhook_id, event.event_id, event.type, event.resource_id,
                    event.sequence, row_number() over (order by event.sequence) as place
               from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[]) as step (organization_id, webhook_id,
                    after, up_to)
               join svc.webhooks as webhook
                 on webhook.organization_id = step.organization_id and webhook.webhook_id = step.webhook_id
               join svc.events as event
                 on event.organization_id = step.organization_id and event.sequence > step.after
                and event.sequence <= step.up_to
                and (event.type = any(webhook.events) or '*' = any(webhook.events))),
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
      Array.from({ length: Number(most) }, () => newId()),
    ],
  })
  return new Set(rows.map(({ webhookId }) => webhookId))
}

/**
 * The numbers of what happened before a webhook was disabled and had not become deliveries by then; and the last number
 * there is, after which it hears everything again once it is enabled.
 */
export async function readUnfannedBeforeDisabled(
  tx: Tx,
  { organizationId, webhookId, version }: { organizationId: string; webhookId: string; version: number },
): Promise<{ after: string; upTo: string; last: string } | undefined> {
  const [row] = await tx.query<{ after: string; upTo: string; last: string }>({
    name: 'read what a disabled webhook missed',
    text: `select webhook.fanned_out_to as after, coalesce(told.sequence - 1, numbered.last_sequence, 0) as "upTo",
                  coalesce(numbered.last_sequence, 0) as last
             from svc.webhooks as webhook
             left join svc.event_sequences as numbered on numbered.organization_id = webhook.organization_id
             left join svc.events as told
               on told.organization_id = webhook.organization_id and told.resource_id = webhook.webhook_id::text
              and told.resource_version = $3
            where webhook.organization_id = $1 and webhook.webhook_id = $2 and webhook.status = 'DISABLED'`,
    values: [organizationId, webhookId, version],
  })
  return row
}

/** Due at once. Ids are made here in the order given; an event that is on its way already is not sent again. */
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
 * Moves the cursors, and makes webhooks with something new due. The last statement of its transaction: whoever ends a
 * turn meanwhile waits here, and then sees the deliveries. One that fails all the time keeps its pause. Rows are locked in
 * the order of their ids, as by a replay.
 */
export async function moveCursors(tx: Tx, steps: readonly (Step & { hasMatches: boolean })[]): Promise<void> {
  await tx.query({
    name: 'move webhook cursors',
    text: `with step as materialized (
             select locked.organization_id, locked.webhook_id, up_to, has_matches
               from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::boolean[]) as asked (organization_id, webhook_id,
                    up_to, has_matches)
               join svc.webhooks as locked using (organization_id, webhook_id)
              order by locked.webhook_id for update of locked)
           update svc.webhooks as webhook
              set fanned_out_to = greatest(webhook.fanned_out_to, step.up_to),
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
    ],
  })
}
