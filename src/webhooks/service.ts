import { createHmac } from 'node:crypto'
import type { Audit } from '../db/audit/audit.ts'
import type { Database, Queryable, Tx } from '../db/database.ts'
import type { DataKey, NewDataKey } from '../encryption/data-key.ts'
import type { Caller } from '../lib/caller.ts'
import { type EventType, eventApiVersion } from '../lib/event-types.ts'
import { newId } from '../lib/ids.ts'
import type { PageRequest, Pages } from '../lib/pages.ts'
import { badField, notFound, Refusal } from '../lib/refusal.ts'
import {
  type EndpointWorkerOptions,
  openKeys,
  openSecrets,
  placeOfSecret,
  postMessage,
} from './delivery/endpoint-worker.ts'
import { writeMessage } from './delivery/message.ts'
import { outcomeOf } from './delivery/outcome.ts'
import { createSecret } from './delivery/signature.ts'
import { disable } from './disable.ts'
import { fanOutBacklog } from './fan-out/service.ts'
import type { ExampleOf } from './ports.ts'
import * as store from './store.ts'
import { readSubscriptions, type Subscribable } from './subscription.ts'
import { maxWebhooks, type Webhook, type WebhookStatus } from './webhook.ts'

export type WebhookDeps = EndpointWorkerOptions & {
  database: Database
  pages: Pages
  audit: Audit
  exampleOf: ExampleOf
  /** Hashes addresses for the audit log. */
  addressKey: Buffer
}

type WebhookRequest = { url: string; events: readonly Subscribable[]; description?: string; organizationId?: string }
type ChangeRequest = {
  url?: string
  events?: readonly Subscribable[]
  description?: string
  status?: WebhookStatus
}

export type WebhookService = ReturnType<typeof createWebhookService>

export function createWebhookService(deps: WebhookDeps) {
  return { ...createReadOperations(deps), ...createChangeOperations(deps), ...createSecretOperations(deps) }
}

function createReadOperations({ database, pages }: WebhookDeps) {
  return {
    list: (caller: Caller, organizationId: string | undefined, request: PageRequest) => {
      const own = caller.organizationIds
      const wanted = organizationId?.toLowerCase()
      const organizationIds = wanted === undefined ? own : own.filter((id) => id === wanted)
      return pages.read(
        { list: 'webhooks', filters: { for: caller.organizationId, organizationId: wanted } },
        request,
        (slice) => store.listWebhooks(database, organizationIds, slice),
        (webhook) => webhook.webhookId,
      )
    },

    read: (caller: Caller, webhookId: string): Promise<Webhook> => find(database, caller, webhookId),
  }
}

function createChangeOperations(deps: WebhookDeps) {
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
      if ((await store.countWebhooks(tx, organizationId)) >= maxWebhooks) {
        throw new Refusal('CONFLICT', `An organization has at most ${maxWebhooks} webhooks; delete one first`)
      }
      const webhook = await store.insertWebhook(tx, {
        organizationId,
        webhookId: newId(),
        url: wanted.url,
        events: readSubscriptions(wanted.events),
        description: wanted.description ?? null,
        dataKeyId: await vault.createDataKey(tx, key),
      })
      const secret = await addSecret(tx, webhook, key)
      await recordAudit(audit, tx, caller, webhook, 'webhook.created', {
        url: describeAddress(deps, webhook.url),
        events: webhook.events,
      })
      return { webhook, secret }
    },

    change: async (caller: Caller, webhookId: string, readBody: () => ChangeRequest): Promise<Webhook> => {
      const found = await find(database, caller, webhookId)
      const { url, events, description, status } = readBody()
      if (url !== undefined) requireAddress(deps, url)
      const change = {
        ...(url !== undefined && { url }),
        ...(events && { events: readSubscriptions(events) }),
        ...(description !== undefined && { description }),
      }
      return database.inTx(async (tx) => {
        const before = (await store.lockWebhook(tx, found)) ?? refuse()
        const changed = (await store.changeWebhook(tx, found, change)) ?? refuse()
        const fields = Object.keys(change)
        const details = { fields, changes: describeChanges(deps, before, changed) }
        if (fields.length > 0) await recordAudit(audit, tx, caller, found, 'webhook.changed', details)
        return (status && (await moveTo(deps, tx, caller, changed, status))) ?? changed
      })
    },

    /** Destroys the data key, so that the secrets and the responses sealed with it become unreadable. */
    delete: (caller: Caller, webhookId: string): Promise<Webhook> =>
      database.inTx(async (tx) => {
        const found = await find(tx, caller, webhookId)
        const deleted = (await store.deleteWebhook(tx, found)) ?? refuse()
        await recordAudit(audit, tx, caller, deleted, 'webhook.deleted')
        await vault.destroyDataKey(tx, deleted.organizationId, deleted.dataKeyId)
        return deleted
      }),
  }
}

/** Describes where events go and which: the old and the new values. The description may be about a person. */
function describeChanges(deps: WebhookDeps, before: Pick<Webhook, 'url' | 'events'>, after: Webhook): object {
  const isSame = JSON.stringify(before.events) === JSON.stringify(after.events)
  return {
    ...(before.url === after.url
      ? {}
      : { url: { from: describeAddress(deps, before.url), to: describeAddress(deps, after.url) } }),
    ...(isSame ? {} : { events: { from: before.events, to: after.events } }),
  }
}

