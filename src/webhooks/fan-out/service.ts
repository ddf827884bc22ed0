import type { Tx } from '../../db/database.ts'
import { readChanges, recordChangesRead } from '../../db/outbox/readers.ts'
import type { StandingDuty } from '../../db/standing-duty.ts'
import { anyDue } from '../../db/workers/due.ts'
import { fanOutNotices, hasNewNotices } from '../notices/store.ts'
import type { Webhook } from '../webhook.ts'
import * as store from './store.ts'

/** Events read in one database transaction, shared among the lagging webhooks. */
const eventsPerBatch = 2_000
const webhooksPerBatch = 500
const noticesPerBatch = 100

/**
 * Turns sequenced events into deliveries. One worker of the deployment holds this duty, so that each cursor has one
 * writer.
 */
export function fanOutDuty(): StandingDuty {
  return { name: 'fan out events', due: anyDue(store.hasLaggingWebhooks, hasNewNotices), runBatch: fanOut }
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

/** Inserts the deliveries of notices, and those of each lagging webhook for its share of the new events. */
async function fanOut(tx: Tx): Promise<number> {
  const notices = await fanOutNotices(tx, noticesPerBatch)
  const changes = await readChanges(tx, 'webhooks')
  const lagging = await store.readLaggingWebhooks(tx, webhooksPerBatch)
  // More may lag than were read.
  const isRecorded = lagging.length < webhooksPerBatch && (await recordChangesRead(tx, changes))
  if (lagging.length === 0) return notices + Number(isRecorded)
  const share = BigInt(Math.ceil(eventsPerBatch / lagging.length))
  const steps = lagging.map(({ after, last, ...ids }) => {
    const end = BigInt(after) + share
    const isPartial = end < BigInt(last)
    return { ...ids, after, upTo: isPartial ? String(end) : last, isPartial }
  })
  const withMatches = await store.fanOutSteps(tx, steps)
  await store.advanceCursors(
    tx,
    steps.map((step) => ({ ...step, hasMatches: withMatches.has(step.webhookId) })),
  )
  return notices + steps.length
}
