import Type from 'typebox'
import { exampleOf } from '../http/openapi/example.ts'
import { type EventPayload, oneOf, pageOf, pageQuery, resource, Timestamp, Uuid } from '../http/wire.ts'
import { type EventType, eventApiVersion, eventTypes } from '../lib/event-types.ts'
import { badField } from '../lib/refusal.ts'
import type { Event } from './event.ts'

const EventTypeName = oneOf(eventTypes)

export const EventAnswer = resource('Event', {
  id: Uuid,
  type: EventTypeName,
  apiVersion: Type.String({ description: 'The API version of data', examples: [eventApiVersion] }),
  createdAt: Timestamp,
  organizationId: Uuid,
  sequence: Type.Integer({
    minimum: 1,
    description: 'Numbers the events of the organization without gaps; no event appears later with a lower sequence',
  }),
  resourceVersion: Type.Integer({ minimum: 1, description: 'Numbers the versions of the resource' }),
  data: Type.Object({}, { description: 'The resource as its GET showed it at the time of the event' }),
})

/** The payloads of the event types that Svc emits. */
export type EventPayloads = Partial<Record<EventType, EventPayload>>

/** Describes the webhook requests: events as GET /events/{eventId} shows them, each with its resource. */
export function describeMessages(payloads: EventPayloads) {
  return eventTypes.flatMap((type) => {
    const payload = payloads[type]
    if (!payload) return []
    const title = `${type.replace(/(?:^|[._])(\w)/g, (_, first: string) => first.toUpperCase())}Event`
    const body = resource(title, { ...EventAnswer.properties, type: Type.Literal(type), data: payload.schema })
    const example = { ...(exampleOf(EventAnswer) as object), type, data: payload.example }
    return [{ name: type, summary: eventSummaries[type], body, example }]
  })
}

const eventSummaries: Record<EventType, string> = {
  'customer.created': 'A customer was created',
  'customer.updated': 'The status of a customer changed, or the customer was erased',
  'payment_account.created': 'A payment account was created',
  'payment_account.updated': 'The status of a payment account changed',
  'payment_account.deleted': 'A payment account was deleted',
  'transaction.created': 'A transaction was created',
  'transaction.updated': 'The status or the details of a transaction changed',
  'deposit.created': 'A deposit arrived',
  'deposit.updated': 'A deposit became final, matched, returned or dropped',
  'automation_rule.executed': 'A rule created its transaction',
  'automation_rule.failed': 'A rule was triggered, but its transaction could not be created',
  'webhook.disabled': 'A webhook was disabled: by PATCH, after a 410, or after five days with only failures',
}

export const EventPage = pageOf('EventPage', 'events', EventAnswer)

export const EventQuery = Type.Object(
  {
    ...pageQuery,
    type: Type.Optional({ ...EventTypeName, description: 'Only events of this type' }),
    organizationId: Type.Optional({
      ...Uuid,
      description: 'List events of this child organization instead of your own',
    }),
    resourceId: Type.Optional({
      ...Uuid,
      description: 'Only events of this resource: a customer, payment account, transaction …',
    }),
  },
  { additionalProperties: false },
)

export const StreamQuery = Type.Object(
  {
    types: Type.Optional(
      Type.String({
        description: 'Only events of these types, separated by commas',
        examples: ['customer.created,customer.updated'],
      }),
    ),
    organizationId: Type.Optional({
      ...Uuid,
      description: 'Stream events of this child organization instead of your own',
    }),
    cursor: Type.Optional(
      Type.String({ description: 'The id of the last event that you processed; the stream continues after it' }),
    ),
    from: Type.Optional(
      oneOf(['beginning', 'end'], 'Where to start without a cursor: at the first event, or with the next one'),
    ),
  },
  { additionalProperties: false },
)

export const StreamHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      description: 'Sent by clients of server-sent events when they reconnect; takes precedence over cursor',
    }),
  ),
})

export const streamDescription = [
  'Server-sent events: each has an `id`, its type as `event`, and as `data` the answer of `GET /events/{eventId}`.',
  'After a disconnect, send the `id` of the last event that you processed as `last-event-id` or `cursor`: the stream ' +
    'continues after it, without a gap. One connection gets each event once.',
  'An `id` without `data` marks a position up to which you have all events. Svc sends one when you have caught up, ' +
    'and then every 15 seconds. The stream ends when your credential becomes invalid, when the service restarts, and ' +
    'when you read nothing for a minute.',
].join('\n\n')

export const StreamText = Type.String({
  examples: [
    'id: dCtL0m7qk2y3Vd5pWm1Y8FsiNyJd\nevent: customer.created\n' +
      'data: {"id":"0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11","type":"customer.created"}\n\n',
  ],
})

export function readTypes(text: string): EventType[] {
  const types = [...new Set(text.split(','))].sort()
  const unknown = types.some((each) => !eventTypes.includes(each as EventType))
  if (unknown) throw badField('types', `must be one or more of ${eventTypes.join(', ')}, separated by commas`)
  return types as EventType[]
}

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
