import type { Audit } from '../db/audit.ts'
import type { Database } from '../db/database.ts'
import { LeaseLost } from '../db/work.ts'
import { disable } from './disable-service.ts'
import { type Outcome, unsendableReasons } from './outcome.ts'
import type { OnPoint } from './ports.ts'
import { pump } from './pump.ts'
import {
  type OpenDelivery,
  openDeliveries,
  openKeys,
  type SenderOptions,
  type SentDelivery,
  sendDelivery,
} from './sender-service.ts'
import * as store from './turn-store.ts'
import { failuresThatOpenCircuit } from './webhook.ts'

export type TurnOptions = SenderOptions & {
  database: Database
  audit: Audit
  leaseMs: number
  onOutcome(outcome: Outcome): void
  onPoint: OnPoint
}

/** How many requests to one webhook are under way at the same time. */
const width = 16

/**
 * Sends what is due to one webhook that was claimed, until nothing is due, the webhook changes or fails too often, or
 * somebody says stop. Whoever loses the lease meanwhile records nothing, and the next holder sends that again.
 */
export async function takeTurn(
  options: TurnOptions,
  webhook: store.ClaimedWebhook,
  shouldStop: () => boolean,
): Promise<void> {
  const { database, vault, leaseMs } = options
  let { circuit } = webhook
  let isLost = false
  let failuresInARow = 0
  const renew = async () => {
    isLost ||= !(await store.renewLease(database, webhook, leaseMs))
  }
  const renewing = setInterval(() => void renew().catch(() => {}), leaseMs / 3)
  try {
    const keys = await openKeys(options, webhook)
    if (!keys) return
    await pump<OpenDelivery, SentDelivery>({
      keyOf: ({ deliveryId }) => deliveryId,
      read: async (inHand, most) =>
        openDeliveries(vault, webhook.organizationId, await store.readDue(database, webhook, inHand, most)),
      send: async (delivery) => {
        const sent = await sendDelivery(options, webhook, keys, delivery)
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
    await database.transaction((transaction) => store.endTurn(transaction, webhook))
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
  } finally {
    clearInterval(renewing)
  }
}

/** The attempts, what becomes of their deliveries, and what they say about the webhook: all or nothing. */
function record(
  { database, audit, leaseMs, onOutcome }: TurnOptions,
  webhook: store.ClaimedWebhook,
  sent: readonly SentDelivery[],
): Promise<store.Standing> {
  for (const { outcome } of sent) onOutcome(outcome)
  return database.transaction(async (transaction) => {
    const health = healthOf(sent)
    const standing = await store.recordHealth(transaction, webhook, health, leaseMs)
    await store.recordAttempts(transaction, webhook, sent)
    const isGone = sent.some((each) => each.isGone)
    const reason = isGone ? 'GONE' : standing.isFailingTooLong ? 'FAILING' : undefined
    if (!reason) return standing
    const disabled = await disable(transaction, audit, webhook, { reason, actor: 'worker' })
    return { ...standing, status: disabled?.status ?? standing.status }
  })
}

/** An event that can no longer be read says nothing about the address. */
function isAboutAddress({ outcome }: SentDelivery): boolean {
  return !(outcome in unsendableReasons)
}

function healthOf(sent: readonly SentDelivery[]): store.Health {
  const outcomes = sent.filter(isAboutAddress).map(({ outcome }) => outcome)
  const lastSuccess = outcomes.lastIndexOf('DELIVERED')
  return { hasSuccess: lastSuccess >= 0, failuresSince: outcomes.length - 1 - lastSuccess }
}
