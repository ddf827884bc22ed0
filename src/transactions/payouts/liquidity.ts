import { scaleOf } from '../../catalog/currencies.ts'
import type { Tx } from '../../db/database.ts'
import { referenceOf } from '../../ledger/posting.ts'
import { fund, holdingAccount } from '../../ledger/postings.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { ownHolding } from '../bookings.ts'
import { requirePosted } from '../change.ts'
import * as store from './liquidity-store.ts'
import type { Payout } from './payout.ts'

export type LiquidityDeps = {
  ledger: LedgerService
  /** The sandbox funds an account with this amount at its first use, in whole units; 0 disables it. */
  sandboxLiquidity: number
}

/** Names the account that pays; undefined for tokens that leave a customer's own address. */
export function payingAccountOf({
  organizationId,
  method,
  asset,
  fromWalletId,
}: Payout): store.PayingAccount | undefined {
  return fromWalletId === null ? { organizationId, method, asset } : undefined
}

/**
 * Chooses the payouts that available liquidity covers, in their order, and promises it to them. Available is the
 * ledger position less earlier promises. A row lock keeps other workers from promising it before this commits.
 */
export async function chooseAffordable<Candidate extends Payout>(
  deps: LiquidityDeps,
  tx: Tx,
  payouts: readonly Candidate[],
): Promise<Candidate[]> {
  const affordable = payouts.filter((payout) => payingAccountOf(payout) === undefined)
  const byAccount = Map.groupBy(
    payouts.filter((payout) => payingAccountOf(payout) !== undefined),
    ({ organizationId, method, asset }) => [organizationId, method, asset].join(' '),
  )
  // Lock in one order, so that two workers cannot deadlock.
  for (const key of [...byAccount.keys()].sort()) {
    const [first, ...rest] = byAccount.get(key) ?? []
    const account = first && payingAccountOf(first)
    if (!account) continue
    let available = await readAvailable(deps, tx, account)
    let promised = 0n
    for (const payout of [first, ...rest]) {
      const amount = BigInt(payout.amount)
      if (amount > available) continue
      affordable.push(payout)
      available -= amount
      promised += amount
    }
    if (promised > 0n) await store.promiseLiquidity(tx, account, promised)
  }
  return affordable
}

/** Releases the promise of a payout that was confirmed or refused, in the database transaction of its posting. */
export async function releasePromisedLiquidity(tx: Tx, payout: Payout): Promise<void> {
  const account = payingAccountOf(payout)
  if (account) await store.promiseLiquidity(tx, account, -BigInt(payout.amount))
}

async function readAvailable(
  { ledger, sandboxLiquidity }: LiquidityDeps,
  tx: Tx,
  account: store.PayingAccount,
): Promise<bigint> {
  const { organizationId, method, asset } = account
  const { promised, isNew } = await store.lockLiquidity(tx, account)
  const at = ownHolding(asset, method)
  if (isNew && sandboxLiquidity > 0) {
    const amount = BigInt(sandboxLiquidity) * 10n ** BigInt(scaleOf(asset))
    const reference = referenceOf({ type: 'operator', id: 'sandbox-liquidity' }, `${method}:${asset}`)
    requirePosted(await ledger.post(tx, [{ organizationId, reference, ...fund({ at, asset, amount }) }]))
  }
  // Reads after locking, so that the position includes the postings of earlier lock holders.
  const position = await ledger.position(tx, organizationId, holdingAccount(at, asset))
  return -position - promised
}
