import type { Audit } from '../../db/audit/audit.ts'
import type { Database, Queryable, Tx } from '../../db/database.ts'
import { LeaseLost } from '../../db/work.ts'
import { disable } from '../disable.ts'
import type { OnPoint } from '../ports.ts'
import { type DisabledReason, failuresThatOpenCircuit } from '../webhook.ts'
import { type Health, recordAttempts, type WebhookState } from './attempt-store.ts'
import { dispatch } from './dispatcher.ts'
import {
  type EndpointWorkerOptions,
  type OpenDelivery,
  openDeliveries,
  openKeys,
  type SentDelivery,
  sendDelivery,
} from './endpoint-worker.ts'
import { type Outcome, unsendableReasons } from './outcome.ts'
import * as store from './session-store.ts'

export type SessionOptions = EndpointWorkerOptions & {
  database: Database
  audit: Audit
  leaseMs: number
  /** An endpoint that takes longer than this to answer is slow. */
  slowAfterMs: number
  onOutcome(outcome: Outcome): void
  onPoint: OnPoint
}

/** Limits the concurrent requests to one webhook. */
const maxConcurrency = 16

/**
 * Sends the due deliveries of one claimed webhook until none is due, the webhook changes or fails too often, or the
 * worker stops the session. A worker that loses the lease records nothing; the next holder of the lease retries those
 * deliveries.
 */
export async function runSession(
  options: SessionOptions,
  webhook: store.ClaimedWebhook,
  /** `onSilence` is called when requests are in flight and none was answered for `slowAfterMs`. */
  { shouldStop, onSilence }: { shouldStop(): boolean; onSilence(): void },
): Promise<void> {
  const { database, vault, leaseMs } = options
  let { circuit } = webhook
  let isLeaseLost = false
  let failuresInARow = 0
  const renew = async () => {
    isLeaseLost ||= !(await store.renewLease(database, webhook, leaseMs))
  }
  const renewTimer = setInterval(() => void renew().catch(() => {}), leaseMs / 3)
  let requestsInFlight = 0
  const silenceTimer = setTimeout(() => requestsInFlight > 0 && onSilence(), options.slowAfterMs)
  try {
    const keys = await openKeys(options, webhook)
    if (!keys) return
    await dispatch<OpenDelivery, SentDelivery>({
      keyOf: ({ deliveryId }) => deliveryId,
      read: async (inFlight, limit) =>
        openDeliveries(vault, webhook.organizationId, await store.readDue(database, webhook, inFlight, limit)),
      send: async (delivery) => {
        if (requestsInFlight === 0) silenceTimer.refresh()
        requestsInFlight += 1
        const sent = await sendDelivery(options, webhook, keys, delivery).finally(() => (requestsInFlight -= 1))
        silenceTimer.refresh()
        if (sent && concernsEndpoint(sent)) failuresInARow = sent.outcome === 'DELIVERED' ? 0 : failuresInARow + 1
        options.onPoint('sent')
        return sent
      },
      record: async (sent) => {
        const state = await record(options, webhook, sent)
        circuit = state.circuit
        options.onPoint('recorded')
        return state.status === 'ENABLED' && state.revision === webhook.revision && circuit === 'CLOSED'
      },
      // While the circuit is open, one delivery at a time probes the endpoint.
      concurrency: () => (circuit === 'OPEN' ? 1 : maxConcurrency),
      shouldStop: () =>
        isLeaseLost || shouldStop() || failuresInARow >= (circuit === 'OPEN' ? 1 : failuresThatOpenCircuit),
    })
    await database.inTx((tx) => store.endSession(tx, webhook))
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
    options.onPoint('lease lost')
  } finally {
    clearInterval(renewTimer)
    clearTimeout(silenceTimer)
  }
}

/** Records the attempts. When the webhook must be disabled, does so with its event and audit entry. */
async function record(
  { database, audit, leaseMs, slowAfterMs, onOutcome }: SessionOptions,
  webhook: store.ClaimedWebhook,
  sent: readonly SentDelivery[],
): Promise<WebhookState> {
  for (const { outcome } of sent) onOutcome(outcome)
  const write = (queryable: Queryable) => recordAttempts(queryable, webhook, healthOf(sent, slowAfterMs), sent, leaseMs)
  const disableFor = async (tx: Tx, state: WebhookState, reason: DisabledReason) => {
    const disabled = await disable(tx, audit, webhook, { reason, actor: 'worker' })
    return { ...state, status: disabled?.status ?? state.status }
  }
  if (sent.some((each) => each.isGone)) {
    return database.inTx(async (tx) => disableFor(tx, await write(tx), 'GONE'))
  }
  const state = await write(database)
  if (!state.isFailingTooLong) return state
  // If the worker dies here, the next failed attempt disables the webhook.
  return database.inTx((tx) => disableFor(tx, state, 'FAILING'))
}

/** An event that cannot be opened says nothing about the endpoint. */
function concernsEndpoint({ outcome }: SentDelivery): boolean {
  return !(outcome in unsendableReasons)
}

function healthOf(sent: readonly SentDelivery[], slowAfterMs: number): Health {
  const attempts = sent.filter(concernsEndpoint)
  const lastSuccess = attempts.findLastIndex(({ outcome }) => outcome === 'DELIVERED')
  return {
    hasSuccess: lastSuccess >= 0,
    failuresSince: attempts.length - 1 - lastSuccess,
    isSlow: attempts.length === 0 ? null : attempts.some(({ durationMs }) => durationMs > slowAfterMs),
  }
}
