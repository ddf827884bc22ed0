import type { Audit } from '../../db/audit/audit.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { Vault } from '../../encryption/data-keys.ts'
import type { Caller } from '../../lib/caller.ts'
import { type EventType, requireReadable } from '../../lib/event-types.ts'
import { badField, notFound, Refusal } from '../../lib/refusal.ts'
import { unsendableReasons } from '../delivery/outcome.ts'
import { webhookNotEnabled } from '../disable.ts'
import { findWebhook } from '../store.ts'
import { isSubscribed, receivedTypes } from '../subscription.ts'
import type { Webhook } from '../webhook.ts'
import * as store from './replay-store.ts'
import { insertDeliveries } from './store.ts'

export type ReplayDeps = { database: Database; vault: Vault; audit: Audit }

type RangeRequest = { webhookId: string; fromSequence?: number; toSequence?: number; from?: string; to?: string }

/** An event to replay; to all subscribed webhooks when `target` is undefined. */
type PreparedReplay = { event: store.ReplayedEvent; target: Webhook | undefined }

/** Events that one request can replay. */
const maxReplayedEvents = 10_000

export type ReplayService = ReturnType<typeof createReplayService>

/** Replays events as new deliveries, with the same event ids and the same bytes. */
export function createReplayService({ database, vault, audit }: ReplayDeps) {
  return {
    /**
     * Runs before the database transaction: finds the event and the webhook, and checks that the event can be opened.
     */
    prepareEvent: async (caller: Caller, eventId: string, readBody: () => { webhookId?: string }) => {
      const event = (await store.findEvent(database, caller.organizationIds, eventId)) ?? refuse()
      requireReadable(caller.scopes, [event.eventType as EventType])
      const { webhookId } = readBody()
      const target = webhookId ? await findWebhook(database, [event.organizationId], webhookId) : undefined
      if (webhookId && !target) refuse()
      const isErased = event.dataKeyId !== null && !(await vault.unlock(event.organizationId, event.dataKeyId))
      if (isErased) throw new Refusal('CONFLICT', unsendableReasons.ERASED)
      return { event, target }
    },

    replayEvent: async (tx: Tx, caller: Caller, prepared: PreparedReplay) => {
      const { organizationId, eventId } = prepared.event
      const eventType = prepared.event.eventType as EventType
      const deliveries = []
      for (const webhookId of await findTargets(tx, prepared)) {
        const started = await store.startReplay(tx, organizationId, webhookId)
        if (!started) continue
        const [deliveryId] = await insertDeliveries(tx, [{ ...prepared.event, webhookId }], started.replay)
        deliveries.push({ deliveryId, webhookId, eventId, eventType })
      }
      const details = { webhookIds: deliveries.map(({ webhookId }) => webhookId) }
      const actor = `api_key:${caller.apiKeyId}`
      await audit.append(tx, { organizationId, actor, action: 'event.replayed', subjectId: eventId, details })
      return deliveries
    },

    replayRange: async (tx: Tx, caller: Caller, request: RangeRequest) => {
      const range = readRange(request)
      const webhook = (await findWebhook(tx, caller.organizationIds, request.webhookId)) ?? refuse()
      const { organizationId, webhookId } = webhook
      const types = receivedTypes(webhook)
      requireReadable(caller.scopes, types)
      // Reads before it locks the webhook: a long range takes a while, and the fan-out waits for that lock.
      const found = await store.readRange(tx, organizationId, range, types, maxReplayedEvents + 1)
      const started = await store.startReplay(tx, organizationId, webhookId)
      if (!started) throw webhookNotEnabled()
      const events = found.slice(0, maxReplayedEvents)
      const deliveries = events.map((event) => ({ ...event, webhookId }))
      await insertDeliveries(tx, deliveries, started.replay)
      const last = events.at(-1)?.sequence
      const details = { count: events.length, from: events[0]?.sequence, to: last }
      const actor = `api_key:${caller.apiKeyId}`
      await audit.append(tx, { organizationId, actor, action: 'webhook.replayed', subjectId: webhookId, details })
      return {
        webhookId,
        count: events.length,
        ...(last === undefined ? {} : { lastSequence: Number(last) }),
        isComplete: found.length <= maxReplayedEvents,
      }
    },
  }
}

/** Returns webhooks in the order of their ids: concurrent replays lock them in one order and cannot deadlock. */
async function findTargets(tx: Tx, { event, target }: PreparedReplay): Promise<string[]> {
  const enabled = await store.listEnabled(tx, event.organizationId)
  const candidates = target ? enabled.filter(({ webhookId }) => webhookId === target.webhookId) : enabled
  if (target && candidates.length === 0) throw webhookNotEnabled()
  const subscribed = candidates.filter(({ events }) => isSubscribed(events, event.eventType as EventType))
  if (target && subscribed.length === 0) {
    throw new Refusal(
      'CONFLICT',
      `The webhook does not subscribe to ${event.eventType}; add this type to its events first`,
    )
  }
  const receiving = subscribed.filter((webhook) => receivedTypes(webhook).includes(event.eventType as EventType))
  if (target && receiving.length === 0)
    throw new Refusal('CONFLICT', `The key of the webhook may not read ${event.eventType}`)
  return receiving.map(({ webhookId }) => webhookId)
}

function readRange({ fromSequence, toSequence, from, to }: RangeRequest): store.ReplayRange {
  if ((fromSequence === undefined) === (from === undefined)) {
    throw badField('fromSequence', 'is required unless from is given; give only one of the two')
  }
  if (toSequence !== undefined && to !== undefined) throw badField('toSequence', 'must not be given together with to')
  if (fromSequence !== undefined && toSequence !== undefined && toSequence < fromSequence) {
    throw badField('toSequence', 'must not be below fromSequence')
  }
  if (from !== undefined && to !== undefined && Date.parse(to) <= Date.parse(from)) {
    throw badField('to', 'must be after from')
  }
  return {
    ...(fromSequence !== undefined && { fromSequence }),
    ...(toSequence !== undefined && { toSequence }),
    ...(from !== undefined && { from: new Date(from) }),
    ...(to !== undefined && { to: new Date(to) }),
  }
}

function refuse(): never {
  throw notFound()
}
