import type { Queryable } from '../db/database.ts'
import type { EventType } from '../lib/event-types.ts'
import type { PageSlice } from '../lib/pages.ts'
import type { ReadFilter, StoredEvent } from './event.ts'

const columns = `event.organization_id as "organizationId", event.event_id as "eventId", event.type,
  event.resource_id as "resourceId", event.resource_version as "resourceVersion", event.api_version as "apiVersion",
  event.created_at as "createdAt", event.sequence, event.data, event.sealed_data as "sealedData",
  event.data_key_id as "dataKeyId"`

/** The position of an event in a list. Each organization has its own sequence, so the organization breaks ties. */
export function sortKeyOf({ sequence, organizationId }: StoredEvent): string {
  return `${sequence} ${organizationId}`
}

const startOfList = '9223372036854775807 ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Lists the newest events first: of a resource, also those of what belongs to it. The lateral join reads each organization's newest events from the index. */
export function listEvents(
  database: Queryable,
  organizationIds: readonly string[],
  { types, resourceId }: ReadFilter,
  slice: PageSlice,
): Promise<StoredEvent[]> {
  const [sequence, organizationId] = (slice.after ?? startOfList).split(' ')
  // Each combination of filters is a separate statement, so that PostgreSQL picks its index. It reads each type by
  // itself: a rare one would otherwise be searched among all events.
  const place = types ? 6 : 5
  const abouts = resourceId ? [`resource_id = $${place}`, `parent_resource_id = $${place}`] : ['true']
  const select = (about: string) => `
    (select organization_id, event_id, type, resource_id, resource_version, api_version, created_at, sequence,
            data, sealed_data, data_key_id
       from svc.events
      where organization_id = mine.organization_id and sequence <= $2
        and (sequence, organization_id) < ($2, $3::uuid) ${types ? 'and type = wanted.type' : ''} and ${about}
      order by sequence desc limit $4)`
  return database.query<StoredEvent>({
    name: ['list events', ...(types ? ['of types'] : []), ...(resourceId ? ['of a resource'] : [])].join(' '),
    text: `select ${columns}
             from unnest($1::uuid[]) as mine (organization_id)
             ${types ? 'cross join unnest($5::text[]) as wanted (type)' : ''}
             cross join lateral (${abouts.map(select).join(' union all ')}) as event
            order by event.sequence desc, event.organization_id desc limit $4`,
    values: [organizationIds, sequence, organizationId, slice.limit, types, resourceId].filter(
      (value) => value !== undefined,
    ),
  })
}

/** Finds a sequenced event: earlier an event is not visible. */
export async function findEvent(
  database: Queryable,
  organizationIds: readonly string[],
  eventId: string,
): Promise<StoredEvent | undefined> {
  const [found] = await database.query<StoredEvent>({
    name: 'find event',
    text: `select ${columns} from svc.events as event
            where event.organization_id = any($1) and event.event_id = $2 and event.sequence is not null`,
    values: [organizationIds, eventId],
  })
  return found
}

/** Reads the last sequence of each organization. It becomes visible in the same commit as the events up to it. */
export async function readHeads(database: Queryable, organizationIds: readonly string[]): Promise<Map<string, bigint>> {
  const heads = await database.query<{ organizationId: string; head: string }>({
    name: 'read event heads',
    text: `select organization_id as "organizationId", last_sequence as head from svc.event_sequences
            where organization_id = any($1)`,
    values: [organizationIds],
  })
  return new Map(heads.map(({ organizationId, head }) => [organizationId, BigInt(head)]))
}

/** Lists the events between two sequences of one organization, oldest first. */
export function listEventsAfter(
  database: Queryable,
  organizationId: string,
  range: { after: bigint; upTo: bigint; types: readonly EventType[] | undefined; limit: number },
): Promise<StoredEvent[]> {
  return database.query<StoredEvent>({
    name: `list events after${range.types ? ' of types' : ''}`,
    text: `select ${columns} from svc.events as event
            where event.organization_id = $1 and event.sequence > $2 and event.sequence <= $3
              ${range.types ? 'and event.type = any($5)' : ''}
            order by event.sequence limit $4`,
    values: [organizationId, range.after, range.upTo, range.limit, ...(range.types ? [range.types] : [])],
  })
}
