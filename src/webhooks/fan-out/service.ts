import type { Database, Tx } from '../../db/database.ts'
import type { StandingDuty } from '../../db/standing-duty.ts'
import type { Webhook } from '../webhook.ts'
import * as store from './store.ts'

/** Events that are looked at in one transaction, shared among the webhooks that are behind. */
const mostInBatch = 2_000
const mostWebhooks = 500

/** Turns numbered events into deliveries. One holder in the whole deployment, so that each cursor has one writer. */
export function fanOutDuty(database: Database): StandingDuty {
  return { name: 'fan out events', hasWork: () => store.isAnyBehind(database), runBatch: fanOut }
}

/**
 * Before a webhook is enabled again: whatever had happened when it was disabled, and was still to become deliveries. The
 * event that told of the disabling has the first number that it was not to hear. Answers the number after which it hears
 * everything again: read together with the others, because numbers are given all the time. Undefined when it is enabled.
 */
export async function fanOutUnheard(tx: Tx, webhook: Webhook): Promise<string | undefined> {
  const range = await store.readUnfannedBeforeDisabled(tx, webhook)
  if (!range) return undefined
  const { organizationId, webhookId } = webhook
  const [last, share] = [BigInt(range.upTo), BigInt(mostInBatch)]
  for (let after = BigInt(range.after); after < last; after += share) {
    const end = after + share
    const upTo = end < last ? String(end) : range.upTo
    await store.fanOutSteps(tx, [{ organizationId, webhookId, after: String(after), upTo }])
  }
  return range.last
}

/** Gives each webhook its deliveries of the events that were numbered since it was looked at last. */
async function fanOut(tx: Tx): Promise<number> {
  const behind = await store.readBehind(tx, mostWebhooks)
  if (behind.length === 0) return 0
  const share = BigInt(Math.ceil(mostInBatch / behind.length))
  const steps = behind.map(({ after, last, ...whose }) => {
    const end = BigInt(after) + share
    return { ...whose, after, upTo: end < BigInt(last) ? String(end) : last }
  })
  const withMatches = await store.fanOutSteps(tx, steps)
  await store.moveCursors(
    tx,
    steps.map((step) => ({ ...step, hasMatches: withMatches.has(step.webhookId) })),
  )
  return steps.length
}
