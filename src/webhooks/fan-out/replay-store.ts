import type { Queryable, Tx } from '../../db/database.ts'
import type { Subscription } from '../subscription.ts'
import type { NewDelivery } from './store.ts'

/** Takes the next number for a replay and locks the webhook, so that its turn ends after we have written. */
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
 * The first and the last number of what happened in a time. Counted as well, because for the numbers alone PostgreSQL would
 * look through all of them in their order, until one is of that time.
 */
async function readNumbersOf(
  tx: Tx,
  organizationId: string,
  { from, to }: ReplayRange,
): Promise<{ first: string | null; last: string | null } | undefined> {
  const [row] = await tx.query<{ first: string | null; last: string | null }>({
    name: 'read numbers of a time',
    text: `select min(sequence) as first, max(sequence) as last, count(*) as events from svc.events
            where organization_id = $1 and sequence is not null and created_at >= $2 and created_at < $3`,
    values: [organizationId, from ?? '-infinity', to ?? 'infinity'],
  })
  return row
}

const beyondAll = '9223372036854775807'

/** Only events that have a number: nobody was told of the others yet. */
export async function readRange(
  tx: Tx,
  organizationId: string,
  range: ReplayRange,
  events: readonly Subscription[],
  limit: number,
): Promise<ReplayedEvent[]> {
  const { fromSequence, toSequence, from, to } = range
  const ofTime = from || to ? await readNumbersOf(tx, organizationId, range) : undefined
  return tx.query<ReplayedEvent>({
    name: 'read events to replay',
    text: `select organization_id as "organizationId", event_id as "eventId", type as "eventType",
                  resource_id as "resourceId", sequence, data_key_id as "dataKeyId"
             from svc.events
            where organization_id = $1 and sequence >= $2 and sequence >= $3 and sequence <= $4 and sequence <= $5
              and created_at >= $6 and created_at < $7 and (type = any($8) or '*' = any($8))
            order by sequence limit $9`,
    values: [
      ...[organizationId, fromSequence ?? 1, ofTime ? ofTime.first : 1],
      ...[toSequence ?? beyondAll, ofTime ? ofTime.last : beyondAll],
      ...[from ?? '-infinity', to ?? 'infinity', events, limit],
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
): Promise<{ webhookId: string; events: Subscription[] }[]> {
  return database.query({
    name: 'list enabled webhooks',
    text: `select webhook_id as "webhookId", events from svc.webhooks
            where organization_id = $1 and status = 'ENABLED' order by webhook_id`,
    values: [organizationId],
  })
}
