import type { KeyObject } from 'node:crypto'
import type { Queryable } from '../../db/database.ts'
import type { DataKey } from '../../encryption/data-key.ts'
import type { Vault } from '../../encryption/data-keys.ts'
import { CannotBeOpened } from '../../encryption/seal.ts'
import type { Outbound, Posted } from '../ports.ts'
import * as store from '../store.ts'
import type { Webhook } from '../webhook.ts'
import type { FinishedAttempt } from './attempt-store.ts'
import { writeMessage } from './message.ts'
import { isGone, outcomeOf, type Unsendable, unsendableReasons } from './outcome.ts'
import { nextDelayMs, readRetryAfter } from './schedule.ts'
import type { ClaimedWebhook, DueDelivery } from './session-store.ts'
import { keyOfSecret, signedHeaders } from './signature.ts'

export type EndpointWorkerOptions = {
  database: Queryable
  vault: Vault
  outbound: Outbound
  /** Real time, by the database's clock. */
  nowMs(): number
}

/** A delivery with the body to send, or the reason why it cannot be sent. */
export type OpenDelivery = DueDelivery & ({ body: string } | { body: undefined; unsendable: Unsendable })
export type SentDelivery = FinishedAttempt & { isGone: boolean }

/** The place of a receiver's sealed response, which binds it to the attempt. */
export function placeOfResponse(deliveryId: string, attempt: number) {
  return { table: 'webhook_attempts', row: `${deliveryId} ${attempt}`, column: 'response' }
}

export function placeOfSecret(secretId: string) {
  return { table: 'webhook_secrets', row: secretId, column: 'secret' }
}

/** Opens the secrets that sign for a webhook now; none when the webhook was deleted. */
export async function openSecrets(
  { database, vault }: EndpointWorkerOptions,
  webhook: Pick<Webhook, 'organizationId' | 'webhookId' | 'dataKeyId'>,
): Promise<string[]> {
  const key = await vault.unlock(webhook.organizationId, webhook.dataKeyId)
  if (!key) return []
  const secrets = await store.readLiveSecrets(database, webhook)
  return secrets.map(({ secretId, sealedSecret }) => key.open(placeOfSecret(secretId), sealedSecret).toString())
}

/** Opens the live signing keys and the sealing key of a webhook; undefined when the webhook was deleted. */
export async function openKeys(
  options: EndpointWorkerOptions,
  webhook: Pick<Webhook, 'organizationId' | 'webhookId' | 'dataKeyId'>,
): Promise<{ signing: KeyObject[]; sealing: DataKey } | undefined> {
  const sealing = await options.vault.unlock(webhook.organizationId, webhook.dataKeyId)
  return sealing && { signing: (await openSecrets(options, webhook)).map(keyOfSecret), sealing }
}

/** Signs and posts one message, and measures how long that takes. */
export async function postMessage(
  { outbound, nowMs }: EndpointWorkerOptions,
  { url, webhookId }: { url: string; webhookId: string },
  signing: readonly KeyObject[],
  message: { eventId: string; body: string },
): Promise<{ posted: Posted; durationMs: number }> {
  const { eventId, body } = message
  const signed = signedHeaders(signing, eventId, Math.floor(nowMs() / 1_000), body)
  const headers = { 'content-type': 'application/json', 'user-agent': 'Svc-Webhooks/1.0', ...signed }
  const startedAt = performance.now()
  const posted = await outbound.post({ url, lane: webhookId, headers, body })
  return { posted, durationMs: Math.round(performance.now() - startedAt) }
}

/** Opens the events of a batch with one statement, and unwraps each data key once. */
export async function openDeliveries(
  vault: Vault,
  organizationId: string,
  due: readonly DueDelivery[],
): Promise<OpenDelivery[]> {
  const sealed = due.filter((each) => each.sealedData !== null)
  const opened = sealed.length > 0 ? await openEvents(vault, organizationId, sealed) : []
  const found = new Map(sealed.map(({ deliveryId }, at) => [deliveryId, opened[at]]))
  return due.map((each) => {
    const data = each.data ?? found.get(each.deliveryId) ?? 'UNREADABLE'
    if (data === 'ERASED' || data === 'UNREADABLE') return { ...each, body: undefined, unsendable: data }
    return { ...each, body: writeMessage({ ...each, organizationId, data }) }
  })
}

async function openEvents(
  vault: Vault,
  organizationId: string,
  sealed: readonly DueDelivery[],
): Promise<(string | Unsendable)[]> {
  const fields = sealed.map(({ eventId, sealedData, dataKeyId }) => ({
    dataKeyId: dataKeyId as string,
    sealed: sealedData as Buffer,
    place: { table: 'events', row: eventId, column: 'data' },
  }))
  const opened = await vault.openFields(organizationId, fields).catch(async (error: unknown) => {
    if (!(error instanceof CannotBeOpened)) throw error
    if (sealed.length === 1) return undefined
    // A damaged event must not block the others: open each by itself.
    return (await Promise.all(sealed.map((one) => openEvents(vault, organizationId, [one])))).flat()
  })
  return (opened ?? ['UNREADABLE']).map((each) => {
    if (typeof each === 'string') return each
    return each.outcome === 'OPENED' ? each.bytes.toString() : 'ERASED'
  })
}

/** Sends one delivery and decides its next state. Undefined when no attempt was made. */
export async function sendDelivery(
  options: EndpointWorkerOptions,
  webhook: ClaimedWebhook,
  keys: { signing: readonly KeyObject[]; sealing: DataKey },
  delivery: OpenDelivery,
): Promise<SentDelivery | undefined> {
  const { deliveryId, eventId, dataKeyId, scheduleFrom } = delivery
  const attempt = delivery.attempts + 1
  const common = {
    deliveryId,
    attempt,
    scheduleFrom,
    sealedResponse: null,
    isResponseCut: false,
    dataKeyId: null,
    isGone: false,
  }
  const unsent = (outcome: Unsendable): SentDelivery => ({
    ...common,
    outcome,
    error: unsendableReasons[outcome],
    statusCode: null,
    durationMs: 0,
    ageMs: 0,
    status: 'FAILED',
    delayMs: null,
  })
  if (delivery.body === undefined) return unsent(delivery.unsendable)
  // Re-checked right before the request: the delivery may have waited for minutes behind a slow receiver.
  const sealing = dataKeyId ? await options.vault.unlock(webhook.organizationId, dataKeyId) : keys.sealing
  if (!sealing) return unsent('ERASED')
  const { posted, durationMs } = await postMessage(options, webhook, keys.signing, { eventId, body: delivery.body })
  const outcome = outcomeOf(posted)
  if (!outcome) return undefined
  const retryAfter = posted.ok ? readRetryAfter(posted.headers['retry-after'], options.nowMs()) : undefined
  const attemptsMade = attempt - scheduleFrom
  const delayMs = outcome === 'DELIVERED' ? null : (nextDelayMs(attemptsMade, deliveryId, retryAfter) ?? null)
  const hasResponse = posted.ok && posted.body.length > 0
  return {
    ...common,
    outcome,
    statusCode: posted.ok ? posted.status : null,
    durationMs,
    ageMs: durationMs,
    error: posted.ok ? null : posted.message,
    ...(hasResponse && {
      sealedResponse: sealing.seal(placeOfResponse(deliveryId, attempt), posted.body),
      isResponseCut: posted.truncated,
      dataKeyId: sealing.dataKeyId,
    }),
    status: outcome === 'DELIVERED' ? 'DELIVERED' : delayMs === null ? 'FAILED' : 'PENDING',
    delayMs,
    isGone: isGone(posted),
  }
}
