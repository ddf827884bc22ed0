import { isFiat, type Network } from '../../catalog/currencies.ts'
import { kindOf } from '../../catalog/network-kinds.ts'
import type { Tx } from '../../db/database.ts'
import { newId, platformOrganizationId } from '../../lib/ids.ts'
import type { NewSighting, SightingStatus } from './deposit.ts'
import { insertQuarantined } from './quarantine-store.ts'
import * as store from './sighting-store.ts'

/**
 * Records a sighting once per reference. An identical report changes nothing. Another entry under the reference is
 * quarantined: it may be a second transfer, and must neither be lost nor booked unseen.
 */
export async function recordSighting(
  { onQuarantined }: { onQuarantined(sighting: NewSighting): void },
  tx: Tx,
  sighting: NewSighting,
): Promise<SightingStatus> {
  if (await insertOwned(tx, sighting)) return 'RECORDED'
  if (await store.isSightingKnown(tx, sighting)) return 'REPEATED'
  const { status, isNew } = await insertQuarantined(tx, newId(), sighting)
  if (isNew) onQuarantined(sighting)
  return status === 'OPEN' ? 'QUARANTINED' : 'REPEATED'
}

/** Inserts a sighting for the organization that it names now; false when its reference is taken. */
export async function insertOwned(tx: Tx, sighting: NewSighting, seenAt?: Date): Promise<boolean> {
  const owner = await findOwner(tx, sighting)
  const expectedOrganizationId = owner?.organizationId ?? platformOrganizationId
  return store.insertSighting(tx, sighting, { expectedOrganizationId, ...(seenAt ? { seenAt } : {}) })
}

export function findOwner(tx: Tx, sighting: NewSighting): Promise<store.SightingOwner | undefined> {
  const kind = isFiat(sighting.asset) ? null : kindOf(sighting.method as Network)
  return store.findSightingOwner(tx, sighting, kind)
}
