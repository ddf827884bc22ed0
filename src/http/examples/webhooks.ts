import { exampleProcessing } from './payments.ts'
import { integrator, payout, story } from './story.ts'

const events = ['customer.updated', 'transaction.updated']
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='

/** The webhook of the integrator's checkout server. */
export const exampleWebhook = {
  webhookId: integrator.webhookId,
  organizationId: story.organizationId,
  url: 'https://example.com/hooks/svc',
  events,
  description: 'Checkout server',
  status: 'ENABLED',
  webhookStatus: 'ENABLED',
  apiKeyId: integrator.apiKeyId,
  externalId: 'checkout',
  metadata: { team: 'north' },
  createdAt: '2025-11-07T10:00:00.000Z',
}

/** The event that the deposit of the story causes. */
export const exampleEvent = {
  id: integrator.eventId,
  eventId: integrator.eventId,
  type: 'transaction.updated',
  resourceType: 'transaction',
  resourceId: story.transactionId,
  apiVersion: '2025-11-21',
  createdAt: story.depositedAt,
  organizationId: story.organizationId,
  sequence: 7,
  resourceVersion: 2,
  data: exampleProcessing,
}

const delivery = {
  deliveryId: integrator.deliveryId,
  webhookId: integrator.webhookId,
  eventId: integrator.eventId,
  eventType: exampleEvent.type,
}

/** Its delivery to the webhook. */
export const exampleDelivery = {
  ...delivery,
  isReplay: false,
  status: 'DELIVERED',
  deliveryStatus: 'DELIVERED',
  attempts: [{ attemptedAt: story.depositedAt, outcome: 'DELIVERED', statusCode: 204, durationMs: 87 }],
  createdAt: story.depositedAt,
}

const { url, description, externalId, metadata } = exampleWebhook
const terms = { url, events, description, externalId, metadata }

export const webhookOperations = {
  createWebhook: { request: terms, answer: { ...exampleWebhook, secret } },
  updateWebhook: { request: { ...terms, status: 'ENABLED' } },
  deleteWebhook: {
    answer: {
      ...exampleWebhook,
      status: 'DISABLED',
      webhookStatus: 'DISABLED',
      deletedAt: payout.returnedAt,
    },
  },
  rotateWebhookSecret: {
    answer: { ...exampleWebhook, secret: 'whsec_plJ3nmyCDGBKInavdOK15jsl5Y9eVqsyC1vRrFqGLK8=' },
  },
  testWebhook: {
    request: { type: exampleEvent.type },
    answer: {
      webhookId: integrator.webhookId,
      eventId: integrator.eventId,
      eventType: exampleEvent.type,
      outcome: 'DELIVERED',
      statusCode: 200,
      durationMs: 87,
      response: 'ok',
    },
  },
  replayEvent: { answer: { deliveries: [delivery] } },
  replayEvents: {
    answer: { webhookId: integrator.webhookId, count: 500, lastSequence: 500, isComplete: true },
  },
  streamEvents: {
    answer: `id: dCtL0m7qk2y3Vd5pWm1Y8FsiNyJd\nevent: ${exampleEvent.type}\ndata: ${JSON.stringify(exampleEvent)}\n\n`,
  },
}
