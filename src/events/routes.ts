import Type from 'typebox'
import { type Route, route } from '../http/route.ts'
import { Uuid } from '../http/wire.ts'
import type { EventService } from './service.ts'
import * as wire from './wire.ts'

export function eventRoutes(events: EventService): Route[] {
  const tag = 'Events'
  return [
    route({
      method: 'GET',
      path: '/events',
      access: 'events:read',
      tag,
      summary: 'List what happened',
      description:
        'Newest first. An event appears when its change is final, and never before one that has a lower sequence.',
      query: wire.EventQuery,
      answer: { status: 200, description: 'One page', schema: wire.EventPage },
      handle: async ({ caller, query }) => {
        const { type, resourceId, organizationId, ...page } = query
        // Ids are stored and compared in lower case.
        const filter = {
          ...(type && { type }),
          ...(resourceId && { resourceId: resourceId.toLowerCase() }),
          ...(organizationId && { organizationId: organizationId.toLowerCase() }),
        }
        const { items, nextPageToken } = await events.list(caller, filter, page)
        return { events: items.map(wire.presentEvent), nextPageToken }
      },
    }),
    route({
      method: 'GET',
      path: '/events/{eventId}',
      access: 'events:read',
      tag,
      summary: 'Read one event',
      params: Type.Object({ eventId: Uuid }),
      answer: { status: 200, description: 'The event', schema: wire.EventAnswer },
      handle: async ({ caller, params }) => wire.presentEvent(await events.read(caller, params.eventId)),
    }),
  ]
}
