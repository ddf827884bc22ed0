import { type EventType, eventApiVersion } from '../../lib/event-types.ts'
import { newId } from '../../lib/ids.ts'
import type { Tx } from '../database.ts'

/** The resource as its GET shows it, or the JSON of that. Personal data is sealed and bound to the event's id. */
export type EventData = { data: object } | { json: string } | { eventId: string; sealedData: Buffer; dataKeyId: string }

export type NewEvent = {
  organizationId: string
  /** Generated unless given. */
  eventId?: string
  type: EventType
  resourceId: string
  /** Incremented under the lock of the resource's row, so that versions are inserted in order. */
  resourceVersion: number
  /** The resource that this one belongs to, by which its events are found as well. */
  parentResourceId?: string
} & EventData

/** Records a change in its own database transaction and returns the event's id. */
export async function appendEvent(tx: Tx, event: NewEvent): Promise<string> {
  const [eventId] = await appendEvents(tx, [event])
  return eventId as string
}

function jsonOf(event: EventData): string | null {
  if ('json' in event) return event.json
  return 'data' in event ? JSON.stringify(event.data) : null
}

/** Records many changes in one statement. The caller passes events of one resource in the order of its versions. */
export async function appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<string[]> {
  if (events.length === 0) return []
  const eventIds = events.map((event) => event.eventId ?? newId())
  await tx.query({
    name: 'append events',
    text: `insert into svc.events (organization_id, event_id, type, resource_id, resource_version, data, sealed_data,
                  data_key_id, api_version, created_at, parent_resource_id)
           select organization_id, event_id, type, resource_id, resource_version, data, sealed_data,
                  data_key_id, $9, (select svc.now()), parent_resource_id
             from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::int[], $6::text[], $7::bytea[], $8::uuid[],
                    $10::text[])
                  with ordinality as new_events (organization_id, event_id, type, resource_id, resource_version, data,
                  sealed_data, data_key_id, parent_resource_id, place)
            order by place`,
    values: [
      events.map((event) => event.organizationId),
      eventIds,
      events.map((event) => event.type),
      events.map((event) => event.resourceId),
      events.map((event) => event.resourceVersion),
      events.map(jsonOf),
      events.map((event) => ('sealedData' in event ? event.sealedData : null)),
      events.map((event) => ('sealedData' in event ? event.dataKeyId : null)),
      eventApiVersion,
      events.map((event) => event.parentResourceId ?? null),
    ],
  })
  return eventIds
}
