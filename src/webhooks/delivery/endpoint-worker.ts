import type { KeyObject } from 'node:crypto'
import type { Queryable } from '../../db/database.ts'
import type { DataKey } from '../../encryption/data-key.ts'
import type { Vault } from '../../encryption/data-keys.ts'
import { CannotBeOpened } from '../../encryption/seal.ts'
import { isReadable } from '../../lib/event-types.ts'
import type { Outbound, Posted } from '../ports.ts'
import type { HintedWebhook } from '../private-address-hints.ts'
import { signedHeaders } from '../secrets/signature.ts'
import type { FinishedAttempt } from './attempt-store.ts'
import { writeMessage } from './message.ts'
import { isGone, outcomeOf, type Unsendable, unsendableReasons } from './outcome.ts'
import { nextDelayMs, readRetryAfter } from './schedule.ts'
import type { ClaimedWebhook, DueDelivery } from './session-store.ts'

export type EndpointWorkerOptions = {
  database: Queryable
  vault: Vault
  outbound: Outbound
  /** Real time, by the database's clock. */
  nowMs(): number
  /** Called when the name of a receiver resolves to an address that Svc must not call. */
  onPrivateAddress(webhook: HintedWebhook): void
}

/** A delivery with the body to send, or the reason why it cannot be sent. */
export type OpenDelivery = DueDelivery & ({ body: string } | { body: undefined; unsendable: Unsendable })
export type SentDelivery = FinishedAttempt & { isGone: boolean; retryAfterMs: number | undefined }

/** The place of a receiver's sealed response, which binds it to the attempt. */
export function placeOfResponse(deliveryId: string, attempt: number) {
  return { table: 'webhook_attempts', row: `${deliveryId} ${attempt}`, column: 'response' }
}

/** Signs and posts one message, and measures how long that takes. */
export async function postMessage(
  { outbound, nowMs, onPrivateAddress }: EndpointWorkerOptions,
  webhook: HintedWebhook,
  signing: readonly KeyObject[],
  message: { eventId: string; body: string },
): Promise<{ posted: Posted; durationMs: number }> {
  const { eventId, body } = message
  const { url, webhookId } = webhook
  const signed = signedHeaders(signing, eventId, Math.floor(nowMs() / 1_000), body)
  const headers = { 'content-type': 'application/json', 'user-agent': 'Svc-Webhooks/1.0', ...signed }
  const startedAt = performance.now()
  const posted = await outbound.post({ url, lane: webhookId, headers, body })
  // The URL itself is allowed, so the guard has refused what its name resolves to.
  if (!posted.ok && posted.kind === 'refused' && outbound.whyNot(url) === undefined) onPrivateAddress(webhook)
  return { posted, durationMs: Math.round(performance.now() - startedAt) }
}

/** The part of a response that Svc keeps: enough for an error message. */
const keptBytes = 2_048

/** Cuts a response to what Svc keeps of it; undefined without one. */
export function keepResponse(posted: Posted): { bytes: Buffer; isCut: boolean } | undefined {
  if (!posted.ok || posted.body.length === 0) return undefined
  return { bytes: posted.body.subarray(0, keptBytes), isCut: posted.truncated || posted.body.length > keptBytes }
}

/**
 * Opens the events of a batch with one statement, and unwraps each data key once. A delivery may be older than the
 * webhook's rights, so each type is compared with them.
 */
export async function openDeliveries(
  vault: Vault,
  { organizationId, scopes }: Pick<ClaimedWebhook, 'organizationId' | 'scopes'>,
  due: readonly DueDelivery[],
): Promise<OpenDelivery[]> {
  const rights = new Set(scopes)
  const sealed = due.filter((each) => each.sealedData !== null && isReadable(rights, each.type))
  const opened = sealed.length > 0 ? await openEvents(vault, organizationId, sealed) : []
  const found = new Map(sealed.map(({ deliveryId }, at) => [deliveryId, opened[at]]))
  return due.map((each) => {
    if (!isReadable(rights, each.type)) return { ...each, body: undefined, unsendable: 'FORBIDDEN' }
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
    retryAfterMs: undefined,
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
  // A webhook that is gone is disabled; a notice has nothing to disable, and ends.
  const isLast = outcome === 'DELIVERED' || (isGone(posted) && webhook.status === 'DELETED')
  const delayMs = isLast ? null : (nextDelayMs(attemptsMade, deliveryId, retryAfter) ?? null)
  const kept = keepResponse(posted)
  return {
    ...common,
    outcome,
    statusCode: posted.ok ? posted.status : null,
    durationMs,
    ageMs: durationMs,
    error: posted.ok ? null : posted.message,
    ...(kept && {
      sealedResponse: sealing.seal(placeOfResponse(deliveryId, attempt), kept.bytes),
      isResponseCut: kept.isCut,
      dataKeyId: sealing.dataKeyId,
    }),
    status: outcome === 'DELIVERED' ? 'DELIVERED' : delayMs === null ? 'FAILED' : 'PENDING',
    delayMs,
    isGone: isGone(posted),
    retryAfterMs: retryAfter,
  }
}
