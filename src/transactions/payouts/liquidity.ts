import { scaleOf } from '../../catalog/currencies.ts'
import type { Tx } from '../../db/database.ts'
import { referenceOf } from '../../ledger/posting.ts'
import { fund, holdingAccount } from '../../ledger/postings.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { ownHolding } from '../bookings.ts'
import { requirePosted } from '../change.ts'
import * as store from './liquidity-store.ts'
import type { Payout } from './payout.ts'

export type LiquidityOptions = {
  ledger: LedgerService
  /** What the sandbox puts into an account when it is needed for the first time, in whole units; 0 is nothing. */
  sandboxLiquidity: number
}

/** Nothing is needed for tokens that leave a customer's own address. */
export function potOf({ organizationId, method, asset, fromWalletId }: Payout): store.Pot | undefined {
  return fromWalletId === null ? { organizationId, method, asset } : undefined
}

/**
 * Which of these can be paid with what is there, in their order, and promises it to them. What is there is what the
 * ledger says we hold, less what was promised before; nobody else promises until the caller's transaction ends.
 */
export async function chooseAffordable<Candidate extends Payout>(
  options: LiquidityOptions,
  tx: Tx,
  payouts: readonly Candidate[],
): Promise<Candidate[]> {
  const affordable = payouts.filter((payout) => potOf(payout) === undefined)
  const byPot = Map.groupBy(
    payouts.filter((payout) => potOf(payout) !== undefined),
    ({ organizationId, method, asset }) => [organizationId, method, asset].join(' '),
  )
  // In one order, so that two workers never wait for each other.
  for (const key of [...byPot.keys()].sort()) {
    const [first, ...rest] = byPot.get(key) ?? []
    const pot = first && potOf(first)
    if (!pot) continue
    let available = await readAvailable(options, tx, pot)
    let promised = 0n
    for (const payout of [first, ...rest]) {
      const amount = BigInt(payout.amount)
      if (amount > available) continue
      affordable.push(payout)
      available -= amount
      promised += amount
    }
    if (promised > 0n) await store.promise(tx, pot, promised)
  }
  return affordable
}

/** It has left, or never will: in the transaction of the posting that says so. */
export async function keepPromise(tx: Tx, payout: Payout): Promise<void> {
  const pot = potOf(payout)
  if (pot) await store.promise(tx, pot, -BigInt(payout.amount))
}

async function readAvailable({ ledger, sandboxLiquidity }: LiquidityOptions, tx: Tx, pot: store.Pot): Promise<bigint> {
  const { organizationId, method, asset } = pot
  const { promised, isNew } = await store.lockLiquidity(tx, pot)
  const at = ownHolding(asset, method)
  if (isNew && sandboxLiquidity > 0) {
    const amount = BigInt(sandboxLiquidity) * 10n ** BigInt(scaleOf(asset))
    const reference = referenceOf({ type: 'operator', id: 'sandbox-liquidity' }, `${method}:${asset}`)
    requirePosted(await ledger.post(tx, [{ organizationId, reference, ...fund({ at, asset, amount }) }]))
  }
  // Read after the lock was had: what others posted before they let go of it is in there.
  const position = await ledger.position(tx, organizationId, holdingAccount(at, asset))
  return -position - promised
}
