import type { EventType } from '../lib/event-types.ts'

type EventFacts = {
  organizationId: string
  eventId: string
  type: EventType
  resourceId: string
  resourceVersion: number
  apiVersion: string
  createdAt: Date
  /** Gapless from 1 in its organization. A text, because the database counts further than a JS number. */
  sequence: string
}

/** An event as anybody may be shown it: `data` is the JSON text of the resource as it was at that moment. */
export type Event = EventFacts & { data: string }

/** An event whose data holds personal data, and the key it was sealed with. */
export type SealedEvent = EventFacts & { data: null; sealedData: Buffer; dataKeyId: string }

export type StoredEvent = (Event & { sealedData: null; dataKeyId: null }) | SealedEvent

export type EventFilter = { type?: EventType; resourceId?: string; organizationId?: string }

/** Opens the data of sealed events, in their order: the whole page at once, because many share a key. */
export type OpenData = (events: readonly SealedEvent[]) => Promise<string[]>
