import type { Tx } from '../../db/database.ts'
import type { Vault } from '../../encryption/data-keys.ts'
import { isReadable } from '../../lib/event-types.ts'
import { Refusal } from '../../lib/refusal.ts'
import { maxOpenNotices, type Webhook } from '../webhook.ts'
import * as store from './store.ts'

/** A webhook as it was before a change. */
export type Former = Pick<Webhook, 'organizationId' | 'webhookId' | 'url' | 'status' | 'scopes'>

/** A notice that failed this often gives way to a new one. */
const failuresThatGiveWay = 3

/**
 * Tells whether the receiver hears of a change of its webhook, regardless of what it subscribed to: Svc called it until now, and
 * the key that answered for the webhook could read webhooks.
 */
export function hearsOfChanges({ status, scopes }: Pick<Former, 'status' | 'scopes'>): boolean {
  return status === 'ENABLED' && isReadable(new Set(scopes), 'webhook.updated')
}

export const lockNotices = store.lockNotices

/**
 * Lets the event of a change go once to the address that the webhook had before it, signed with the secrets of before.
 * Runs in the database transaction of the change, and before a new secret is added.
 */
export async function tellFormer(tx: Tx, former: Former, version: number): Promise<void> {
  if (hearsOfChanges(former)) await store.insertNotice(tx, former, version)
}

/**
 * Like `tellFormer`, for a change that a caller asked for, which the caller may repeat at will. A receiver that answers
 * hears of each change; notices to receivers that do not answer give way. Needs `lockNotices`.
 */
export async function tellFormerOfRequest(tx: Tx, former: Former, version: number): Promise<void> {
  if (!hearsOfChanges(former)) return
  const { organizationId } = former
  const isFull = (await store.countOpenNotices(tx, organizationId)) >= maxOpenNotices
  if (isFull && !(await store.giveUpOldest(tx, organizationId, failuresThatGiveWay)))
    throw new Refusal(
      'CONFLICT',
      `Svc still tells ${maxOpenNotices} former addresses of your webhooks of earlier changes; try again in some minutes`,
    )
  await store.insertNotice(tx, former, version)
}

/** Destroys the data key of a deleted webhook with its last notice, or at once when it has none. */
export async function destroyUnusedKey(
  tx: Tx,
  vault: Vault,
  webhook: Pick<Webhook, 'organizationId' | 'webhookId' | 'dataKeyId'>,
): Promise<void> {
  if (await store.lockWithoutNotices(tx, webhook))
    await vault.destroyDataKey(tx, webhook.organizationId, webhook.dataKeyId)
}
