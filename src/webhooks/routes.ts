import Type from 'typebox'
import { type Route, route } from '../http/route.ts'
import { Uuid } from '../http/wire.ts'
import type { DeliveryService } from './delivery/service.ts'
import type { ReplayService } from './fan-out/replay.ts'
import type { WebhookService } from './service.ts'
import * as wire from './wire.ts'

const tag = 'Webhooks'
const params = Type.Object({ webhookId: Uuid })
const oneWebhook = { status: 200, description: 'The webhook', schema: wire.WebhookAnswer } as const
const oneDelivery = { status: 200, description: 'The delivery', schema: wire.DeliveryAnswer } as const

export function webhookRoutes(webhooks: WebhookService): Route[] {
  return [
    route({
      ...({ method: 'POST', path: '/webhooks', access: 'webhooks:write', tag } as const),
      summary: 'Have events sent to an address',
      description:
        'Events that happen from now on are sent there, signed by Standard Webhooks 1.0. The secret is in this answer only.',
      body: wire.CreateWebhookBody,
      refusals: ['NOT_FOUND', 'CONFLICT'],
      answer: { status: 201, description: 'The webhook and its secret', schema: wire.WebhookWithSecretAnswer },
      secrets: ['secret'],
      handle: ({ caller, readBody, once }) =>
        once(
          async (tx, prepared: Awaited<ReturnType<WebhookService['prepareCreate']>>) => {
            const { webhook, secret } = await webhooks.create(tx, caller, prepared)
            return { ...wire.presentWebhook(webhook), secret }
          },
          () => webhooks.prepareCreate(caller, readBody()),
        ),
    }),
    route({
      ...({ method: 'GET', path: '/webhooks', access: 'webhooks:read', tag } as const),
      summary: 'List webhooks',
      description: 'Newest first, those of child organizations among them.',
      query: wire.WebhookQuery,
      answer: { status: 200, description: 'One page', schema: wire.WebhookPage },
      handle: async ({ caller, query: { organizationId, ...page } }) => {
        const { items, nextPageToken } = await webhooks.list(caller, organizationId, page)
        return { webhooks: items.map(wire.presentWebhook), nextPageToken }
      },
    }),
    route({
      ...({ method: 'GET', path: '/webhooks/{webhookId}', access: 'webhooks:read', tag, params } as const),
      summary: 'Read one webhook',
      answer: oneWebhook,
      handle: async ({ caller, params: { webhookId } }) => wire.presentWebhook(await webhooks.read(caller, webhookId)),
    }),
    route({
      ...({ method: 'PATCH', path: '/webhooks/{webhookId}', access: 'webhooks:write', tag, params } as const),
      summary: 'Change a webhook, disable it or enable it again',
      description:
        'Enabled again, it goes on with what was waiting for it and with what happens from then on. What happened while ' +
        'it was DISABLED can be replayed.',
      body: wire.ChangeWebhookBody,
      answer: oneWebhook,
      handle: async ({ caller, params: { webhookId }, readBody }) =>
        wire.presentWebhook(await webhooks.change(caller, webhookId, readBody)),
    }),
    route({
      ...({ method: 'DELETE', path: '/webhooks/{webhookId}', access: 'webhooks:write', tag, params } as const),
      summary: 'Delete a webhook',
      description: 'Nothing more is sent to it, and its deliveries can be read no longer.',
      answer: { ...oneWebhook, description: 'The webhook that is gone' },
      handle: async ({ caller, params: { webhookId } }) =>
        wire.presentWebhook(await webhooks.delete(caller, webhookId)),
    }),
    route({
      ...({ method: 'POST', path: '/webhooks/{webhookId}/rotate-secret', access: 'webhooks:write', tag } as const),
      params,
      summary: 'Get a new secret',
      description: 'For 24 hours everything is signed with both, so that receivers can change over without haste.',
      answer: { status: 200, description: 'The webhook and its new secret', schema: wire.WebhookWithSecretAnswer },
      secrets: ['secret'],
      handle: ({ caller, params: { webhookId }, once }) =>
        once(
          async (tx, prepared: Awaited<ReturnType<WebhookService['prepareRotation']>>) => {
            const { webhook, secret } = await webhooks.rotate(tx, caller, prepared)
            return { ...wire.presentWebhook(webhook), secret }
          },
          () => webhooks.prepareRotation(caller, webhookId),
        ),
    }),
    route({
      ...({ method: 'POST', path: '/webhooks/{webhookId}/test', access: 'webhooks:write', tag, params } as const),
      summary: 'Send an example event',
      description:
        'To this webhook alone, at once, and once: the answer says how it went. It is signed like any event and has the ' +
        'sequence 0, which no event has. It is in no list of events or deliveries.',
      body: wire.TestWebhookBody,
      answer: { status: 200, description: 'How it went', schema: wire.WebhookTestAnswer },
      handle: ({ caller, params: { webhookId }, readBody, once }) =>
        once(
          async (_transaction, sent: Awaited<ReturnType<WebhookService['test']>>) => {
            const { eventId, eventType } = sent
            return { webhookId: sent.webhookId, eventId, eventType, ...wire.presentResult(sent) }
          },
          () => webhooks.test(caller, webhookId, () => readBody().type),
        ),
    }),
  ]
}

