import type { Caller } from '../lib/caller.ts'
import type { PageRequest } from '../lib/pages.ts'
import { notFound } from '../lib/refusal.ts'
import { createChangeService } from './changes/service.ts'
import { createExampleService } from './delivery/example.ts'
import type { WebhookDeps } from './deps.ts'
import { createSecretService } from './secrets/service.ts'
import * as store from './store.ts'
import type { Webhook } from './webhook.ts'

export type WebhookService = ReturnType<typeof createWebhookService>

export function createWebhookService(deps: WebhookDeps) {
  return {
    ...createReadOperations(deps),
    ...createChangeService(deps),
    ...createSecretService(deps),
    ...createExampleService(deps),
  }
}

function createReadOperations({ database, pages }: WebhookDeps) {
  return {
    list: (
      caller: Caller,
      { organizationId, ...filter }: store.WebhookFilter & { organizationId?: string },
      request: PageRequest,
    ) => {
      const own = caller.organizationIds
      const wanted = organizationId?.toLowerCase()
      const organizationIds = wanted === undefined ? own : own.filter((id) => id === wanted)
      return pages.read(
        { list: 'webhooks', filters: { for: caller.organizationId, organizationId: wanted, ...filter } },
        request,
        (slice) => store.listWebhooks(database, organizationIds, filter, slice),
        (webhook) => webhook.webhookId,
      )
    },

    count: (organizationIds: readonly string[]) => store.countWebhooks(database, organizationIds),

    /** Reads a webhook, also a deleted one. */
    read: async (caller: Caller, webhookId: string): Promise<Webhook> => {
      const found = await store.findEvenDeleted(database, caller.organizationIds, webhookId)
      if (!found) throw notFound()
      return found
    },
  }
}
