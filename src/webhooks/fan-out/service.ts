import type { Tx } from '../../db/database.ts'
import type { StandingDuty } from '../../db/standing-duty.ts'
import type { Webhook } from '../webhook.ts'
import * as store from './store.ts'

/** Events read in one database transaction, shared among the lagging webhooks. */
const eventsPerBatch = 2_000
const webhooksPerBatch = 500

/**
 * Turns sequenced events into deliveries. One worker of the deployment holds this duty, so that each cursor has one
 * writer.
 */
export function fanOutDuty(): StandingDuty {
  return { name: 'fan out events', due: store.hasLaggingWebhooks, runBatch: fanOut }
}

/**
 * Fans out the backlog of a disabled webhook before it is enabled: events sequenced before its `webhook.disabled`
 * event. Returns the sequence after which the webhook receives all events. One statement reads it with the backlog,
 * because the sequencer keeps running. Undefined when the webhook is not disabled.
 */
export async function fanOutBacklog(tx: Tx, webhook: Webhook): Promise<string | undefined> {
  const range = await store.readBacklog(tx, webhook)
  if (!range) return undefined
  const { organizationId, webhookId } = webhook
  const last = BigInt(range.upTo)
  const share = BigInt(eventsPerBatch)
  for (let after = BigInt(range.after); after < last; after += share) {
    const end = after + share
    const upTo = end < last ? String(end) : range.upTo
    await store.fanOutSteps(tx, [{ organizationId, webhookId, after: String(after), upTo }])
  }
  return range.last
}

/** Inserts the deliveries of each lagging webhook for its share of the new events. */
async function fanOut(tx: Tx): Promise<number> {
  const lagging = await store.readLaggingWebhooks(tx, webhooksPerBatch)
  if (lagging.length === 0) return 0
  const share = BigInt(Math.ceil(eventsPerBatch / lagging.length))
  const steps = lagging.map(({ after, last, ...ids }) => {
    const end = BigInt(after) + share
    return { ...ids, after, upTo: end < BigInt(last) ? String(end) : last }
  })
  const withMatches = await store.fanOutSteps(tx, steps)
  await store.advanceCursors(
    tx,
    steps.map((step) => ({ ...step, hasMatches: withMatches.has(step.webhookId) })),
  )
  return steps.length
}
