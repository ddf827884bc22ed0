import type { Audit } from '../db/audit.ts'
import type { Database, Queryable } from '../db/database.ts'
import type { Vault } from '../encryption/data-keys.ts'
import type { Caller } from '../lib/caller.ts'
import type { EventType } from '../lib/event-types.ts'
import type { PageRequest, Pages } from '../lib/pages.ts'
import { badField, notFound, Refusal } from '../lib/refusal.ts'
import type { Delivery, DeliveryFilter, ShownDelivery } from './delivery.ts'
import * as store from './delivery-store.ts'
import * as fanOut from './fan-out-store.ts'
import { unsendableReasons } from './outcome.ts'
import { placeOfResponse } from './sender-service.ts'
import { findWebhook } from './store.ts'
import { isSubscribed } from './subscription.ts'

export type DeliveryOptions = { database: Database; pages: Pages; vault: Vault; audit: Audit }

export type DeliveryService = ReturnType<typeof makeDeliveryService>

export function makeDeliveryService(options: DeliveryOptions) {
  return { ...makeReading(options), ...makeRepeating(options) }
}

function makeReading(options: DeliveryOptions) {
  const { database, pages } = options
  return {
    list: async (caller: Caller, webhookId: string, filter: DeliveryFilter, request: PageRequest) => {
      const webhook = (await findWebhook(database, caller.organizationIds, webhookId)) ?? refuse()
      const { organizationId } = webhook
      const page = await pages.read(
        { list: 'deliveries', filters: { for: organizationId, webhookId: webhook.webhookId, ...filter } },
        request,
        (slice) => store.listDeliveries(database, organizationId, webhook.webhookId, filter, slice),
        store.sortKeyOf,
      )
      return { ...page, items: await withAttempts(options, page.items, 'last', webhook.status === 'ENABLED') }
    },

    read: async (caller: Caller, deliveryId: string): Promise<ShownDelivery> => {
      const found = (await store.findDelivery(database, caller.organizationIds, deliveryId)) ?? refuse()
      const webhook = await findWebhook(database, [found.organizationId], found.webhookId)
      const [shown] = await withAttempts(options, [found], 'all', webhook?.status === 'ENABLED')
      return shown ?? refuse()
    },
  }
}

/** As many events as one request may have sent again. */
const mostReplayed = 10_000

type WantedRange = { webhookId: string; fromSequence?: number; toSequence?: number; from?: string; to?: string }

