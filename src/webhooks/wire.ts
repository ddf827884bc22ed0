import Type from 'typebox'
import { integrator } from '../http/examples/story.ts'
import { exampleDelivery, exampleWebhook } from '../http/examples/webhooks.ts'
import { changedOwnData, externalIdQuery, newOwnData, shownOwnData } from '../http/own-data.ts'
import { oneOf, pageOf, pageQuery, requestBody, resource, Timestamp, Uuid } from '../http/wire.ts'
import { eventTypeNames, eventTypes } from '../lib/event-types.ts'
import { presentOwnData } from '../lib/resources/own-data.ts'
import { deliveryStatuses, type ShownAttempt, type ShownDelivery } from './delivery/delivery.ts'
import { type Outcome, outcomes } from './delivery/outcome.ts'
import { subscribable } from './subscription.ts'
import { challengeOutcomes, disabledReasons, requestableStatuses, type Webhook, webhookStatuses } from './webhook.ts'

export const Url = Type.String({ minLength: 1, maxLength: 2048, examples: ['https://example.com/hooks/svc'] })

const Events = Type.Array(oneOf(subscribable), {
  minItems: 1,
  maxItems: 50,
  description:
    'Event types that your key may read; * means all of these, future ones included. customer.update is an alias of ' +
    'customer.updated',
  examples: [['customer.updated', 'transaction.updated']],
})

const Description = Type.String({ maxLength: 500, examples: ['Checkout server'] })

export const webhookFields = {
  webhookId: Uuid,
  organizationId: Uuid,
  url: Url,
  events: Type.Array(oneOf([...eventTypes, '*']), { examples: [['customer.updated', 'transaction.updated']] }),
  description: Type.Optional(Description),
  status: oneOf(
    webhookStatuses,
    'PENDING: the endpoint has not answered the challenge yet; its events wait. Only where Svc sends challenges',
  ),
  webhookStatus: oneOf(webhookStatuses, 'The same as status'),
  disabledAt: Type.Optional(Timestamp),
  disabledReason: Type.Optional(
    oneOf(
      disabledReasons,
      'GONE: the endpoint answered 410. FAILING: only failures for five days. REQUESTED: disabled by PATCH. ' +
        'UNPROVEN: no challenge was answered. KEY_REVOKED, KEY_EXPIRED: apiKeyId ended. OPERATOR: disabled by Svc',
    ),
  ),
  apiKeyId: Type.Optional({
    ...Uuid,
    description:
      'The key that chose url and events, or its successor. The webhook receives the types that this key may read',
  }),
  ...shownOwnData,
  challenge: Type.Optional(
    resource('WebhookChallenge', {
      attempts: Type.Integer({ minimum: 0, description: 'The challenges so far', examples: [1] }),
      outcome: Type.Optional(
        oneOf(challengeOutcomes, 'The outcome of the last one. NOT_ECHOED: a 2xx without the challenge'),
      ),
      nextAttemptAt: Type.Optional(Timestamp),
    }),
  ),
  createdAt: Timestamp,
  deletedAt: Type.Optional({ ...Timestamp, description: 'For a deleted webhook, which stays readable by its id' }),
}

export const WebhookAnswer = resource('Webhook', webhookFields, exampleWebhook)

export const WebhookWithSecretAnswer = resource('WebhookWithSecret', {
  ...webhookFields,
  secret: Type.Optional(
    Type.String({
      description: 'Verifies signatures. Shown in this answer only, not in the answer to a repeated request',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
    }),
  ),
})

export const WebhookPage = pageOf('WebhookPage', 'webhooks', WebhookAnswer)

export const CreateWebhookBody = requestBody('CreateWebhook', {
  url: Url,
  events: Events,
  description: Type.Optional(Description),
  organizationId: Type.Optional({
    ...Uuid,
    description: 'The child organization whose events the webhook receives; your own by default',
  }),
  ...newOwnData,
})

export const ChangeWebhookBody = requestBody(
  'ChangeWebhook',
  {
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    description: Type.Optional(Description),
    status: Type.Optional(oneOf(requestableStatuses, 'ENABLED sends a PENDING webhook its challenge now')),
    ...changedOwnData,
  },
  { minProperties: 1 },
)

export const WebhookQuery = Type.Object(
  {
    ...pageQuery,
    organizationId: Type.Optional({ ...Uuid, description: 'Only webhooks of this organization' }),
    status: Type.Optional(oneOf(webhookStatuses, 'Only webhooks in this status')),
    ...externalIdQuery,
  },
  { additionalProperties: false },
)

export const TestWebhookBody = requestBody('TestWebhook', {
  type: Type.Optional(
    oneOf(eventTypeNames, 'The type of the example event; by default the first type that the webhook subscribes to'),
  ),
})

const attemptResult = {
  outcome: oneOf(outcomes),
  statusCode: Type.Optional(Type.Integer({ examples: [204] })),
  durationMs: Type.Integer({ minimum: 0, examples: [87] }),
  response: Type.Optional(Type.String({ description: 'The response of the receiver, up to 2 KB', examples: ['ok'] })),
  responseTruncated: Type.Optional(Type.Boolean({ description: 'true: the response was longer than 2 KB' })),
  error: Type.Optional(
    Type.String({ description: 'Why there is no response', examples: ['No complete response in time'] }),
  ),
}

export const WebhookTestAnswer = resource('WebhookTest', {
  webhookId: Uuid,
  eventId: Uuid,
  eventType: oneOf(eventTypes),
  ...attemptResult,
})

