import Type from 'typebox'
import { type Route, route } from '../http/route.ts'
import { Uuid } from '../http/wire.ts'
import { resolveEventType } from '../lib/event-types.ts'
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
      method: 'POST',
      path: '/webhooks',
      access: 'webhooks:write',
      tag,
      summary: 'Create a webhook',
      description:
        'Svc sends the events from now on to `url`, signed by Standard Webhooks 1.0. Only this answer shows the ' +
        'secret.',
      body: wire.CreateWebhookBody,
      refusals: ['NOT_FOUND', 'CONFLICT', 'EXTERNAL_ID_ALREADY_USED'],
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
      method: 'GET',
      path: '/webhooks',
      access: 'webhooks:read',
      work: { isFiltered: true },
      tag,
      summary: 'List webhooks',
      description: 'Newest first, including webhooks of child organizations.',
      query: wire.WebhookQuery,
      answer: { status: 200, description: 'One page', schema: wire.WebhookPage },
      handle: async ({ caller, query: { pageToken, pageSize, ...filter } }) => {
        const page = { ...(pageToken ? { pageToken } : {}), ...(pageSize ? { pageSize } : {}) }
        const { items, nextPageToken } = await webhooks.list(caller, filter, page)
        return { webhooks: items.map(wire.presentWebhook), nextPageToken }
      },
    }),
    route({
      method: 'GET',
      path: '/webhooks/{webhookId}',
      access: 'webhooks:read',
      tag,
      params,
      summary: 'Read one webhook',
      answer: oneWebhook,
      handle: async ({ caller, params: { webhookId } }) => wire.presentWebhook(await webhooks.read(caller, webhookId)),
    }),
    route({
      method: 'PATCH',
      path: '/webhooks/{webhookId}',
      access: 'webhooks:write',
      tag,
      params,
      summary: 'Change, disable or enable a webhook',
      description:
        'After it is enabled again, Svc sends its pending deliveries and all new events. You can replay the events ' +
        'that happened while it was DISABLED. Svc tells the receiver of before that it is called no more, or for other ' +
        'types.',
      body: wire.ChangeWebhookBody,
      refusals: ['CONFLICT', 'EXTERNAL_ID_ALREADY_USED'],
      answer: oneWebhook,
      handle: async ({ caller, params: { webhookId }, readBody }) =>
        wire.presentWebhook(await webhooks.change(caller, webhookId, readBody)),
    }),
    route({
      method: 'DELETE',
      path: '/webhooks/{webhookId}',
      access: 'webhooks:write',
      tag,
      params,
      summary: 'Delete a webhook',
      description:
        'Svc tells the receiver, and sends nothing more to it. The webhook stays readable by its id; its deliveries can ' +
        'no longer be read.',
      refusals: ['CONFLICT'],
      answer: { ...oneWebhook, description: 'The deleted webhook' },
      handle: async ({ caller, params: { webhookId } }) =>
        wire.presentWebhook(await webhooks.delete(caller, webhookId)),
    }),
    route({
      method: 'POST',
      path: '/webhooks/{webhookId}/rotate-secret',
      access: 'webhooks:write',
      tag,
      params,
      summary: 'Rotate the secret of a webhook',
      description:
        'For 24 hours Svc signs every request with the old and the new secret, so that you can switch at any time.',
      refusals: ['CONFLICT'],
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
      method: 'POST',
      path: '/webhooks/{webhookId}/test',
      access: 'webhooks:write',
      tag,
      params,
      summary: 'Send an example event to a webhook',
      description:
        'Svc sends the example to this webhook only, at once and without retries. The answer shows the result. The ' +
        'example is signed like any event and has the sequence 0, which no event has. No list of events or ' +
        'deliveries shows it.',
      body: wire.TestWebhookBody,
      answer: { status: 200, description: 'The result of the attempt', schema: wire.WebhookTestAnswer },
      handle: ({ caller, params: { webhookId }, readBody, once }) =>
        once(
          async (_tx, sent: Awaited<ReturnType<WebhookService['test']>>) => {
            const { eventId, eventType } = sent
            return { webhookId: sent.webhookId, eventId, eventType, ...wire.presentResult(sent) }
          },
          () =>
            webhooks.test(caller, webhookId, () => {
              const { type } = readBody()
              return type && resolveEventType(type)
            }),
        ),
    }),
  ]
}

export function deliveryRoutes(deliveries: DeliveryService): Route[] {
  const deliveryParams = Type.Object({ deliveryId: Uuid })
  return [
    route({
      method: 'GET',
      path: '/webhooks/{webhookId}/deliveries',
      access: 'webhooks:read',
      tag,
      params,
      summary: 'List the deliveries of a webhook',
      description:
        'Deliveries of the newest events first, and what Svc told former addresses. Only the last attempt of each ' +
        'delivery shows its `response`.',
      query: wire.DeliveryQuery,
      answer: { status: 200, description: 'One page', schema: wire.DeliveryPage },
      handle: async ({ caller, params: { webhookId }, query: { status, eventId, ...page } }) => {
        const filter = { ...(status && { status }), ...(eventId && { eventId: eventId.toLowerCase() }) }
        const { items, nextPageToken } = await deliveries.list(caller, webhookId, filter, page)
        return { deliveries: items.map(wire.presentDelivery), nextPageToken }
      },
    }),
    route({
      method: 'GET',
      path: '/webhook-deliveries/{deliveryId}',
      access: 'webhooks:read',
      tag,
      params: deliveryParams,
      summary: 'Read one delivery',
      description: 'Shows the response of the receiver to each of the last 20 attempts.',
      answer: oneDelivery,
      handle: async ({ caller, params: { deliveryId } }) =>
        wire.presentDelivery(await deliveries.read(caller, deliveryId)),
    }),
    route({
      method: 'POST',
      path: '/webhook-deliveries/{deliveryId}/retry',
      access: 'webhooks:write',
      tag,
      params: deliveryParams,
      summary: 'Retry a delivery now',
      description: 'For a delivery that is FAILED or PENDING. Restarts its retry schedule.',
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
      method: 'POST',
      path: '/events/{eventId}/replay',
      access: 'events:write',
      tag: 'Events',
      params: Type.Object({ eventId: Uuid }),
      summary: 'Replay an event',
      description:
        'Sends the event again, with the same id and bytes, to every enabled webhook that subscribes to its type, or ' +
        'to one.',
      body: wire.ReplayEventBody,
      refusals: ['CONFLICT'],
      answer: { status: 200, description: 'The new deliveries', schema: wire.ReplayedEventAnswer },
      handle: ({ caller, params: { eventId }, readBody, once }) =>
        once(
          async (tx, prepared: Awaited<ReturnType<ReplayService['prepareEvent']>>) => ({
            deliveries: await replays.replayEvent(tx, caller, prepared),
          }),
          () => replays.prepareEvent(caller, eventId, readBody),
        ),
    }),
    route({
      method: 'POST',
      path: '/events/replay',
      access: 'events:write',
      tag: 'Events',
      summary: 'Replay a range of events',
      description:
        'Sends the events of the range that one webhook subscribes to, in order for each resource. One request ' +
        'replays at most 10,000 events.',
      body: wire.ReplayRangeBody,
      refusals: ['NOT_FOUND', 'CONFLICT'],
      answer: { status: 200, description: 'The number of replayed events', schema: wire.ReplayedRangeAnswer },
      handle: ({ caller, readBody, once }) => once((tx) => replays.replayRange(tx, caller, readBody())),
    }),
  ]
}
