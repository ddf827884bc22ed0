import { isFiat } from '../../../catalog/currencies.ts'
import { type NewPosting, referenceOf } from '../../../ledger/posting.ts'
import * as postings from '../../../ledger/postings.ts'
import type { LiquidityChange } from '../../treasury/liquidity-store.ts'
import type { Payout } from '../payout.ts'
import type { Cost, Payment } from '../rail.ts'

/** Sums what a rail charged for a payment, by asset. */
function costsOf({ costs }: Payment): Cost[] {
  const byAsset = [...Map.groupBy(costs, ({ asset }) => asset)]
  return byAsset
    .map(([asset, all]) => ({ asset, amount: all.reduce((sum, { amount }) => sum + amount, 0n) }))
    .filter(({ amount }) => amount > 0n)
}

/** Books what the rail charged for a payment, at the holding that bore it. */
export function costBookings(payout: Payout, payment: Payment): NewPosting[] {
  const { organizationId, payoutId } = payout
  return costsOf(payment).map((cost) => {
    const reference = referenceOf({ type: 'payout', id: payoutId }, `cost:${cost.asset}`)
    return { organizationId, reference, ...postings.networkCost({ ...cost, at: bearerOf(payout, cost) }) }
  })
}

/** Lists what the costs of a payment take from liquidity. */
export function takenByCosts(payout: Payout, payment: Payment): LiquidityChange[] {
  const { organizationId } = payout
  return costsOf(payment).map((cost) => {
    const at = { holding: bearerOf(payout, cost) }
    return { organizationId, at, asset: cost.asset, available: 0n, costs: cost.amount }
  })
}

/** A bank charges the account that pays. A network charges our treasury, also for tokens that leave a wallet. */
function bearerOf({ paysFrom }: Payout, { asset }: Cost): postings.Holding {
  return isFiat(asset) && paysFrom !== null ? paysFrom : 'TREASURY'
}
