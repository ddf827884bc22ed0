import type { Audit } from '../../db/audit/audit.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { Vault } from '../../encryption/data-keys.ts'
import type { Caller } from '../../lib/caller.ts'
import type { EventType } from '../../lib/event-types.ts'
import { badField, notFound, Refusal } from '../../lib/refusal.ts'
import { unsendableReasons } from '../delivery/outcome.ts'
import { disabled } from '../delivery/service.ts'
import { findWebhook } from '../store.ts'
import { isSubscribed } from '../subscription.ts'
import type { Webhook } from '../webhook.ts'
import * as store from './replay-store.ts'
import { insertDeliveries } from './store.ts'

export type ReplayDeps = { database: Database; vault: Vault; audit: Audit }

type WantedRange = { webhookId: string; fromSequence?: number; toSequence?: number; from?: string; to?: string }

/** An event to be sent again, and the one webhook that is meant, if not all are. */
type PreparedReplay = { event: store.ReplayedEvent; only: Webhook | undefined }

/** As many events as one request may have sent again. */
const mostReplayed = 10_000

export type ReplayService = ReturnType<typeof createReplayService>

/** Sends events again, one or many: as new deliveries, with the ids and the bytes that they had. */
export function createReplayService({ database, vault, audit }: ReplayDeps) {
  return {
    /** What comes before the transaction: are both there, and can the event still be read? */
    prepareEvent: async (caller: Caller, eventId: string, readBody: () => { webhookId?: string }) => {
      const event = (await store.findEvent(database, caller.organizationIds, eventId)) ?? refuse()
      const { webhookId } = readBody()
      const only = webhookId ? await findWebhook(database, [event.organizationId], webhookId) : undefined
      if (webhookId && !only) refuse()
      const isErased = event.dataKeyId !== null && !(await vault.unlock(event.organizationId, event.dataKeyId))
      if (isErased) throw new Refusal('CONFLICT', unsendableReasons.ERASED)
      return { event, only }
    },

    replayEvent: async (tx: Tx, caller: Caller, prepared: PreparedReplay) => {
      const { organizationId, eventId } = prepared.event
      const eventType = prepared.event.eventType as EventType
      const deliveries = []
      for (const webhookId of await findTargets(tx, prepared)) {
        const started = await store.startReplay(tx, organizationId, webhookId)
        if (!started) continue
        const wanted = [{ ...prepared.event, webhookId }]
        const [deliveryId] = await insertDeliveries(tx, wanted, started.replay)
        deliveries.push({ deliveryId, webhookId, eventId, eventType })
      }
      const details = { webhookIds: deliveries.map(({ webhookId }) => webhookId) }
      const act = { actor: `api_key:${caller.apiKeyId}`, action: 'event.replayed', subjectId: eventId, details }
      await audit.append(tx, { organizationId, ...act })
      return deliveries
    },

    replayRange: async (tx: Tx, caller: Caller, wanted: WantedRange) => {
      const range = readRange(wanted)
      const webhook = (await findWebhook(tx, caller.organizationIds, wanted.webhookId)) ?? refuse()
      const { organizationId, webhookId } = webhook
      // Before the webhook is locked: a long range takes a while, and whoever fans out events waits for that lock.
      const found = await store.readRange(tx, organizationId, range, webhook.events, mostReplayed + 1)
      const started = await store.startReplay(tx, organizationId, webhookId)
      if (!started) throw disabled()
      const events = found.slice(0, mostReplayed)
      const deliveries = events.map((event) => ({ ...event, webhookId }))
      await insertDeliveries(tx, deliveries, started.replay)
      const last = events.at(-1)?.sequence
      const details = { count: events.length, from: events[0]?.sequence, to: last }
      const act = { actor: `api_key:${caller.apiKeyId}`, action: 'webhook.replayed', subjectId: webhookId, details }
      await audit.append(tx, { organizationId, ...act })
      return {
        webhookId,
        count: events.length,
        ...(last === undefined ? {} : { lastSequence: Number(last) }),
        isComplete: found.length <= mostReplayed,
      }
    },
  }
}

/** In the order of their ids, so that two replays at once do not wait for each other in a ring. */
async function findTargets(tx: Tx, { event, only }: PreparedReplay): Promise<string[]> {
  const enabled = await store.listEnabled(tx, event.organizationId)
  const named = only ? enabled.filter(({ webhookId }) => webhookId === only.webhookId) : enabled
  if (only && named.length === 0) throw disabled()
  const targets = named.filter(({ events }) => isSubscribed(events, event.eventType as EventType))
  if (only && targets.length === 0) {
    throw new Refusal('CONFLICT', `The webhook does not subscribe to ${event.eventType}`)
  }
  return targets.map(({ webhookId }) => webhookId)
}

function readRange({ fromSequence, toSequence, from, to }: WantedRange): store.ReplayRange {
  if ((fromSequence === undefined) === (from === undefined)) {
    throw badField('fromSequence', 'must be given, or else from, and not both')
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
