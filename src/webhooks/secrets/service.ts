import type { Tx } from '../../db/database.ts'
import type { DataKey } from '../../encryption/data-key.ts'
import type { Caller } from '../../lib/caller.ts'
import { requireReadable } from '../../lib/event-types.ts'
import type { WebhookDeps } from '../deps.ts'
import { findOwn, refuse } from '../find.ts'
import { lockNotices, tellFormerOfRequest } from '../notices/service.ts'
import { byToken, recordAct, tellOthers } from '../records.ts'
import { findByPath } from '../store.ts'
import { receivedTypes } from '../subscription.ts'
import type { Webhook } from '../webhook.ts'
import { addSecret } from './new-secret.ts'
import { openSecrets } from './signing-keys.ts'
import * as store from './store.ts'

export function createSecretService(deps: WebhookDeps) {
  const { database, vault, audit } = deps
  return {
    /**
     * Opens the live secrets of the webhooks that send to an address; the sandbox inbox verifies signatures with them.
     * Compares paths only: a machine has several host names, and its port may change with a restart.
     */
    secretsFor: async (organizationId: string, url: string): Promise<string[]> => {
      const found = await findByPath(database, organizationId, new URL(url).pathname)
      return (await Promise.all(found.map((webhook) => openSecrets(deps, webhook)))).flat()
    },

    prepareRotation: async (caller: Caller, webhookId: string) => {
      const webhook = await findOwn(database, caller, webhookId)
      return { webhook, key: (await vault.unlock(webhook.organizationId, webhook.dataKeyId)) ?? refuse() }
    },

    rotate: async (
      tx: Tx,
      caller: Caller,
      { webhook: { organizationId, webhookId }, key }: { webhook: Webhook; key: DataKey },
    ): Promise<{ webhook: Webhook; secret: string }> => {
      await lockNotices(tx, organizationId)
      const webhook = (await store.bumpWebhookRevision(tx, { organizationId, webhookId })) ?? refuse()
      // The holder of a secret can sign what the receiver takes for events of these types.
      requireReadable(caller.scopes, receivedTypes(webhook))
      await tellFormerOfRequest(tx, webhook, webhook.version)
      const secret = await addSecret(tx, webhook, key)
      const former = { previousUrl: webhook.url, previousEvents: webhook.events }
      await tellOthers(tx, 'webhook.updated', webhook, { ...former, isSecretRotated: true, ...byToken(caller) })
      await recordAct(audit, tx, caller, webhook, 'webhook.secret_rotated')
      return { webhook, secret }
    },
  }
}
