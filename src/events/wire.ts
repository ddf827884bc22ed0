import Type from 'typebox'
import { oneOf, pageOf, pageQuery, resource, Timestamp, Uuid } from '../http/wire.ts'
import { eventApiVersion, eventTypes } from '../lib/event-types.ts'
import type { Event } from './event.ts'

const EventTypeName = oneOf(eventTypes)

export const EventAnswer = resource('Event', {
  id: Uuid,
  type: EventTypeName,
  apiVersion: Type.String({ description: 'The version that data is written in', examples: [eventApiVersion] }),
  createdAt: Timestamp,
  organizationId: Uuid,
  sequence: Type.Integer({
    minimum: 1,
    description:
      'Counts the events of the organization without a gap: after 7 comes 8, and nothing comes before it later',
  }),
  resourceVersion: Type.Integer({ minimum: 1, description: 'Counts the changes of this one resource' }),
  data: Type.Object({}, { description: 'The resource as its GET showed it at that moment' }),
})

export const EventPage = pageOf('EventPage', 'events', EventAnswer)

export const EventQuery = Type.Object(
  {
    ...pageQuery,
    type: Type.Optional({ ...EventTypeName, description: 'Only events of this type' }),
    organizationId: Type.Optional({ ...Uuid, description: 'Those of a child organization instead of your own' }),
    resourceId: Type.Optional({ ...Uuid, description: 'Only events of this customer, account, transaction …' }),
  },
  { additionalProperties: false },
)

export function presentEvent(event: Event) {
  return {
    id: event.eventId,
    type: event.type,
    apiVersion: event.apiVersion,
    createdAt: event.createdAt.toISOString(),
    organizationId: event.organizationId,
    sequence: Number(event.sequence),
    resourceVersion: event.resourceVersion,
    data: JSON.parse(event.data) as object,
  }
}
