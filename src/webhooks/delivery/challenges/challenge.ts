import type { Posted } from '../../ports.ts'
import type { ChallengeOutcome } from '../../webhook.ts'
import { outcomeOf } from '../outcome.ts'

/** The type of a challenge's body. No event has it. */
export const challengeType = 'webhook.challenge'

export type Challenge = { webhookId: string; organizationId: string; challenge: string; createdAt: Date }

/** Writes the body of a challenge. It is signed like an event, so that the endpoint can tell that Svc sent it. */
export function writeChallenge({ webhookId, organizationId, challenge, createdAt }: Challenge): string {
  return JSON.stringify({
    type: challengeType,
    createdAt: createdAt.toISOString(),
    organizationId,
    webhookId,
    challenge,
  })
}

/** Reads the outcome of a challenge; undefined when no request was made, such as while this process stops. */
export function challengeOutcomeOf(posted: Posted, challenge: string): ChallengeOutcome | undefined {
  const outcome = outcomeOf(posted)
  if (!posted.ok || outcome !== 'DELIVERED') return outcome
  return isEcho(posted.body.toString(), challenge) ? 'DELIVERED' : 'NOT_ECHOED'
}

/**
 * Accepts the challenge as plain text, as a JSON string, or as the only field of a JSON object. A server that returns
 * every body as it came has not agreed to anything: its answer has the other fields too.
 */
function isEcho(body: string, challenge: string): boolean {
  const text = body.trim()
  if (text === challenge) return true
  try {
    const answer: unknown = JSON.parse(text)
    if (typeof answer !== 'object' || answer === null) return answer === challenge
    return Object.keys(answer).length === 1 && (answer as { challenge?: unknown }).challenge === challenge
  } catch {
    return false
  }
}
