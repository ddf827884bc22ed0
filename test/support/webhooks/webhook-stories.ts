import { afterAll, expect } from 'vitest'
import { actingWith, startApi } from '../runner/api.ts'
import { eventually, wakeWhileWaiting } from '../runner/eventually.ts'
import { createWebhook, type Delivery, deliveriesOf, emitEvents, startReceiver, type Webhook } from './receiver.ts'

export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute
export const patience = { interval: 25 }
const builder = { name: 'Story', tier: 'BUILDER', parentOrganizationId: null } as const

/** A service with a worker, and a receiver whose paths answer as a test sets. */
export async function startStories(settings: Record<string, string> = {}) {
  const service = await startApi({ SVC_RATE_LIMIT_SANDBOX: '0', ...settings })
  const worker = await service.app.startWorker()
  const letSleep = wakeWhileWaiting(worker)
  const receiver = await startReceiver()
  afterAll(async () => {
    letSleep()
    // First: a stopping worker waits for receivers that have not answered.
    receiver.close()
    await worker.stop()
  })
  const moveClock = async (body: object) => {
    const answer = await service.post('/sandbox/clock', body)
    // The worker polls for due work now, not at the next tick.
    worker.wake()
    return Date.parse(answer.body.now)
  }
  let paths = 0

  /** Gives every test its own organization and a frozen clock, so that due times are exact. */
  const begin = async () => {
    let nowMs = await moveClock({ freeze: true })
    const { organizations, credentials } = service.app
    const { organizationId } = await organizations.create(builder)
    const api = actingWith(service, (await credentials.createFullKey('Story', organizationId)).apiKey)
    const emit = async (wanted: Parameters<typeof emitEvents>[2]) => {
      const ids = await emitEvents(api, organizationId, wanted)
      worker.wake()
      return ids
    }

    /** Creates a webhook for deposits whose receiver answers like this; 204 otherwise. */
    const hook = async (answer: Parameters<typeof receiver.answer>[1] = 204, more: object = {}) => {
      const path = `/story-${++paths}`
      receiver.answer(path, answer)
      const webhook = await createWebhook(api, receiver.url + path, { events: ['deposit.created'], ...more })
      const heard = () => receiver.at(path).map(({ id }) => id)
      return { webhook, path, heard, received: () => receiver.at(path) }
    }
    const only = async (webhook: Webhook): Promise<Delivery> => {
      const [delivery] = await deliveriesOf(api, webhook)
      if (!delivery) throw new Error('nothing was sent yet')
      return delivery
    }
    return {
      api,
      emit,
      hook,
      only,
      now: () => nowMs,
      advance: async (ms: number) => {
        nowMs = await moveClock({ advance: `PT${(ms / 1_000).toFixed(3)}S` })
      },
      afterAttempts: async (webhook: Webhook, count: number): Promise<Delivery> => {
        await eventually(async () => expect((await only(webhook)).attempts).toHaveLength(count), patience)
        // Read a second time: in the first read the attempt may have fallen between the delivery and its attempts.
        return only(webhook)
      },
      /** Waits until a delivery that is due now was sent: all other due deliveries are then on their way. */
      untilDueIsSent: async () => {
        const marker = await hook(204, { events: ['webhook.disabled'] })
        const [eventId] = await emit([{ type: 'webhook.disabled' }])
        await eventually(() => expect(marker.heard()).toContain(eventId), patience)
        await api.delete(`/webhooks/${marker.webhook.webhookId}`)
      },
    }
  }
  return { service, receiver, moveClock, begin }
}