/**
 * Describes an address in the audit log, which is kept for ever: by its origin, and by a keyed hash that tells one address
 * from another. With many receivers the path or the query is the secret.
 */
function describeAddress({ addressKey }: WebhookDeps, url: string): { origin: string; hash: string } {
  const hash = createHmac('sha256', addressKey).update(url).digest('hex').slice(0, 16)
  return { origin: new URL(url).origin, hash }
}

/** Enables or disables a webhook. Undefined when it has that status already. */
async function moveTo(
  { audit }: WebhookDeps,
  tx: Tx,
  caller: Caller,
  webhook: Webhook,
  status: WebhookStatus,
): Promise<Webhook | undefined> {
  if (status === 'DISABLED') {
    return disable(tx, audit, webhook, { reason: 'REQUESTED', actor: `api_key:${caller.apiKeyId}` })
  }
  const fannedOutTo = await fanOutBacklog(tx, webhook)
  if (fannedOutTo === undefined) return undefined
  const enabled = await store.enableWebhook(tx, webhook, fannedOutTo)
  if (enabled) await recordAudit(audit, tx, caller, webhook, 'webhook.enabled')
  return enabled
}

function createSecretOperations(deps: WebhookDeps) {
  const { database, vault, audit } = deps
  return {
    /**
     * Opens the live secrets of the webhooks that send to an address; the sandbox inbox verifies signatures with them.
     * Compares paths only: a machine has several host names, and its port may change with a restart.
     */
    secretsFor: async (organizationId: string, url: string): Promise<string[]> => {
      const found = await store.findByPath(database, organizationId, new URL(url).pathname)
      return (await Promise.all(found.map((webhook) => openSecrets(deps, webhook)))).flat()
    },

    prepareRotation: async (caller: Caller, webhookId: string) => {
      const webhook = await find(database, caller, webhookId)
      return { webhook, key: (await vault.unlock(webhook.organizationId, webhook.dataKeyId)) ?? refuse() }
    },

    rotate: async (
      tx: Tx,
      caller: Caller,
      { webhook: { organizationId, webhookId }, key }: { webhook: Webhook; key: DataKey },
    ): Promise<{ webhook: Webhook; secret: string }> => {
      const webhook = (await store.bumpWebhookRevision(tx, { organizationId, webhookId })) ?? refuse()
      const secret = await addSecret(tx, webhook, key)
      await recordAudit(audit, tx, caller, webhook, 'webhook.secret_rotated')
      return { webhook, secret }
    },

    /**
     * Sends an example to this webhook at once. The example is no event: other webhooks do not get it, and it is not
     * retried.
     */
    test: async (caller: Caller, webhookId: string, readType: () => EventType | undefined) => {
      const webhook = await find(database, caller, webhookId)
      const [first] = webhook.events
      const type = readType() ?? (first === undefined || first === '*' ? 'customer.updated' : first)
      const keys = (await openKeys(deps, webhook)) ?? refuse()
      const { organizationId, url } = webhook
      const eventId = newId()
      const example = { eventId, type, apiVersion: eventApiVersion, organizationId, sequence: '0', resourceVersion: 0 }
      const data = JSON.stringify(deps.exampleOf(type))
      const body = writeMessage({ ...example, createdAt: new Date(deps.nowMs()), data })
      const { posted, durationMs } = await postMessage(deps, { url, webhookId }, keys.signing, { eventId, body })
      return {
        webhookId: webhook.webhookId,
        eventId,
        eventType: type,
        outcome: outcomeOf(posted) ?? 'UNREACHABLE',
        statusCode: posted.ok ? posted.status : null,
        durationMs,
        response: posted.ok && posted.body.length > 0 ? posted.body.toString() : undefined,
        isResponseCut: posted.ok && posted.truncated,
        error: posted.ok ? null : posted.message,
      }
    },
  }
}

async function addSecret(tx: Tx, webhook: Webhook, key: DataKey): Promise<string> {
  const secret = createSecret()
  const secretId = newId()
  const sealedSecret = key.seal(placeOfSecret(secretId), secret)
  await store.insertSecret(tx, webhook, { secretId, sealedSecret })
  return secret
}

async function find(database: Queryable, caller: Caller, webhookId: string): Promise<Webhook> {
  return (await store.findWebhook(database, caller.organizationIds, webhookId)) ?? refuse()
}

function requireAddress({ outbound }: WebhookDeps, url: string): void {
  const reason = outbound.whyNot(url)
  if (reason !== undefined) throw badField('url', reason)
}

async function recordAudit(
  audit: Audit,
  tx: Tx,
  { apiKeyId }: Caller,
  { organizationId, webhookId: subjectId }: Webhook,
  action: string,
  details: object = {},
): Promise<void> {
  await audit.append(tx, { organizationId, actor: `api_key:${apiKeyId}`, action, subjectId, details })
}

function refuse(): never {
  throw notFound()
}
