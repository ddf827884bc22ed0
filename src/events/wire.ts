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

/** Which types the code can tell of today, with what they carry. */
export type EventPayloads = Partial<Record<EventType, EventPayload>>

/** The requests that a webhook gets: the event as GET /events/{eventId} answers it, with the resource of its type. */
export function describeMessages(payloads: EventPayloads) {
  return eventTypes.flatMap((type) => {
    const payload = payloads[type]
    if (!payload) return []
    const title = `${type.replace(/(?:^|[._])(\w)/g, (_, first: string) => first.toUpperCase())}Event`
    const body = resource(title, { ...EventAnswer.properties, type: Type.Literal(type), data: payload.schema })
    const example = { ...(exampleOf(EventAnswer) as object), type, data: payload.example }
    return [{ name: type, summary: happenings[type], body, example }]
  })
}

const happenings: Record<EventType, string> = {
  'customer.created': 'A customer was created',
  'customer.updated': 'A customer has a new status, or was erased',
  'payment_account.created': 'A payment account was created',
  'payment_account.updated': 'A payment account has a new status',
  'payment_account.deleted': 'A payment account was deleted',
  'transaction.created': 'A transaction was created',
  'transaction.updated': 'A transaction has a new status, or more is known of it',
  'deposit.created': 'Money has arrived',
  'deposit.updated': 'A deposit is final, matched, returned or dropped',
  'automation_rule.executed': 'A rule has made its transaction',
  'automation_rule.failed': 'A rule has fired, and its transaction could not be made',
  'webhook.disabled': 'A webhook is told nothing any more: it answered 410, or failed for five days',
}

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

export const StreamQuery = Type.Object(
  {
    types: Type.Optional(
      Type.String({
        description: 'Only events of these types, separated by commas',
        examples: ['customer.created,customer.updated'],
      }),
    ),
    organizationId: Type.Optional({ ...Uuid, description: 'Those of a child organization instead of your own' }),
    cursor: Type.Optional(Type.String({ description: 'The id of the last event you have: goes on after it' })),
    from: Type.Optional(
      oneOf(['beginning', 'end'], 'Where to begin without a cursor: at the first event there is, or with the next one'),
    ),
  },
  { additionalProperties: false },
)

export const StreamHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({ description: 'What clients of server-sent events send when they come back; counts before cursor' }),
  ),
})

export const streamDescription = [
  'Server-sent events: each has an `id`, its type as `event`, and as `data` what `GET /events/{eventId}` answers.',
  'Send the last `id` you have as `last-event-id` or `cursor`, and you miss nothing. Each event comes once to a ' +
    'connection; what you had not finished when you were cut off comes again.',
  'An `id` without `data` says that you have everything up to there: when you have caught up, and every 15 seconds. ' +
    'The stream ends when your credential does, when the service restarts, and when you take nothing for a minute.',
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
