import { type Asset, isFiat } from '../../catalog/currencies.ts'
import type { Database, Queryable } from '../../db/database.ts'
import type { Screener } from '../screening/screening.ts'
import { findOwner } from './sightings/record.ts'
import { findSenderAddress, findSenderWallet } from './sightings/sender-store.ts'
import type { SightingKey } from './sightings/sighting.ts'
import type { SightingFacts } from './sightings/store.ts'

type SenderDeps = { database: Database; screening: Screener<Queryable> }

/** True while no current list can tell whether the sender of tokens is listed, where one is required. */
export async function isSenderUnknown({ screening }: SenderDeps, { asset }: { asset: Asset }): Promise<boolean> {
  return !isFiat(asset) && (await screening.findGap()) !== undefined
}

/** A transfer, or the deposit that it became. */
type Sent = SightingKey &
  (
    | (SightingFacts & { fromAddress: string | null })
    | { organizationId: string; customerId: string | null; isSenderBlocked: boolean }
  )

/**
 * True when the address that sent a deposit is on the watch list, so that a reviewer decides about the deposit. If the
 * customer has registered the address, a review of the customer is opened instead: it holds the deposit, and clearing it
 * releases the deposit. Must run outside a database transaction.
 */
export async function isSenderListed({ database, screening }: SenderDeps, sent: Sent): Promise<boolean> {
  const address = 'fromAddress' in sent ? sent.fromAddress : await findSenderAddress(database, sent)
  if (address === null || !(await screening.isAddressListed(sent.method, address))) return false
  const owner = 'fromAddress' in sent ? await database.inTx((tx) => findOwner(tx, sent)) : sent
  if (!owner?.customerId) return true
  const { organizationId, customerId } = owner
  const paymentAccountId = await findSenderWallet(database, { organizationId, customerId }, address)
  if (!paymentAccountId) return true
  const counterparty = { organizationId, customerId, method: sent.method, paymentAccountId, address }
  const isUncleared = await screening.isCounterpartyBlocked(counterparty)
  return isUncleared && !(await screening.isBlocked(database, organizationId, customerId))
}
