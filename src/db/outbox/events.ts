import { type EventType, eventApiVersion } from '../../lib/event-types.ts'
import { newId } from '../../lib/ids.ts'
import type { Tx } from '../database.ts'

/** The resource as its GET shows it. Personal data is sealed and bound to the event's id. */
export type EventData = { data: object } | { eventId: string; sealedData: Buffer; dataKeyId: string }

export type NewEvent = {
  organizationId: string
  /** Generated unless given. */
  eventId?: string
  type: EventType
  resourceId: string
  /** Incremented under the lock of the resource's row, so that versions are inserted in order. */
  resourceVersion: number
} & EventData

/** Records a change in its own database transaction and returns the event's id. */
export async function appendEvent(tx: Tx, event: NewEvent): Promise<string> {
  const [eventId] = await appendEvents(tx, [event])
  return eventId as string
}

/** Records many changes in one statement. The caller passes events of one resource in the order of its versions. */
export async function appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<string[]> {
  if (events.length === 0) return []
  const eventIds = events.map((event) => event.eventId ?? newId())
  await tx.query({
    name: 'append events',
    text: `insert into svc.events (organization_id, event_id, type, resource_id, resource_version, data, sealed_data,
                  data_key_id, api_version, created_at)
           select organization_id, event_id, type, resource_id, resource_version, data, sealed_data,
                  data_key_id, $9, svc.now()
             from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::int[], $6::text[], $7::bytea[], $8::uuid[])
                  with ordinality as new_events (organization_id, event_id, type, resource_id, resource_version, data,
                  sealed_data, data_key_id, place)
            order by place`,
    values: [
      events.map((event) => event.organizationId),
      eventIds,
      events.map((event) => event.type),
      events.map((event) => event.resourceId),
      events.map((event) => event.resourceVersion),
      events.map((event) => ('data' in event ? JSON.stringify(event.data) : null)),
      events.map((event) => ('sealedData' in event ? event.sealedData : null)),
      events.map((event) => ('sealedData' in event ? event.dataKeyId : null)),
      eventApiVersion,
    ],
  })
  return eventIds
}
