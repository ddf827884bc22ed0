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
  /** A receiver that takes longer than this is slow. */
  slowAfterMs: number
  onOutcome(outcome: Outcome): void
  onPoint: OnPoint
}

/** How many requests to one webhook are under way at the same time. */
const width = 16

/**
 * Sends what is due to one webhook that was claimed, until nothing is due, the webhook changes or fails too often, or
 * somebody says stop. Whoever loses the lease meanwhile records nothing, and the next holder sends that again.
 */
export async function runSession(
  options: SessionOptions,
  webhook: store.ClaimedWebhook,
  /** `onSilence`: requests are on their way, and for long none of them was answered. */
  { shouldStop, onSilence }: { shouldStop(): boolean; onSilence(): void },
): Promise<void> {
  const { database, vault, leaseMs } = options
  let { circuit } = webhook
  let isLost = false
  let failuresInARow = 0
  const renew = async () => {
    isLost ||= !(await store.renewLease(database, webhook, leaseMs))
  }
  const renewing = setInterval(() => void renew().catch(() => {}), leaseMs / 3)
  let underWay = 0
  const listening = setTimeout(() => underWay > 0 && onSilence(), options.slowAfterMs)
  try {
    const keys = await openKeys(options, webhook)
    if (!keys) return
    await dispatch<OpenDelivery, SentDelivery>({
      keyOf: ({ deliveryId }) => deliveryId,
      read: async (inHand, most) =>
        openDeliveries(vault, webhook.organizationId, await store.readDue(database, webhook, inHand, most)),
      send: async (delivery) => {
        if (underWay === 0) listening.refresh()
        underWay += 1
        const sent = await sendDelivery(options, webhook, keys, delivery).finally(() => (underWay -= 1))
        listening.refresh()
        if (sent && isAboutAddress(sent)) failuresInARow = sent.outcome === 'DELIVERED' ? 0 : failuresInARow + 1
        options.onPoint('sent')
        return sent
      },
      write: async (sent) => {
        const standing = await record(options, webhook, sent)
        circuit = standing.circuit
        options.onPoint('recorded')
        return standing.status === 'ENABLED' && standing.revision === webhook.revision && circuit === 'CLOSED'
      },
      // Whether an address that failed so often is back, one delivery finds out.
      width: () => (circuit === 'OPEN' ? 1 : width),
      shouldStop: () => isLost || shouldStop() || failuresInARow >= (circuit === 'OPEN' ? 1 : failuresThatOpenCircuit),
    })
    await database.inTx((tx) => store.endSession(tx, webhook))
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
    options.onPoint('lease lost')
  } finally {
    clearInterval(renewing)
    clearTimeout(listening)
  }
}

/** One statement as a rule; together with the event and the audit row where the webhook is to be disabled. */
async function record(
  { database, audit, leaseMs, slowAfterMs, onOutcome }: SessionOptions,
  webhook: store.ClaimedWebhook,
  sent: readonly SentDelivery[],
): Promise<WebhookState> {
  for (const { outcome } of sent) onOutcome(outcome)
  const write = (to: Queryable) => recordAttempts(to, webhook, healthOf(sent, slowAfterMs), sent, leaseMs)
  const end = async (tx: Tx, standing: WebhookState, reason: DisabledReason) => {
    const disabled = await disable(tx, audit, webhook, { reason, actor: 'worker' })
    return { ...standing, status: disabled?.status ?? standing.status }
  }
  if (sent.some((each) => each.isGone)) {
    return database.inTx(async (tx) => end(tx, await write(tx), 'GONE'))
  }
  const standing = await write(database)
  if (!standing.isFailingTooLong) return standing
  // Should we die before this, the next failure brings us here again.
  return database.inTx((tx) => end(tx, standing, 'FAILING'))
}

/** An event that can no longer be read says nothing about the address. */
function isAboutAddress({ outcome }: SentDelivery): boolean {
  return !(outcome in unsendableReasons)
}

function healthOf(sent: readonly SentDelivery[], slowAfterMs: number): Health {
  const heard = sent.filter(isAboutAddress)
  const lastSuccess = heard.findLastIndex(({ outcome }) => outcome === 'DELIVERED')
  return {
    hasSuccess: lastSuccess >= 0,
    failuresSince: heard.length - 1 - lastSuccess,
    isSlow: heard.length === 0 ? null : heard.some(({ durationMs }) => durationMs > slowAfterMs),
  }
}
