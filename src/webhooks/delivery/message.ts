import type { EventType } from '../../lib/event-types.ts'

export type Message = {
  eventId: string
  type: EventType
  apiVersion: string
  createdAt: Date
  organizationId: string
  /** Digits: the database counts further than a JS number. */
  sequence: string
  resourceVersion: number
  /** The JSON text that was stored with the event. */
  data: string
}

/**
 * The body that is sent. Made anew for each attempt, and yet always the same bytes: everything in it is part of an event,
 * and an event never changes. So no copy of it has to be kept, and none is left after an erasure.
 */
export function writeMessage(message: Message): string {
  const { eventId: id, type, apiVersion, organizationId, sequence, resourceVersion, data } = message
  const createdAt = message.createdAt.toISOString()
  const head = JSON.stringify({ id, type, apiVersion, createdAt, organizationId })
  return `${head.slice(0, -1)},"sequence":${sequence},"resourceVersion":${resourceVersion},"data":${data}}`
}
