import type { Queryable, Tx } from '../../db/database.ts'
import type { Scope } from '../../lib/caller.ts'
import type { EventType } from '../../lib/event-types.ts'
import type { Subscription } from '../subscription.ts'
import type { NewDelivery } from './store.ts'

/** Takes the next replay number and locks the webhook, so that a running session ends after our commit. */
export async function startReplay(
  tx: Tx,
  organizationId: string,
  webhookId: string,
): Promise<{ replay: number } | undefined> {
  const [started] = await tx.query<{ replay: number }>({
    name: 'start replay',
    text: `update svc.webhooks
              set replays = replays + 1, due_at = least(due_at, svc.now()), circuit = 'CLOSED', consecutive_failures = 0
            where organization_id = $1 and webhook_id = $2 and status = 'ENABLED'
        returning replays as replay`,
    values: [organizationId, webhookId],
  })
  return started
}

export type ReplayRange = { fromSequence?: number; toSequence?: number; from?: Date; to?: Date }
export type ReplayedEvent = Omit<NewDelivery, 'webhookId'> & { dataKeyId: string | null }

/**
 * Reads the first and the last sequence of a period. The count keeps PostgreSQL on the index by time: for `min` and
 * `max` alone it would walk all events in sequence order until one is of that period.
 */
async function readSequenceBounds(
  tx: Tx,
  organizationId: string,
  { from, to }: ReplayRange,
): Promise<{ first: string | null; last: string | null } | undefined> {
  const [bounds] = await tx.query<{ first: string | null; last: string | null }>({
    name: 'read sequence bounds of a period',
    text: `select min(sequence) as first, max(sequence) as last, count(*) as events from svc.events
            where organization_id = $1 and sequence is not null and created_at >= $2 and created_at < $3`,
    values: [organizationId, from ?? '-infinity', to ?? 'infinity'],
  })
  return bounds
}

const maxSequence = '9223372036854775807'

/** Reads sequenced events only: the others are not visible yet. */
export async function readRange(
  tx: Tx,
  organizationId: string,
  range: ReplayRange,
  types: readonly EventType[],
  limit: number,
): Promise<ReplayedEvent[]> {
  const { fromSequence, toSequence, from, to } = range
  const bounds = from || to ? await readSequenceBounds(tx, organizationId, range) : undefined
  return tx.query<ReplayedEvent>({
    name: 'read events to replay',
    text: `select organization_id as "organizationId", event_id as "eventId", type as "eventType",
                  resource_id as "resourceId", sequence, data_key_id as "dataKeyId"
             from svc.events
            where organization_id = $1 and sequence >= $2 and sequence >= $3 and sequence <= $4 and sequence <= $5
              and created_at >= $6 and created_at < $7 and type = any($8)
            order by sequence limit $9`,
    values: [
      organizationId,
      fromSequence ?? 1,
      bounds ? bounds.first : 1,
      toSequence ?? maxSequence,
      bounds ? bounds.last : maxSequence,
      from ?? '-infinity',
      to ?? 'infinity',
      types,
      limit,
    ],
  })
}

export async function findEvent(
  database: Queryable,
  organizationIds: readonly string[],
  eventId: string,
): Promise<ReplayedEvent | undefined> {
  const [found] = await database.query<ReplayedEvent>({
    name: 'find event to replay',
    text: `select organization_id as "organizationId", event_id as "eventId", type as "eventType",
                  resource_id as "resourceId", sequence, data_key_id as "dataKeyId"
             from svc.events where organization_id = any($1) and event_id = $2 and sequence is not null`,
    values: [organizationIds, eventId],
  })
  return found
}

export function listEnabled(
  database: Queryable,
  organizationId: string,
): Promise<{ webhookId: string; events: Subscription[]; scopes: Scope[] }[]> {
  return database.query({
    name: 'list enabled webhooks',
    text: `select webhook_id as "webhookId", events, scopes from svc.webhooks
            where organization_id = $1 and status = 'ENABLED' order by webhook_id`,
    values: [organizationId],
  })
}
