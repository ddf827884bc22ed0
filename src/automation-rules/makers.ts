import type { Audit } from '../db/audit/audit.ts'
import type { Tx } from '../db/database.ts'
import { appendEvents, type NewEvent } from '../db/outbox/events.ts'
import * as store from './maker-store.ts'
import type { Rule } from './rule.ts'

const reason = 'KEY_REVOKED'

/** Lets rules follow the keys that answer for them, in the database transaction that changes a key. */
export function createRuleMakerService({ audit }: { audit: Audit }) {
  return {
    /** Pauses the rules of revoked keys: they pay nothing until another key resumes them, and answers for them. */
    pauseRulesOf: async (
      tx: Tx,
      organizationId: string,
      apiKeyIds: readonly string[],
      actor: string,
    ): Promise<void> => {
      const paused = await store.pauseRulesOf(tx, organizationId, apiKeyIds)
      await appendEvents(tx, paused.map(eventOf))
      await audit.appendAll(
        tx,
        paused.map(({ organizationId, ruleId: subjectId, apiKeyId }) => {
          const act = { actor, action: 'automation_rule.paused', subjectId, details: { reason, apiKeyId } }
          return { organizationId, ...act }
        }),
      )
    },

    /** Rules that a key has written before its roll survive it. */
    followSuccessor: store.changeKeyOfRules,
  }
}

function eventOf({ organizationId, ruleId: id, apiKeyId, name, customerId, version, updatedAt }: Rule): NewEvent {
  const data = { id, ruleId: id, name, customerId, apiKeyId, reason, pausedAt: updatedAt.toISOString() }
  return { organizationId, type: 'automation_rule.paused', resourceId: id, resourceVersion: version, data }
}
