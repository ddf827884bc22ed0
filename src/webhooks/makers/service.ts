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

    /** Webhooks survive the roll of their key. */
    followSuccessor: store.changeMaker,
  }
}

/** Ends webhooks whose key has expired. Until then they are skipped: fan-out and sessions compare the time themselves. */
export function expiredMakersDuty(audit: Audit): StandingDuty {
  return {
    name: 'end webhooks of expired keys',
    due: store.hasExpiredMakers,
    runBatch: async (tx) => {
      const found = await store.lockWebhooksOfExpired(tx, webhooksPerBatch)
      await end(tx, audit, found, { reason: 'KEY_EXPIRED', actor: 'worker' })
      return found.length
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
