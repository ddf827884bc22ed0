import { randomBytes } from 'node:crypto'
import type { Audit } from '../../../db/audit/audit.ts'
import type { Database } from '../../../db/database.ts'
import { newId } from '../../../lib/ids.ts'
import { disable } from '../../disable.ts'
import { openKeys } from '../../secrets/signing-keys.ts'
import { leastChallengeGapMs } from '../../webhook.ts'
import { type EndpointWorkerOptions, postMessage } from '../endpoint-worker.ts'
import { isGone } from '../outcome.ts'
import { nextDelayMs, readRetryAfter } from '../schedule.ts'
import type { ClaimedWebhook } from '../session-store.ts'
import { challengeOutcomeOf, writeChallenge } from './challenge.ts'
import * as store from './store.ts'

export type ProofOptions = EndpointWorkerOptions & { database: Database; audit: Audit; slowAfterMs: number }

/**
 * Sends a challenge to the endpoint of a claimed PENDING webhook and records the outcome. The endpoint proves with its
 * answer that it wants to be called. A worker that dies in between repeats the challenge with another value; each value
 * counts for its own answer only, so Svc stores none. After the last challenge of the schedule the webhook is disabled.
 */
export async function proveEndpoint(options: ProofOptions, webhook: ClaimedWebhook): Promise<void> {
  const { database, audit } = options
  const keys = await openKeys(options, webhook)
  const sent = keys && (await sendChallenge(options, webhook, keys.signing))
  if (!sent?.outcome) return store.releaseWebhook(database, webhook)
  const { outcome, posted, durationMs } = sent
  const isRecorded =
    outcome === 'DELIVERED'
      ? await store.recordProof(database, webhook)
      : await database.inTx(async (tx) => {
          const retryAfter = posted.ok ? readRetryAfter(posted.headers['retry-after'], options.nowMs()) : undefined
          const wantedMs = nextDelayMs(webhook.challenges + 1, webhook.webhookId, retryAfter)
          const delayMs = wantedMs === undefined ? null : Math.max(wantedMs, leastChallengeGapMs)
          const isSlow = outcome === 'TIMEOUT' || durationMs > options.slowAfterMs
          const recorded = await store.recordFailedChallenge(tx, webhook, { outcome, delayMs, isSlow })
          const reason = isGone(posted) ? 'GONE' : delayMs === null ? 'UNPROVEN' : undefined
          if (recorded && reason) await disable(tx, audit, webhook, { reason, actor: 'worker' })
          return recorded
        })
  // The webhook was changed during the call: the next challenge is for its new address.
  if (!isRecorded) await store.releaseWebhook(database, webhook)
}

async function sendChallenge(
  options: ProofOptions,
  webhook: ClaimedWebhook,
  signing: Parameters<typeof postMessage>[2],
) {
  const challenge = randomBytes(32).toString('base64url')
  const body = writeChallenge({ ...webhook, challenge, createdAt: new Date(options.nowMs()) })
  const { posted, durationMs } = await postMessage(options, webhook, signing, { eventId: newId(), body })
  return { posted, durationMs, outcome: challengeOutcomeOf(posted, challenge) }
}
