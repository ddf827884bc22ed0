import { type EventType, resourceTypeOf } from '../../lib/event-types.ts'

export type Message = {
  eventId: string
  type: EventType
  apiVersion: string
  createdAt: Date
  organizationId: string
  /** Decimal digits: a bigint of the database exceeds a JS number. */
  sequence: string
  resourceId: string
  resourceVersion: number
  /** The JSON text that was stored with the event. */
  data: string
}

/**
 * Writes the body of a webhook request. Every attempt gets the same bytes, because all fields are parts of the event
 * and an event never changes. So Svc stores no copy of the body, and an erasure leaves none behind.
 */
export function writeMessage(message: Message): string {
  const { eventId: id, type, apiVersion, organizationId, sequence, resourceId, resourceVersion, data } = message
  const resourceType = resourceTypeOf(type)
  const createdAt = message.createdAt.toISOString()
  const head = JSON.stringify({
    id,
    eventId: id,
    type,
    resourceType,
    resourceId,
    apiVersion,
    createdAt,
    organizationId,
  })
  return `${head.slice(0, -1)},"sequence":${sequence},"resourceVersion":${resourceVersion},"data":${data}}`
}