export function deliveryRoutes(deliveries: DeliveryService): Route[] {
  const deliveryParams = Type.Object({ deliveryId: Uuid })
  return [
    route({
      ...({ method: 'GET', path: '/webhooks/{webhookId}/deliveries', access: 'webhooks:read', tag, params } as const),
      summary: 'List what was sent to a webhook',
      description: 'Those of the newest events first. `response` is shown for the last attempt of each.',
      query: wire.DeliveryQuery,
      answer: { status: 200, description: 'One page', schema: wire.DeliveryPage },
      handle: async ({ caller, params: { webhookId }, query: { status, eventId, ...page } }) => {
        const filter = { ...(status && { status }), ...(eventId && { eventId: eventId.toLowerCase() }) }
        const { items, nextPageToken } = await deliveries.list(caller, webhookId, filter, page)
        return { deliveries: items.map(wire.presentDelivery), nextPageToken }
      },
    }),
    route({
      ...({ method: 'GET', path: '/webhook-deliveries/{deliveryId}', access: 'webhooks:read', tag } as const),
      params: deliveryParams,
      summary: 'Read one delivery',
      description: 'With what the receiver answered to each attempt.',
      answer: oneDelivery,
      handle: async ({ caller, params: { deliveryId } }) =>
        wire.presentDelivery(await deliveries.read(caller, deliveryId)),
    }),
    route({
      ...({ method: 'POST', path: '/webhook-deliveries/{deliveryId}/retry', access: 'webhooks:write', tag } as const),
      params: deliveryParams,
      summary: 'Try a delivery again now',
      description: 'One that FAILED or is waiting. If it fails again, the whole schedule begins anew.',
      refusals: ['CONFLICT'],
      answer: oneDelivery,
      handle: ({ caller, params: { deliveryId }, once }) =>
        once(
          async (tx, found: Awaited<ReturnType<DeliveryService['read']>>) =>
            wire.presentDelivery(await deliveries.retry(tx, caller, found)),
          () => deliveries.read(caller, deliveryId),
        ),
    }),
  ]
}

export function replayRoutes(replays: ReplayService): Route[] {
  return [
    route({
      ...({ method: 'POST', path: '/events/{eventId}/replay', access: 'events:write', tag: 'Events' } as const),
      params: Type.Object({ eventId: Uuid }),
      summary: 'Send an event again',
      description: 'To every enabled webhook that subscribes to its type, or to one. The same id and the same bytes.',
      body: wire.ReplayEventBody,
      refusals: ['CONFLICT'],
      answer: { status: 200, description: 'What is on its way', schema: wire.ReplayedEventAnswer },
      handle: ({ caller, params: { eventId }, readBody, once }) =>
        once(
          async (tx, prepared: Awaited<ReturnType<ReplayService['prepareEvent']>>) => ({
            deliveries: await replays.replayEvent(tx, caller, prepared),
          }),
          () => replays.prepareEvent(caller, eventId, readBody),
        ),
    }),
    route({
      ...({ method: 'POST', path: '/events/replay', access: 'events:write', tag: 'Events' } as const),
      summary: 'Send a range of events again',
      description:
        'To one webhook, those that it subscribes to, in their order for each resource. At most 10,000 at a time.',
      body: wire.ReplayRangeBody,
      refusals: ['NOT_FOUND', 'CONFLICT'],
      answer: { status: 200, description: 'How many are on their way', schema: wire.ReplayedRangeAnswer },
      handle: ({ caller, readBody, once }) => once((tx) => replays.replayRange(tx, caller, readBody())),
    }),
  ]
}
