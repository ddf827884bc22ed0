import Type from 'typebox'
import { story } from '../http/examples/story.ts'
import { exampleEvent } from '../http/examples/webhooks.ts'
import { type EventPayload, oneOf, pageOf, pageQuery, resource, Timestamp, Uuid } from '../http/wire.ts'
import {
  type EventResourceType,
  type EventType,
  eventApiVersion,
  eventResourceTypes,
  eventTypeNames,
  eventTypes,
  resolveEventType,
  resourceTypeOf,
  type EventTypeName as TypeName,
} from '../lib/event-types.ts'
import { badField } from '../lib/refusal.ts'
import type { Event } from './event.ts'

const EventTypeName = oneOf(eventTypes)

export const EventAnswer = resource(
  'Event',
  {
    id: Uuid,
    eventId: { ...Uuid, description: 'The same as id' },
    type: EventTypeName,
    resourceType: oneOf(eventResourceTypes, 'The kind of resource that the event is about'),
    resourceId: {
      ...Uuid,
      description:
        'The resource that the event is about; for executed and failed automation_rule the run, for large_payout the ' +
        'alert',
      examples: [story.customerId],
    },
    apiVersion: Type.String({ description: 'The API version of data', examples: [eventApiVersion] }),
    createdAt: Timestamp,
    organizationId: Uuid,
    sequence: Type.Integer({
      minimum: 1,
      description: 'Numbers the events of the organization without gaps; no event appears later with a lower sequence',
    }),
    resourceVersion: Type.Integer({ minimum: 1, description: 'Numbers the versions of the resource' }),
    data: Type.Object(
      {},
      { description: 'The resource as its GET showed it at the time of the event', additionalProperties: true },
    ),
  },
  exampleEvent,
)

/** The payloads of the event types that Svc emits. */
export type EventPayloads = Partial<Record<EventType, EventPayload>>

/** Describes the webhook requests: events as GET /events/{eventId} shows them, each with its resource. */
export function describeMessages(payloads: EventPayloads) {
  return eventTypes.flatMap((type) => {
    const payload = payloads[type]
    if (!payload) return []
    const title = `${type.replace(/(?:^|[._])(\w)/g, (_, first: string) => first.toUpperCase())}Event`
    const body = resource(title, { ...EventAnswer.properties, type: Type.Literal(type), data: payload.schema })
    const example = { ...exampleEvent, ...aboutExample(type, payload.example), data: payload.example }
    return [{ name: type, summary: eventSummaries[type], body, example }]
  })
}

/** Tells the resource of an example's event, and when it happened. */
function aboutExample(type: EventType, example: object) {
  const shown = example as Record<string, string | undefined>
  const resourceType = resourceTypeOf(type)
  return {
    type,
    resourceType,
    resourceId: shown.alertId ?? shown[idFields[resourceType]] ?? shown.id,
    createdAt: timeFields.map((field) => shown[field]).find((time) => time !== undefined) ?? exampleEvent.createdAt,
    resourceVersion: type.endsWith('.created') ? 1 : 2,
  }
}

const idFields: Readonly<Record<EventResourceType, string>> = {
  customer: 'customerId',
  payment_account: 'paymentAccountId',
  transaction: 'transactionId',
  deposit: 'depositId',
  automation_rule: 'runId',
  webhook: 'webhookId',
  approval: 'approvalId',
  api_key: 'apiKeyId',
  policy: 'organizationId',
}
const timeFields = ['deletedAt', 'disabledAt', 'decidedAt', 'pausedAt', 'finishedAt', 'updatedAt', 'createdAt']

const eventSummaries: Record<EventType, string> = {
  'customer.created': 'A customer was created',
  'customer.updated': 'The status of a customer changed, or the customer was erased',
  'payment_account.created': 'A payment account was created',
  'payment_account.updated': 'The status of a payment account changed',
  'payment_account.deleted': 'A payment account was deleted',
  'payment_account.large_payout': 'A payment account is paid a large amount for the first time',
  'transaction.created': 'A transaction was created',
  'transaction.updated': 'The status or the details of a transaction changed',
  'deposit.created': 'A deposit arrived',
  'deposit.updated': 'A deposit became final, matched, returned or dropped',
  'approval.created': 'A transaction waits for an approval',
  'approval.decided': 'An approval was given, refused or expired, or its transaction ended',
  'automation_rule.executed': 'A rule created its transaction',
  'automation_rule.failed': 'A rule was triggered, but its transaction could not be created',
  'automation_rule.paused': 'A rule was paused, because the key that answered for it was revoked',
  'webhook.created': 'A webhook was created. The new webhook itself is not told',
  'webhook.updated': 'The url, the events, the key or the secret of a webhook changed. The webhook itself is not told',
  'webhook.disabled':
    'A webhook was disabled: by PATCH, after a 410, after five days with only failures, or without proof',
  'api_key.created': 'An API key was created, beside the first of the organization',
  'api_key.new_address': 'An API key was used from an address that it was never used from before',
  'policy.updated': 'The policies of the organization changed',
}

export const EventPage = pageOf('EventPage', 'events', EventAnswer)

export const EventQuery = Type.Object(
  {
    ...pageQuery,
    type: Type.Optional(oneOf(eventTypeNames, 'Only events of this type')),
    resourceType: Type.Optional(oneOf(eventResourceTypes, 'Only events about resources of this kind')),
    organizationId: Type.Optional({
      ...Uuid,
      description: 'List events of this child organization instead of your own',
    }),
    resourceId: Type.Optional({
      ...Uuid,
      description:
        'Only events of this resource: a customer, payment account, transaction … Of an automation rule: of its runs; of ' +
        'a payment account: also of large payouts to it',
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

export const StreamText = Type.String()

export function readTypes(text: string): EventType[] {
  const names = text.split(',')
  const unknown = names.some((each) => !eventTypeNames.includes(each as TypeName))
  if (unknown) throw badField('types', `must be one or more of ${eventTypes.join(', ')}, separated by commas`)
  return [...new Set((names as TypeName[]).map(resolveEventType))].sort()
}

export function presentEvent(event: Event) {
  return {
    id: event.eventId,
    eventId: event.eventId,
    type: event.type,
    resourceType: resourceTypeOf(event.type),
    resourceId: event.resourceId,
    apiVersion: event.apiVersion,
    createdAt: event.createdAt.toISOString(),
    organizationId: event.organizationId,
    sequence: Number(event.sequence),
    resourceVersion: event.resourceVersion,
    data: JSON.parse(event.data) as object,
  }
}
