import type { Queryable } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import {
  type EventResourceType,
  type EventType,
  eventTypes,
  readableTypes,
  requireReadable,
  resourceTypeOf,
} from '../lib/event-types.ts'
import type { Page, PageRequest, Pages } from '../lib/pages.ts'
import { notFound } from '../lib/refusal.ts'
import type { Event, EventFilter, OpenData, SealedEvent, StoredEvent } from './event.ts'
import * as store from './store.ts'

export type EventService = ReturnType<typeof createEventService>

export type EventDeps = { database: Queryable; pages: Pages; openData?: OpenData }

export function createEventService({ database, pages, openData = refuseToOpen }: EventDeps) {
  return {
    list: async (caller: Caller, filter: EventFilter, request: PageRequest): Promise<Page<Event>> => {
      const { organizationId = caller.organizationId, type, resourceType, resourceId } = filter
      const types = typesAbout(resourceType, visibleTypes(caller, type && [type]))
      // Each organization has its own sequence, so a list reads one organization. A foreign organization has no events.
      const organizationIds = caller.organizationIds.includes(organizationId) ? [organizationId] : []
      const page = await pages.read(
        { list: 'events', filters: { for: organizationIds, ...filter } },
        request,
        (slice) => store.listEvents(database, organizationIds, { types, ...(resourceId && { resourceId }) }, slice),
        store.sortKeyOf,
      )
      return { ...page, items: await openAll(page.items, openData) }
    },

    read: async (caller: Caller, eventId: string): Promise<Event> => {
      const found = await store.findEvent(database, caller.organizationIds, eventId)
      if (!found) throw notFound()
      requireReadable(caller.scopes, [found.type])
      const [event] = await openAll([found], openData)
      return event as Event
    },

    /** Finds the key of a sealed event, null when it is not sealed; undefined when there is no such event. */
    findKey: async (
      organizationId: string,
      eventId: string,
    ): Promise<{ dataKeyId: string | null; type: EventType } | undefined> =>
      store.findEvent(database, [organizationId], eventId),
  }
}

/**
 * The types that a caller sees: the wanted ones, or those that it may read. Undefined means every type, without a
 * filter. Refuses a wanted type that carries what the caller may not read.
 */
export function visibleTypes(
  { scopes }: Pick<Caller, 'scopes'>,
  wanted: readonly EventType[] | undefined,
): readonly EventType[] | undefined {
  if (wanted) requireReadable(scopes, wanted)
  const types = wanted ?? readableTypes(scopes)
  return types.length === eventTypes.length ? undefined : types
}

/** Narrows types to those about a kind of resource. */
function typesAbout(
  resourceType: EventResourceType | undefined,
  types: readonly EventType[] | undefined,
): readonly EventType[] | undefined {
  if (resourceType === undefined) return types
  return (types ?? eventTypes).filter((type) => resourceTypeOf(type) === resourceType)
}

export async function openAll(events: readonly StoredEvent[], openData: OpenData): Promise<Event[]> {
  const sealed = events.filter((event): event is SealedEvent => event.data === null)
  const opened = sealed.length > 0 ? await openData(sealed) : []
  const texts = new Map(sealed.map((event, at) => [event, opened[at]]))
  return events.map((event) => {
    const data = event.data ?? texts.get(event)
    if (data === undefined) throw new Error(`the data of event ${event.eventId} was not opened`)
    return { ...event, data }
  })
}

async function refuseToOpen(): Promise<never> {
  throw new Error('this process cannot open sealed events')
}
