import type { Tx } from '../../db/database.ts'
import type { NewDataKey } from '../../encryption/data-key.ts'
import type { Caller } from '../../lib/caller.ts'
import { requireReadable } from '../../lib/event-types.ts'
import { newId } from '../../lib/ids.ts'
import { notFound, Refusal } from '../../lib/refusal.ts'
import { type NewOwnData, refusingTakenIds } from '../../lib/resources/own-data.ts'
import type { WebhookDeps } from '../deps.ts'
import { refuse } from '../find.ts'
import { destroyUnusedKey, lockNotices, tellFormerOfRequest } from '../notices/service.ts'
import { byToken, recordAct, tellOthers } from '../records.ts'
import { addSecret } from '../secrets/new-secret.ts'
import { countWebhooks, findEvenDeleted } from '../store.ts'
import { readSubscriptions, receivedTypes, requireSubscribable, type Subscribable } from '../subscription.ts'
import type { Webhook } from '../webhook.ts'
import { describeAddress, requireAddress } from './address.ts'
import { type ChangeRequest, changeWebhook, makerOf } from './change.ts'
import * as store from './store.ts'

type WebhookRequest = NewOwnData & {
  url: string
  events: readonly Subscribable[]
  description?: string
  organizationId?: string
}

/** Creates, changes and deletes webhooks. */
export function createChangeService(deps: WebhookDeps) {
  const { database, vault, audit } = deps
  return {
    /** Runs before the database transaction: checks the address and prepares the key that seals the secrets. */
    prepareCreate: async (caller: Caller, wanted: WebhookRequest) => {
      requireAddress(deps, wanted.url)
      const organizationId = wanted.organizationId?.toLowerCase() ?? caller.organizationId
      if (!caller.organizationIds.includes(organizationId)) throw notFound()
      return { wanted, key: await vault.prepareDataKey(organizationId) }
    },

    create: async (
      tx: Tx,
      caller: Caller,
      { wanted, key }: { wanted: WebhookRequest; key: NewDataKey },
    ): Promise<{ webhook: Webhook; secret: string }> => {
      const { organizationId } = key
      const events = readSubscriptions(wanted.events)
      requireSubscribable(caller.scopes, events)
      const maker = await makerOf(deps, tx, caller)
      await requireRoom(deps, tx, organizationId)
      const wantedWebhook = {
        organizationId,
        webhookId: newId(),
        url: wanted.url,
        events,
        description: wanted.description ?? null,
        dataKeyId: await vault.createDataKey(tx, key),
        externalId: wanted.externalId ?? null,
        metadata: wanted.metadata ?? null,
        maker,
      }
      const insertion = store.insertWebhook(tx, wantedWebhook, deps.mustProve ? 'PENDING' : 'ENABLED')
      const webhook = await refusingTakenIds(insertion)
      const secret = await addSecret(tx, webhook, key)
      await tellOthers(tx, 'webhook.created', webhook, byToken(caller))
      await recordAct(audit, tx, caller, webhook, 'webhook.created', {
        url: describeAddress(deps, webhook.url),
        events: webhook.events,
      })
      return { webhook, secret }
    },

    change: (caller: Caller, webhookId: string, readBody: () => ChangeRequest): Promise<Webhook> =>
      changeWebhook(deps, caller, webhookId, readBody),

    /**
     * Deletes a webhook and tells its receiver. The data key ends with the last notice, so that the secrets and the
     * responses sealed with it become unreadable.
     */
    delete: (caller: Caller, webhookId: string): Promise<Webhook> =>
      database.inTx(async (tx) => {
        const found = (await findEvenDeleted(tx, caller.organizationIds, webhookId)) ?? refuse()
        await lockNotices(tx, found.organizationId)
        const before = await store.lockWebhook(tx, found)
        requireReadable(caller.scopes, receivedTypes(before ?? found))
        const deleted = before && (await store.deleteWebhook(tx, found))
        // A repeated DELETE answers like the first, as that of every resource does.
        if (!deleted) return (await findEvenDeleted(tx, [found.organizationId], webhookId)) ?? found
        await tellOthers(tx, 'webhook.disabled', deleted)
        await tellFormerOfRequest(tx, before, deleted.version)
        await recordAct(audit, tx, caller, deleted, 'webhook.deleted')
        await destroyUnusedKey(tx, vault, deleted)
        return deleted
      }),
  }
}

/** Holds a lock until the database transaction ends, so that concurrent creations count each other's webhooks. */
async function requireRoom({ mostWebhooks }: WebhookDeps, tx: Tx, organizationId: string): Promise<void> {
  await store.lockNumberOfWebhooks(tx, organizationId)
  const used = (await countWebhooks(tx, [organizationId])).get(organizationId) ?? 0
  if (used >= mostWebhooks)
    throw new Refusal('CONFLICT', `An organization can have at most ${mostWebhooks} webhooks: delete one first`)
}
