import type { Audit } from '../../db/audit/audit.ts'
import type { Tx } from '../../db/database.ts'
import type { StandingDuty } from '../../db/standing-duty.ts'
import { disable } from '../disable.ts'
import type { Webhook } from '../webhook.ts'
import * as store from './store.ts'

/** Webhooks ended in one database transaction. */
const webhooksPerBatch = 100

/** Lets webhooks follow the keys that answer for them, in the database transaction that changes a key. */
export function createMakerService({ audit }: { audit: Audit }) {
  return {
    /** Ends the webhooks of revoked keys: they receive nothing until another key takes them over. */
    endWebhooksOf: async (
      tx: Tx,
      organizationId: string,
      apiKeyIds: readonly string[],
      actor: string,
    ): Promise<void> => {
      const found = await store.lockWebhooksOf(tx, organizationId, apiKeyIds)
      await end(tx, audit, found, { reason: 'KEY_REVOKED', actor })
    },

    /** Webhooks that a key has created before its roll survive it. */
    followSuccessor: store.changeMaker,
  }
}

/** Finds the successor of a rolled key that has expired, and holds it against a revocation. */
export type HoldSuccessor = (
  tx: Tx,
  key: store.KeyId,
) => Promise<{ apiKeyId: string; expiresAt: Date | null } | undefined>

/**
 * Ends webhooks whose key has expired. Until then they are skipped: fan-out and sessions compare the time themselves.
 * Those that a rolled key has created during its overlap go on with its successor.
 */
export function expiredMakersDuty(audit: Audit, holdSuccessor: HoldSuccessor): StandingDuty {
  return {
    name: 'end webhooks of expired keys',
    due: store.hasExpiredMakers,
    runBatch: async (tx) => {
      const makers = await store.listExpiredMakers(tx, webhooksPerBatch)
      const ended: store.KeyId[] = []
      for (const maker of makers) {
        // Keys before webhooks, as in a revocation.
        const successor = await holdSuccessor(tx, maker)
        if (successor) await store.changeMaker(tx, maker, successor)
        else ended.push(maker)
      }
      const found = await store.lockWebhooksOfExpired(tx, ended, webhooksPerBatch)
      await end(tx, audit, found, { reason: 'KEY_EXPIRED', actor: 'worker' })
      return makers.length
    },
  }
}

async function end(
  tx: Tx,
  audit: Audit,
  webhooks: readonly Webhook[],
  why: { reason: 'KEY_REVOKED' | 'KEY_EXPIRED'; actor: string },
): Promise<void> {
  if (webhooks.length === 0) return
  await store.removeMaker(tx, webhooks)
  for (const webhook of webhooks)
    if (webhook.status !== 'DISABLED') await disable(tx, audit, webhook, { ...why, former: webhook })
}
