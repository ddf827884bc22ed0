import type { Queryable } from '../db/database.ts'
import { type SealedObligation, writeDestination } from '../lib/seals/content.ts'
import { isSealOf } from '../lib/seals/seal.ts'
import { type Destination, keyOfDestination, readDestinations } from './seal-store.ts'
import type { SealingKeyring } from './sealing-keys.ts'

/** An account that receives. Genuine: it is what the signer sealed. */
export type CheckedDestination = Destination & { isGenuine: boolean }

/** Reads the accounts of a batch, and checks the seal of each once: many payouts may go to one account. */
export async function readCheckedDestinations(
  queryable: Queryable,
  { findKey: findSealingKey, memory }: SealingKeyring,
  obligations: readonly SealedObligation[],
): Promise<(obligation: SealedObligation) => CheckedDestination | undefined> {
  const accounts = obligations.flatMap(({ organizationId, paymentAccountId, detailsVersion }) =>
    paymentAccountId === null ? [] : [{ organizationId, paymentAccountId, detailsVersion }],
  )
  const distinct = [...new Map(accounts.map((each) => [keyOfDestination(each), each])).values()]
  const read = await readDestinations(queryable, distinct)
  const checked = read.map((each): [string, CheckedDestination] => [
    keyOfDestination(each),
    { ...each, isGenuine: isSealOf(writeDestination(each), each.seal, findSealingKey, memory) },
  ])
  const destinations = new Map(checked)
  return (obligation) => destinations.get(keyOfDestination(obligation))
}
