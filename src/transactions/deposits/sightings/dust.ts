import { dustLimitOf } from '../../../catalog/dust.ts'
import type { Tx } from '../../../db/database.ts'
import * as store from './dust-store.ts'
import type { ClaimedSighting } from './store.ts'

/**
 * Sets a claimed transfer aside that is too small for a deposit; false when it is enough, alone or together with the
 * others at its address, which then become due. So small transfers are not lost, and cause no events.
 */
export async function setAsideDust(tx: Tx, sighting: ClaimedSighting): Promise<boolean> {
  const limit = dustLimitOf(sighting.asset)
  if (sighting.address === null || BigInt(sighting.amount) >= limit) return false
  const small = await store.lockSmall(tx, sighting, limit)
  const isReleased = small.some(({ isThis, dust }) => isThis && dust === 'RELEASED')
  const total = small.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  if (!isReleased && total < limit) {
    await store.setAside(tx, sighting)
    return true
  }
  await store.releaseSmall(tx, sighting, limit)
  return false
}
