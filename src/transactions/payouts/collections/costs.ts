import { isFiat } from '../../../catalog/currencies.ts'
import { type NewPosting, referenceOf } from '../../../ledger/posting.ts'
import * as postings from '../../../ledger/postings.ts'
import type { LiquidityChange } from '../../treasury/liquidity-store.ts'
import type { Payout } from '../payout.ts'
import type { Cost, Payment } from '../rail.ts'

/** Books what the rail charged for a payment, at the holding that bore it. */
export function costBookings(payout: Payout, { costs }: Payment): NewPosting[] {
  const { organizationId, payoutId } = payout
  return costs.map((cost) => {
    const reference = referenceOf({ type: 'payout', id: payoutId }, `cost:${cost.asset}`)
    return { organizationId, reference, ...postings.networkCost({ ...cost, at: bearerOf(payout, cost) }) }
  })
}

/** Lists what the costs of a payment take from liquidity. */
export function takenByCosts(payout: Payout, { costs }: Payment): LiquidityChange[] {
  const { organizationId } = payout
  return costs.map((cost) => {
    const at = { holding: bearerOf(payout, cost) }
    return { organizationId, at, asset: cost.asset, available: 0n, costs: cost.amount }
  })
}

/** A bank charges the account that pays. A network charges our treasury, also for tokens that leave a wallet. */
function bearerOf({ paysFrom }: Payout, { asset }: Cost): postings.Holding {
  return isFiat(asset) && paysFrom !== null ? paysFrom : 'TREASURY'
}
