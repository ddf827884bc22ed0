import Type from 'typebox'
import { payout } from '../http/examples/story.ts'
import { exampleWebhook } from '../http/examples/webhooks.ts'
import { type EventPayload, resource } from '../http/wire.ts'
import type { EventType } from '../lib/event-types.ts'
import { Url, WebhookAnswer, webhookFields } from './wire.ts'

const alertFields = {
  ...webhookFields,
  byToken: Type.Optional(
    Type.Literal(true, {
      description: 'Present when a token of the key apiKeyId asked for it, and not the key itself',
    }),
  ),
}

const { metadata: _metadata, ...exampleAlert } = exampleWebhook

/** The payloads of this capability's events. */
export const webhookEvents = {
  'webhook.created': { schema: resource('CreatedWebhook', alertFields), example: exampleAlert },
  'webhook.updated': {
    schema: resource('RedirectedWebhook', {
      ...alertFields,
      previousUrl: { ...Url, description: 'Where it sent events before', examples: ['https://example.com/former'] },
      previousEvents: { ...webhookFields.events, description: 'The types that it was subscribed to before' },
      previousStatus: Type.Optional(
        Type.Literal('DISABLED', { description: 'Present when a caller has enabled it, and changed nothing else' }),
      ),
      isSecretRotated: Type.Optional(
        Type.Literal(true, { description: 'Present when a caller has rotated its secret, and changed nothing else' }),
      ),
    }),
    example: { ...exampleAlert, previousUrl: 'https://example.com/former', previousEvents: exampleAlert.events },
  },
  'webhook.disabled': {
    schema: WebhookAnswer,
    example: {
      ...exampleAlert,
      status: 'DISABLED',
      webhookStatus: 'DISABLED',
      disabledAt: payout.returnedAt,
      disabledReason: 'FAILING',
    },
  },
} satisfies Partial<Record<EventType, EventPayload>>
