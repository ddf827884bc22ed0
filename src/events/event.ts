import type { EventResourceType, EventType } from '../lib/event-types.ts'

type EventFacts = {
  organizationId: string
  eventId: string
  type: EventType
  resourceId: string
  resourceVersion: number
  apiVersion: string
  createdAt: Date
  /** Gapless from 1 within the organization. A string, because a bigint of the database exceeds a JS number. */
  sequence: string
}

/** A readable event: `data` is the JSON text of the resource at the time of the event. */
export type Event = EventFacts & { data: string }

/** An event whose data is personal and sealed, with the id of its data key. */
export type SealedEvent = EventFacts & { data: null; sealedData: Buffer; dataKeyId: string }

export type StoredEvent = (Event & { sealedData: null; dataKeyId: null }) | SealedEvent

export type EventFilter = {
  type?: EventType
  resourceType?: EventResourceType
  resourceId?: string
  organizationId?: string
}

/** The part of a filter that the store knows: the types that the caller may read, or all of them when undefined. */
export type ReadFilter = Pick<EventFilter, 'resourceId'> & { types: readonly EventType[] | undefined }

/** Opens the data of sealed events, in order. Takes a whole page, because many events share a key. */
export type OpenData = (events: readonly SealedEvent[]) => Promise<string[]>
