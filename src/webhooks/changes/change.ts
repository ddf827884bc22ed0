import type { Tx } from '../../db/database.ts'
import type { Caller } from '../../lib/caller.ts'
import { requireReadable } from '../../lib/event-types.ts'
import { mergeMetadata, type OwnDataChange, refusingTakenIds } from '../../lib/resources/own-data.ts'
import type { WebhookDeps } from '../deps.ts'
import { disable, disabledByOperator } from '../disable.ts'
import { fanOutBacklog } from '../fan-out/service.ts'
import { findOwn, refuse } from '../find.ts'
import { lockNotices, tellFormerOfRequest } from '../notices/service.ts'
import { byToken, recordAct, tellOthers } from '../records.ts'
import { readSubscriptions, receivedTypes, requireTakeOver, type Subscribable } from '../subscription.ts'
import type { Maker, RequestableStatus, Webhook } from '../webhook.ts'
import { describeChanges, requireAddress } from './address.ts'
import * as store from './store.ts'

export type ChangeRequest = OwnDataChange & {
  url?: string
  events?: readonly Subscribable[]
  description?: string
  status?: RequestableStatus
}

/** Finds the key that answers for what the caller chooses, with the rights of the caller's credential. */
export async function makerOf({ holdKey }: WebhookDeps, tx: Tx, caller: Caller): Promise<Maker> {
  return { ...(await holdKey(tx, caller)), scopes: [...caller.scopes] }
}

export async function changeWebhook(
  deps: WebhookDeps,
  caller: Caller,
  webhookId: string,
  readBody: () => ChangeRequest,
): Promise<Webhook> {
  const found = await findOwn(deps.database, caller, webhookId)
  const { url, events, description, status, externalId, metadata } = readBody()
  if (url !== undefined) requireAddress(deps, url)
  const change = {
    ...(url !== undefined && { url }),
    ...(events && { events: readSubscriptions(events) }),
    ...(description !== undefined && { description }),
    ...(externalId !== undefined && { externalId }),
  }
  return deps.database.inTx((tx) => applyChange(deps, tx, caller, { found, change, metadata, status }))
}

type WantedChange = {
  found: Webhook
  change: Omit<store.WebhookChange, 'maker' | 'metadata'>
  metadata: ChangeRequest['metadata']
  status: RequestableStatus | undefined
}

/** Changes a webhook. Who chooses where events go, and which, answers for the webhook from now on. */
async function applyChange(
  deps: WebhookDeps,
  tx: Tx,
  caller: Caller,
  { found, change, metadata, status }: WantedChange,
): Promise<Webhook> {
  const isAsked = change.url !== undefined || change.events !== undefined
  // Before the webhook: a revocation locks keys first, too.
  const candidate = isAsked || status === 'ENABLED' ? await makerOf(deps, tx, caller) : undefined
  if (isAsked || status !== undefined) await lockNotices(tx, found.organizationId)
  const before = (await store.lockWebhook(tx, found)) ?? refuse()
  if (status === 'ENABLED' && before.disabledReason === 'OPERATOR') throw disabledByOperator()
  const maker = isOtherChoice(before, change) || !before.hasMaker ? candidate : undefined
  // A key that may not read what a webhook receives does not silence it either.
  if (status === 'DISABLED') requireReadable(caller.scopes, receivedTypes(before))
  if (maker) requireTakeOver(caller.scopes, before, change.events ?? before.events)
  const pairs = metadata === undefined ? {} : { metadata: mergeMetadata(before.metadata, metadata) }
  const changing = store.changeWebhook(tx, found, { ...change, ...pairs, ...(maker && { maker }) }, deps.mustProve)
  const changed = (await refusingTakenIds(changing)) ?? refuse()
  const fields = Object.keys({ ...change, ...pairs })
  const details = { fields, changes: describeChanges(deps, before, changed) }
  if (fields.length > 0) await recordAct(deps.audit, tx, caller, found, 'webhook.changed', details)
  const { url: previousUrl, events: previousEvents } = before
  if (maker) await tellOthers(tx, 'webhook.updated', changed, { previousUrl, previousEvents, ...byToken(caller) })
  const moved = status && (await moveTo(deps, tx, caller, changed, status))
  // The first event of the request tells the receiver that it is called no more, or for other types.
  const told = maker ? changed : moved?.status === 'DISABLED' ? moved : undefined
  if (told) await tellFormerOfRequest(tx, before, told.version)
  return moved ?? changed
}

/** A repeated value chooses nothing: it would hand the webhook to another key. */
function isOtherChoice(before: Pick<Webhook, 'url' | 'events'>, { url, events }: store.WebhookChange): boolean {
  const isOtherUrl = url !== undefined && url !== before.url
  return isOtherUrl || (events !== undefined && JSON.stringify(events) !== JSON.stringify(before.events))
}

/**
 * Enables or disables a webhook. Undefined when it has that status already. An endpoint that must prove itself first
 * gets its challenge now.
 */
async function moveTo(
  { audit, mustProve }: WebhookDeps,
  tx: Tx,
  caller: Caller,
  webhook: Webhook,
  status: RequestableStatus,
): Promise<Webhook | undefined> {
  if (status === 'DISABLED') {
    return disable(tx, audit, webhook, { reason: 'REQUESTED', actor: `api_key:${caller.apiKeyId}` })
  }
  if (webhook.status === 'PENDING' && mustProve) return store.challengeWebhook(tx, webhook, undefined)
  const fannedOutTo = await fanOutBacklog(tx, webhook)
  if (fannedOutTo === undefined) return undefined
  const enabled =
    mustProve && webhook.provenAt === null
      ? await store.challengeWebhook(tx, webhook, fannedOutTo)
      : await store.enableWebhook(tx, webhook, fannedOutTo)
  if (!enabled) return undefined
  await recordAct(audit, tx, caller, webhook, 'webhook.enabled')
  const previous = { previousUrl: webhook.url, previousEvents: webhook.events, previousStatus: webhook.status }
  await tellOthers(tx, 'webhook.updated', enabled, { ...previous, ...byToken(caller) })
  return enabled
}
