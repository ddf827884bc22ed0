import type { Audit } from '../../db/audit/audit.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { Vault } from '../../encryption/data-keys.ts'
import type { Caller } from '../../lib/caller.ts'
import { isReadable } from '../../lib/event-types.ts'
import type { PageRequest, Pages } from '../../lib/pages.ts'
import { notFound, Refusal } from '../../lib/refusal.ts'
import { webhookNotEnabled } from '../disable.ts'
import { findEvenDeleted, findWebhook } from '../store.ts'
import { readAttemptTotals } from './attempt-store.ts'
import type { Delivery, DeliveryFilter, ShownDelivery } from './delivery.ts'
import { placeOfResponse } from './endpoint-worker.ts'
import { unsendableReasons } from './outcome.ts'
import * as store from './store.ts'

export type DeliveryDeps = { database: Database; pages: Pages; vault: Vault; audit: Audit }

export type LoggedAttempt = {
  at: Date
  details: { webhookId: string; eventType: string; outcome: string; statusCode?: number }
}

export type DeliveryService = ReturnType<typeof createDeliveryService>

export function createDeliveryService(deps: DeliveryDeps) {
  return { ...createReadOperations(deps), ...createRetryOperations(deps) }
}

function createReadOperations(deps: DeliveryDeps) {
  const { database, pages } = deps
  return {
    list: async (caller: Caller, webhookId: string, filter: DeliveryFilter, request: PageRequest) => {
      const webhook = (await findEvenDeleted(database, caller.organizationIds, webhookId)) ?? refuse()
      const { organizationId } = webhook
      const page = await pages.read(
        { list: 'deliveries', filters: { for: organizationId, webhookId: webhook.webhookId, ...filter } },
        request,
        async (slice) => {
          const read = [store.listDeliveries, store.listNotices] as const
          const lists = read.map((list) => list(database, organizationId, webhook.webhookId, filter, slice))
          return (await Promise.all(lists)).flat().toSorted(byPlace).slice(0, slice.limit)
        },
        store.sortKeyOf,
      )
      const shown = await withAttempts(deps, page.items, 'last', webhook.status === 'ENABLED')
      return { ...page, items: shown.map((each) => withoutHidden(caller, each)) }
    },

    read: async (caller: Caller, deliveryId: string): Promise<ShownDelivery> => {
      const found = (await store.findDelivery(database, caller.organizationIds, deliveryId)) ?? refuse()
      const webhook = await findWebhook(database, [found.organizationId], found.webhookId)
      const [shown] = await withAttempts(deps, [found], 'all', webhook?.status === 'ENABLED')
      return shown ? withoutHidden(caller, shown) : refuse()
    },

    /** Reads how many attempts each organization has. */
    readAttemptTotals: (organizationIds: readonly string[]) => readAttemptTotals(database, organizationIds),

    /** Lists the attempts to deliver a resource's events, for its timeline. Of responses it has only the status. */
    listAttemptsFor: async (organizationId: string, resourceId: string): Promise<LoggedAttempt[]> => {
      const attempts = await store.listResourceAttempts(database, organizationId, resourceId)
      return attempts.map(({ attemptedAt: at, statusCode, webhookId, eventType, outcome }) => ({
        at,
        details: { webhookId, eventType, outcome, ...(statusCode === null ? {} : { statusCode }) },
      }))
    },
  }
}

function createRetryOperations({ audit }: DeliveryDeps) {
  return {
    /** Answers without receivers' responses: the answer is stored with the idempotency key and outlives an erasure. */
    retry: async (tx: Tx, caller: Caller, shown: ShownDelivery): Promise<ShownDelivery> => {
      const { organizationId, webhookId, deliveryId, status, shownAttempts } = shown
      if (shown.formerUrl !== null) throw new Refusal('CONFLICT', 'Svc retries a notice to a former address by itself')
      if (status === 'DELIVERED') throw new Refusal('CONFLICT', 'The delivery is DELIVERED; replay its event instead')
      if (shownAttempts.at(-1)?.outcome === 'ERASED') throw new Refusal('CONFLICT', unsendableReasons.ERASED)
      if (!(await store.wakeWebhook(tx, organizationId, webhookId))) throw webhookNotEnabled()
      const retried = await store.retryDelivery(tx, organizationId, deliveryId)
      if (!retried)
        throw new Refusal('CONFLICT', 'The delivery became DELIVERED in the meantime; replay its event instead')
      await audit.append(tx, {
        organizationId,
        actor: `api_key:${caller.apiKeyId}`,
        action: 'webhook_delivery.retried',
        subjectId: deliveryId,
      })
      const withoutResponses = shownAttempts.map((attempt) => ({ ...attempt, response: undefined }))
      return { ...shown, ...retried, shownAttempts: withoutResponses }
    },
  }
}

async function withAttempts(
  { database, vault }: DeliveryDeps,
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

/** Compares deliveries by their places in a list: the newest event first. */
function byPlace(one: Delivery, other: Delivery): number {
  if (one.eventId !== other.eventId) return one.eventId < other.eventId ? 1 : -1
  return other.replay - one.replay
}

/** A response may repeat the request, and so shows what the event carries. */
function withoutHidden({ scopes }: Caller, delivery: ShownDelivery): ShownDelivery {
  if (isReadable(scopes, delivery.eventType)) return delivery
  const shownAttempts = delivery.shownAttempts.map((attempt) => ({ ...attempt, response: undefined }))
  return { ...delivery, shownAttempts }
}

function refuse(): never {
  throw notFound()
}
