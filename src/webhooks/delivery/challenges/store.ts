import type { Queryable, Tx } from '../../../db/database.ts'
import { type ChallengeOutcome, leastChallengeGapMs, type Webhook, webhookMoves } from '../../webhook.ts'
import type { ClaimedWebhook } from '../session-store.ts'

/**
 * Enables a webhook whose endpoint has answered its challenge, due at once for its waiting deliveries. False when
 * another worker holds the fence, or the webhook was changed since it was claimed: the answer was about another address.
 */
export async function recordProof(
  database: Queryable,
  { organizationId, webhookId, fence, revision }: ClaimedWebhook,
): Promise<boolean> {
  const proven = await database.query({
    name: 'record proof of a webhook',
    text: `update svc.webhooks
              set status = $5, proven_at = svc.now(), challenges = challenges + 1, challenge_outcome = 'DELIVERED',
                  revision = revision + 1, due_at = svc.now(), lease_until = null
            where organization_id = $1 and webhook_id = $2 and fence = $3 and revision = $4 and status = any($6)
        returning webhook_id`,
    values: [organizationId, webhookId, fence, revision, webhookMoves.prove.to, webhookMoves.prove.from],
  })
  return proven.length > 0
}

export type FailedChallenge = { outcome: ChallengeOutcome; delayMs: number | null; isSlow: boolean }

/**
 * Records a failed challenge and the time of the next one; null when there is none. It counts while the fence is held,
 * also when the webhook was changed meanwhile: changes would otherwise buy challenges without end. False then.
 */
export async function recordFailedChallenge(
  tx: Tx,
  { organizationId, webhookId, fence, revision }: ClaimedWebhook,
  { outcome, delayMs, isSlow }: FailedChallenge,
): Promise<boolean> {
  const [recorded] = await tx.query<{ isCurrent: boolean }>({
    name: 'record failed challenge of a webhook',
    text: `update svc.webhooks
              set challenges = challenges + 1, challenged_at = svc.now(), lease_until = null,
                  challenge_outcome = case when revision = $4 then $5 else challenge_outcome end,
                  is_slow = is_slow or (revision = $4 and $8),
                  due_at = svc.now() + case when revision = $4 then $6::bigint else $9 end * interval '1 millisecond'
            where organization_id = $1 and webhook_id = $2 and fence = $3 and status = any($7)
        returning revision = $4 as "isCurrent"`,
    values: [
      organizationId,
      webhookId,
      fence,
      revision,
      outcome,
      delayMs,
      webhookMoves.prove.from,
      isSlow,
      leastChallengeGapMs,
    ],
  })
  return recorded?.isCurrent ?? false
}

/** Releases a webhook without an outcome; it keeps the time at which it is due. */
export async function releaseWebhook(
  database: Queryable,
  { organizationId, webhookId, fence }: Pick<Webhook, 'organizationId' | 'webhookId'> & { fence: string },
): Promise<void> {
  await database.query({
    name: 'release webhook',
    text: `update svc.webhooks set lease_until = null where organization_id = $1 and webhook_id = $2 and fence = $3`,
    values: [organizationId, webhookId, fence],
  })
}
