import { dustLimitOf } from '../../../catalog/dust.ts'
import type { Tx } from '../../../db/database.ts'
import * as store from './dust-store.ts'
import type { ClaimedSighting } from './store.ts'

/**
 * Sets a claimed transfer aside that is too small for a deposit; false when it is enough, alone or together with those
 * that wait at its address, which then become due. So small transfers are not lost, and cause no events. Each is
 * written a fixed number of times, however many there are.
 */
export async function setAsideDust(tx: Tx, sighting: ClaimedSighting): Promise<boolean> {
  if (!isDust(sighting)) return false
  const limit = dustLimitOf(sighting.asset)
  await store.lockDust(tx, sighting)
  const waiting = await store.sumDust(tx, sighting)
  if (waiting + BigInt(sighting.amount) < limit) {
    await store.setAside(tx, sighting)
    return true
  }
  await store.releaseDust(tx, sighting)
  return false
}

/** True when a transfer is too small for a deposit of its own. */
export function isDust({ asset, amount, address, dust }: ClaimedSighting): boolean {
  return dust !== 'RELEASED' && address !== null && BigInt(amount) < dustLimitOf(asset)
}
