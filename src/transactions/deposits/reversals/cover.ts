import { isFiat } from '../../../catalog/currencies.ts'
import type { Tx } from '../../../db/database.ts'
import { coverReceivable } from '../../../ledger/receivable-postings.ts'
import type { LedgerService } from '../../../ledger/service.ts'
import { requirePosted } from '../../change.ts'
import type { LiquidityChange } from '../../treasury/liquidity-store.ts'
import { referenceFor } from '../bookings.ts'
import type { Deposit } from '../deposit.ts'
import { reversalMoves, undecidedOf } from './reversal.ts'
import * as store from './store.ts'

/**
 * Settles what a customer owes for a deposit from the part of it that is promised to no one, oldest reversal first. So
 * the bank's money and the customer's debt never stand side by side. Answers the change of liquidity, which the caller
 * counts last.
 */
export async function coverOwed(
  { ledger }: { ledger: Pick<LedgerService, 'post'> },
  tx: Tx,
  key: Pick<Deposit, 'organizationId' | 'depositId'>,
): Promise<LiquidityChange[]> {
  const deposit = await store.lockReversible(tx, key)
  const open = await store.lockOwed(tx, key)
  const { organizationId, asset } = deposit
  let left = undecidedOf(deposit)
  const changes: LiquidityChange[] = []
  for (const { reversalId, customerId, owedAmount } of open) {
    const isCovered = BigInt(owedAmount) <= left
    const amount = isCovered ? BigInt(owedAmount) : left
    if (amount === 0n || customerId === null) break
    left -= amount
    await store.lowerOwed(tx, { organizationId, reversalId }, amount, reversalMoves.cover)
    await store.countCovered(tx, deposit, amount)
    const reference = referenceFor(deposit, `cover:${reversalId}`)
    const content = coverReceivable({ asset, amount, customerId })
    requirePosted(await ledger.post(tx, [{ organizationId, reference, ...content }]))
    changes.push({ ...reversedAt(deposit), reversed: -amount })
  }
  return changes
}

/** Names the liquidity that reversals of a deposit take from. */
export function reversedAt({ organizationId, asset, heldAt }: Pick<Deposit, 'organizationId' | 'asset' | 'heldAt'>) {
  return { organizationId, at: { holding: isFiat(asset) ? heldAt : 'TREASURY' }, asset, available: 0n }
}
