import { type Asset, scaleOf } from '../catalog/currencies.ts'
import type { Database, Tx } from '../db/database.ts'
import { referenceOf } from '../ledger/posting.ts'
import { fund } from '../ledger/postings.ts'
import type { LedgerService } from '../ledger/service.ts'
import { isCollected, isDirect } from './bookings.ts'
import { requirePosted } from './change.ts'
import type { Payout } from './payouts/payout.ts'
import type { Transaction } from './transaction.ts'
import * as store from './treasury/liquidity-store.ts'

export type LiquidityDeps = {
  database: Database
  ledger: LedgerService
  /** The sandbox funds a holding with this amount at its first use, in whole units; 0 disables it. */
  sandboxLiquidity: number
  /** Puts the same money where the holding really is: on a local chain. Once per key. */
  fundOutside?(gift: OutsideGift): Promise<void>
}

export type OutsideGift = { key: string; holding: string; asset: Asset; amount: bigint }

/**
 * Lists the liquidity that a confirmation frees. The source of a transaction is ours only now: a refusal would have
 * returned it. Tokens are liquidity once they are collected. Money that was owed elsewhere replaces the money that paid.
 */
export function freedByConfirmation(payout: Payout, transaction: Transaction | undefined): store.LiquidityChange[] {
  const { organizationId, asset, purpose, needsLiquidity, heldAt } = payout
  if (purpose !== 'PAYOUT') {
    if (!needsLiquidity || heldAt === null) return []
    return [{ organizationId, at: { holding: heldAt }, asset, available: BigInt(payout.amount) }]
  }
  if (!transaction || isDirect(transaction) || isCollected(transaction)) return []
  const developerFees = BigInt(transaction.developerFee)
  const { sourceAsset, sourceMethod } = transaction
  const available = BigInt(transaction.sourceAmount) - developerFees
  return [{ organizationId, at: { method: sourceMethod }, asset: sourceAsset, available, developerFees }]
}

/** Lists the liquidity that a refused payout had taken. */
export function freedByRefusal({
  organizationId,
  asset,
  amount,
  paysFrom,
  needsLiquidity,
}: Payout): store.LiquidityChange[] {
  if (!needsLiquidity || paysFrom === null) return []
  return [{ organizationId, at: { holding: paysFrom }, asset, available: BigInt(amount) }]
}

/** Funds the sandbox's holdings that these payouts use for the first time. */
export async function fundSandbox(deps: LiquidityDeps, payouts: readonly Payout[]): Promise<void> {
  if (deps.sandboxLiquidity === 0) return
  const used = payouts.flatMap(({ organizationId, paysFrom, asset, needsLiquidity }) => {
    if (!needsLiquidity || paysFrom === null) return []
    const reference = referenceOf({ type: 'operator', id: 'sandbox-liquidity' }, `${paysFrom}:${asset}`)
    return [{ organizationId, holding: paysFrom, asset, reference }]
  })
  const distinct = [...new Map(used.map((each) => [`${each.organizationId} ${each.reference}`, each])).values()]
  for (const account of await store.findUnfunded(deps.database, distinct)) {
    const { organizationId, holding, asset, reference } = account
    const amount = BigInt(deps.sandboxLiquidity) * 10n ** BigInt(scaleOf(asset))
    // First the chain, then the ledger: after a crash in between, the next call gives nothing twice.
    await deps.fundOutside?.({ key: `${organizationId} ${reference}`, holding, asset, amount })
    await deps.database.inTx((tx) => fundOnce(deps, tx, { ...account, amount }))
  }
}

async function fundOnce(
  { ledger }: LiquidityDeps,
  tx: Tx,
  { organizationId, holding, asset, reference, amount }: store.LiquidityKey & { reference: string; amount: bigint },
): Promise<void> {
  const posted = await ledger.post(tx, [{ organizationId, reference, ...fund({ at: holding, asset, amount }) }])
  requirePosted(posted)
  // Another worker funds the same holding: its database transaction counts it.
  if (posted[0]?.outcome !== 'POSTED') return
  await store.addLiquidity(tx, [{ organizationId, at: { holding }, asset, available: amount }])
}
