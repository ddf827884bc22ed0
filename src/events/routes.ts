import Type from 'typebox'
import { type Route, route } from '../http/route.ts'
import { Uuid } from '../http/wire.ts'
import { resolveEventType } from '../lib/event-types.ts'
import type { EventService } from './service.ts'
import type { EventStreams } from './stream.ts'
import * as wire from './wire.ts'

export function eventRoutes(events: EventService, streams: EventStreams): Route[] {
  const tag = 'Events'
  return [
    route({
      method: 'GET',
      path: '/events',
      access: 'events:read',
      tag,
      summary: 'List events',
      description:
        'Newest first. An event appears after its change is committed, and never before an event with a lower ' +
        'sequence.',
      query: wire.EventQuery,
      answer: { status: 200, description: 'One page', schema: wire.EventPage },
      handle: async ({ caller, query }) => {
        const { type, resourceType, resourceId, organizationId, ...page } = query
        // Ids are stored in lower case.
        const filter = {
          ...(type && { type: resolveEventType(type) }),
          ...(resourceType && { resourceType }),
          ...(resourceId && { resourceId: resourceId.toLowerCase() }),
          ...(organizationId && { organizationId: organizationId.toLowerCase() }),
        }
        const { items, nextPageToken } = await events.list(caller, filter, page)
        return { events: items.map(wire.presentEvent), nextPageToken }
      },
    }),
    route({
      method: 'GET',
      path: '/events/stream',
      access: 'events:read',
      tag,
      summary: 'Stream events as they happen',
      description: wire.streamDescription,
      query: wire.StreamQuery,
      headers: wire.StreamHeaders,
      answer: {
        status: 200,
        description: 'Server-sent events, until one side closes the connection',
        schema: wire.StreamText,
        mediaType: 'text/event-stream',
      },
      handle: async ({ caller, findCaller, query, headers }) => {
        const { types, organizationId, from, cursor } = query
        // A browser that reconnects repeats the first address, and sends its last event id as a header.
        const lastEventId = headers['last-event-id'] || cursor
        return streams.open(caller, findCaller, {
          ...(organizationId && { organizationId: organizationId.toLowerCase() }),
          ...(types !== undefined && { types: wire.readTypes(types) }),
          ...(from && { from }),
          ...(lastEventId && { cursor: lastEventId }),
        })
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