export const DeliveryAnswer = resource(
  'WebhookDelivery',
  {
    deliveryId: Uuid,
    webhookId: Uuid,
    eventId: Uuid,
    eventType: oneOf(eventTypes),
    isReplay: Type.Boolean(),
    formerUrl: Type.Optional({
      ...Url,
      description: 'Present when the delivery tells the former receiver of a change of the webhook: its address',
    }),
    status: oneOf(deliveryStatuses),
    deliveryStatus: oneOf(deliveryStatuses, 'The same as status'),
    attempts: Type.Array(resource('WebhookAttempt', { attemptedAt: Timestamp, ...attemptResult })),
    nextAttemptAt: Type.Optional(Timestamp),
    createdAt: Timestamp,
  },
  exampleDelivery,
)

export const DeliveryPage = pageOf('WebhookDeliveryPage', 'deliveries', DeliveryAnswer)

export const DeliveryQuery = Type.Object(
  {
    ...pageQuery,
    status: Type.Optional(oneOf(deliveryStatuses, 'Only deliveries in this status')),
    eventId: Type.Optional({ ...Uuid, description: 'Only deliveries of this event' }),
  },
  { additionalProperties: false },
)

export const ReplayEventBody = requestBody('ReplayEvent', {
  webhookId: Type.Optional({
    ...Uuid,
    description: 'Replay to this webhook only; by default to all webhooks that subscribe to the type',
  }),
})

export const ReplayedEventAnswer = resource('ReplayedEvent', {
  deliveries: Type.Array(
    resource('ReplayDelivery', { deliveryId: Uuid, webhookId: Uuid, eventId: Uuid, eventType: oneOf(eventTypes) }),
  ),
})

const sequenceOf = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description, examples: [1] }))
const timeOf = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

export const ReplayRangeBody = requestBody(
  'ReplayRange',
  {
    webhookId: Uuid,
    fromSequence: sequenceOf('The sequence of the first event'),
    toSequence: sequenceOf('The sequence of the last event; by default the newest'),
    from: timeOf('The earliest createdAt; use it instead of fromSequence'),
    to: timeOf('Replay events created before this time; use it instead of toSequence, with from or fromSequence'),
  },
  { examples: [{ webhookId: integrator.webhookId, fromSequence: 1, toSequence: 500 }] },
)

export const ReplayedRangeAnswer = resource('ReplayedRange', {
  webhookId: Uuid,
  count: Type.Integer({ minimum: 0, description: 'The number of events that will be replayed', examples: [500] }),
  lastSequence: Type.Optional(
    Type.Integer({ minimum: 1, description: 'The sequence of the last of these events', examples: [500] }),
  ),
  isComplete: Type.Boolean({
    description: 'false: there are more events; continue with fromSequence = lastSequence + 1 and the same end',
  }),
})

/** Presents a webhook. DELETED is not a public status: a deleted one shows DISABLED, and deletedAt. */
export function presentWebhook(webhook: Webhook) {
  const { webhookId, organizationId, url, events, description, status } = webhook
  const { disabledAt, disabledReason, makerApiKeyId } = webhook
  const shownStatus = status === 'DELETED' ? ('DISABLED' as const) : status
  return {
    webhookId,
    organizationId,
    url,
    events,
    ...(description === null ? {} : { description }),
    status: shownStatus,
    webhookStatus: shownStatus,
    ...(disabledAt ? { disabledAt: disabledAt.toISOString() } : {}),
    ...(disabledReason ? { disabledReason } : {}),
    ...presentOwnData(webhook),
    ...(status === 'PENDING' || disabledReason === 'UNPROVEN' ? { challenge: presentChallenge(webhook) } : {}),
    ...(makerApiKeyId ? { apiKeyId: makerApiKeyId } : {}),
    createdAt: webhook.createdAt.toISOString(),
    ...(webhook.deletedAt ? { deletedAt: webhook.deletedAt.toISOString() } : {}),
  }
}

function presentChallenge({ status, challenges, challengeOutcome, dueAt }: Webhook) {
  return {
    attempts: challenges,
    ...(challengeOutcome === null ? {} : { outcome: challengeOutcome }),
    ...(status === 'PENDING' && dueAt ? { nextAttemptAt: dueAt.toISOString() } : {}),
  }
}

type Result = {
  outcome: Outcome
  statusCode: number | null
  durationMs: number
  response: string | undefined
  isResponseCut: boolean
  error: string | null
}

export function presentResult({ outcome, statusCode, durationMs, response, isResponseCut, error }: Result) {
  return {
    outcome,
    ...(statusCode === null ? {} : { statusCode }),
    durationMs,
    ...(response === undefined ? {} : { response }),
    ...(response !== undefined && isResponseCut ? { responseTruncated: true } : {}),
    ...(error === null ? {} : { error }),
  }
}

function presentAttempt(attempt: ShownAttempt) {
  return { attemptedAt: attempt.attemptedAt.toISOString(), ...presentResult(attempt) }
}

export function presentDelivery(delivery: ShownDelivery) {
  const { deliveryId, webhookId, eventId, eventType, replay, formerUrl } = delivery
  const { status, dueAt, shownAttempts, createdAt } = delivery
  return {
    deliveryId,
    webhookId,
    eventId,
    eventType,
    isReplay: replay > 0,
    ...(formerUrl === null ? {} : { formerUrl }),
    status,
    deliveryStatus: status,
    attempts: shownAttempts.map(presentAttempt),
    ...(dueAt && (delivery.isWebhookEnabled || formerUrl !== null) ? { nextAttemptAt: dueAt.toISOString() } : {}),
    createdAt: createdAt.toISOString(),
  }
}
