import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { appendEvents, type NewEvent } from '../../../src/db/outbox/events.ts'
import { newId } from '../../../src/lib/ids.ts'
import type { BodyOf } from '../runner/answers.ts'
import type { TestApi } from '../runner/api.ts'

export type Received = { path: string; headers: Record<string, string>; body: string; id: string }
type Answer = (request: Received, response: ServerResponse) => unknown

/** An integrator's server: records every request, and answers each path as the test sets; 204 otherwise. */
export async function startReceiver() {
  const received: Received[] = []
  const answers = new Map<string, Answer>()
  const server = createServer(async (message, response) => {
    const body = Buffer.concat(await message.toArray()).toString()
    const headers = message.headers as Record<string, string>
    const request = { path: message.url ?? '', headers, body, id: headers['webhook-id'] ?? '' }
    received.push(request)
    const answer = answers.get(request.path)
    if (answer) answer(request, response)
    else response.writeHead(204).end()
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    received,
    at: (path: string) => received.filter((request) => request.path === path),
    answer: (path: string, answer: Answer | number) =>
      void answers.set(path, typeof answer === 'number' ? (_, response) => response.writeHead(answer).end() : answer),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

export type Webhook = BodyOf<'GET /webhooks/{webhookId}'>
export type CreatedWebhook = Webhook & { secret: string }
type WebhookId = Pick<Webhook, 'webhookId'>
export type Delivery = BodyOf<'GET /webhook-deliveries/{deliveryId}'>

/** Creates a webhook and expects it to work. */
export async function createWebhook(api: TestApi, url: string, more: object = {}): Promise<CreatedWebhook> {
  const answer = await api.post('/webhooks', { url, events: ['*'], ...more })
  expect(answer.body).toMatchObject({ status: 'ENABLED', secret: expect.any(String) })
  expect(answer.status).toBe(201)
  return { ...answer.body, secret: answer.body.secret ?? '' }
}

export async function readWebhook(api: TestApi, { webhookId }: WebhookId): Promise<Webhook> {
  return (await api.get(`/webhooks/${webhookId}`)).body
}

/** Oldest event first. */
export async function deliveriesOf(api: TestApi, { webhookId }: WebhookId, query = ''): Promise<Delivery[]> {
  const { body } = await api.get(`/webhooks/${webhookId}/deliveries?pageSize=100${query}`)
  return body.deliveries.reverse()
}

type Wanted = { type?: NewEvent['type']; resourceId?: string; resourceVersion?: number; data?: object }

/** Emits events as a change would, and returns their ids. */
export function emitEvents(api: TestApi, organizationId: string, wanted: readonly Wanted[]): Promise<string[]> {
  const events = wanted.map(({ type = 'deposit.created', resourceId = newId(), resourceVersion = 1, data = {} }) => ({
    organizationId,
    type,
    resourceId,
    resourceVersion,
    data,
  }))
  return api.app.database.inTx((tx) => appendEvents(tx, events))
}
