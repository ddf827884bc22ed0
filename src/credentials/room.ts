import type { Tx } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { Refusal } from '../lib/refusal.ts'
import { countKeys, lockCreations } from './room-store.ts'

const mostLiveKeys = 1_000
const mostKeysADay = 1_000
/** The keys that a key of more than a day can create or roll within a day beyond these limits. */
const keptKeysADay = 10
/** The most that work at a time, with those: the finder of a leaked key has keys of more than a day when left alone. */
const mostLiveKeysOfAll = 2_000

/**
 * Refuses a further key: thousands of keys that the finder of a leaked one creates would slow its revocation down, and so
 * would those that it created and revoked. One creation of the organization at a time, so that the counts are exact.
 * The finder must not lock the owner out either: each key that is older than a day has a few of its own, and those that
 * the finder has created are younger.
 */
export async function requireRoom(tx: Tx, { organizationId, apiKeyId }: Caller): Promise<void> {
  await lockCreations(tx, organizationId)
  const { live, createdInADay, ownInADay } = await countKeys(tx, organizationId, apiKeyId)
  const isKept = ownInADay !== null && ownInADay < keptKeysADay
  if (live >= (isKept ? mostLiveKeysOfAll : mostLiveKeys))
    throw new Refusal('CONFLICT', `An organization can have at most ${mostLiveKeys} keys: revoke one first`)
  if (createdInADay >= mostKeysADay && !isKept)
    throw new Refusal(
      'CONFLICT',
      `An organization can create at most ${mostKeysADay} keys within 24 hours: try again later`,
    )
}