/** Sends again what was sent before: one delivery, one event, or many. */
function makeRepeating(options: DeliveryOptions) {
  const { database, vault, audit } = options
  return {
    /** In the answer no receiver's words: it is stored with the idempotency key, where nothing ends them. */
    retry: async (transaction: Queryable, caller: Caller, shown: ShownDelivery): Promise<ShownDelivery> => {
      const { organizationId, webhookId, deliveryId, status, shownAttempts } = shown
      if (status === 'DELIVERED') throw new Refusal('CONFLICT', 'It was delivered; replay the event to send it again')
      if (shownAttempts.at(-1)?.outcome === 'ERASED') throw new Refusal('CONFLICT', unsendableReasons.ERASED)
      if (!(await store.wakeWebhook(transaction, organizationId, webhookId))) throw disabled()
      const retried = await store.retryDelivery(transaction, organizationId, deliveryId)
      if (!retried) throw new Refusal('CONFLICT', 'It was delivered a moment ago')
      const act = { actor: `api_key:${caller.apiKeyId}`, action: 'webhook_delivery.retried', subjectId: deliveryId }
      await audit.append(transaction, { organizationId, ...act })
      const wordless = shownAttempts.map((attempt) => ({ ...attempt, response: undefined }))
      return { ...shown, ...retried, shownAttempts: wordless }
    },

    /** What comes before the transaction: can the event still be read? */
    prepareReplay: async (caller: Caller, eventId: string): Promise<fanOut.ReplayedEvent> => {
      const event = (await fanOut.findEvent(database, caller.organizationIds, eventId)) ?? refuse()
      const isErased = event.dataKeyId !== null && !(await vault.unlock(event.organizationId, event.dataKeyId))
      if (isErased) throw new Refusal('CONFLICT', unsendableReasons.ERASED)
      return event
    },

    replayEvent: async (
      transaction: Queryable,
      caller: Caller,
      event: fanOut.ReplayedEvent,
      wantedId: string | undefined,
    ) => {
      const { organizationId } = event
      const eventType = event.eventType as EventType
      const only = wantedId && (await findWebhook(transaction, [organizationId], wantedId))
      if (wantedId && !only) throw notFound()
      const enabled = await fanOut.listEnabled(transaction, organizationId)
      const named = only ? enabled.filter(({ webhookId }) => webhookId === only.webhookId) : enabled
      if (only && named.length === 0) throw disabled()
      const targets = named.filter(({ events }) => isSubscribed(events, eventType))
      if (only && targets.length === 0) throw new Refusal('CONFLICT', `The webhook does not subscribe to ${eventType}`)
      const made = []
      for (const { webhookId } of targets) {
        const started = await fanOut.startReplay(transaction, organizationId, webhookId)
        if (!started) continue
        const [deliveryId] = await fanOut.insertDeliveries(transaction, [{ ...event, webhookId }], started.replay)
        made.push({ deliveryId, webhookId, eventId: event.eventId, eventType })
      }
      const act = { actor: `api_key:${caller.apiKeyId}`, action: 'event.replayed', subjectId: event.eventId }
      await audit.append(transaction, { organizationId, ...act, details: { webhooks: made.map((m) => m.webhookId) } })
      return made
    },

    replayRange: async (transaction: Queryable, caller: Caller, wanted: WantedRange) => {
      const range = readRange(wanted)
      const webhook = (await findWebhook(transaction, caller.organizationIds, wanted.webhookId)) ?? refuse()
      const { organizationId, webhookId } = webhook
      const started = await fanOut.startReplay(transaction, organizationId, webhookId)
      if (!started) throw disabled()
      const found = await fanOut.readRange(transaction, organizationId, range, started.events, mostReplayed + 1)
      const events = found.slice(0, mostReplayed)
      await fanOut.insertDeliveries(
        transaction,
        events.map((event) => ({ ...event, webhookId })),
        started.replay,
      )
      const last = events.at(-1)?.sequence
      const details = { count: events.length, from: events[0]?.sequence, to: last }
      const act = { actor: `api_key:${caller.apiKeyId}`, action: 'webhook.replayed', subjectId: webhookId, details }
      await audit.append(transaction, { organizationId, ...act })
      return {
        webhookId,
        count: events.length,
        ...(last === undefined ? {} : { lastSequence: Number(last) }),
        isComplete: found.length <= mostReplayed,
      }
    },
  }
}

function readRange({ fromSequence, toSequence, from, to }: WantedRange): fanOut.ReplayRange {
  const bySequence = fromSequence !== undefined || toSequence !== undefined
  const byTime = from !== undefined || to !== undefined
  if (bySequence === byTime) throw badField('fromSequence', 'must be given, or else from, and not both')
  if (bySequence && fromSequence === undefined) throw badField('fromSequence', 'is required with toSequence')
  if (byTime && from === undefined) throw badField('from', 'is required with to')
  if (fromSequence !== undefined && toSequence !== undefined && toSequence < fromSequence) {
    throw badField('toSequence', 'must not be below fromSequence')
  }
  return {
    ...(fromSequence !== undefined && { fromSequence }),
    ...(toSequence !== undefined && { toSequence }),
    ...(from !== undefined && { from: new Date(from) }),
    ...(to !== undefined && { to: new Date(to) }),
  }
}

async function withAttempts(
  { database, vault }: DeliveryOptions,
  deliveries: readonly Delivery[],
  responses: 'all' | 'last',
  isWebhookEnabled: boolean,
): Promise<ShownDelivery[]> {
  const [first] = deliveries
  if (!first) return []
  const attempts = await store.listAttempts(database, first.organizationId, deliveries, responses)
  const sealed = attempts.flatMap(({ deliveryId, attempt, sealedResponse, dataKeyId }) => {
    if (sealedResponse === null || dataKeyId === null) return []
    return [{ dataKeyId, sealed: sealedResponse, place: placeOfResponse(deliveryId, attempt) }]
  })
  const opened = await vault.openFields(first.organizationId, sealed)
  const texts = new Map(
    sealed.map(({ place }, at) => {
      const field = opened[at]
      return [place.row, field?.outcome === 'OPENED' ? field.bytes.toString() : undefined]
    }),
  )
  const shown = attempts.map((each) => ({
    ...each,
    response: texts.get(placeOfResponse(each.deliveryId, each.attempt).row),
  }))
  return deliveries.map((delivery) => {
    const shownAttempts = shown.filter(({ deliveryId }) => deliveryId === delivery.deliveryId)
    return { ...delivery, shownAttempts, isWebhookEnabled }
  })
}

function disabled(): Refusal {
  return new Refusal('CONFLICT', 'The webhook is DISABLED; enable it first')
}

function refuse(): never {
  throw notFound()
}
