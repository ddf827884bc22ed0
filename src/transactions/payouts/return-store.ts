import type { Tx } from '../../db/database.ts'
import { requireFence } from '../../db/work.ts'
import type { Move } from '../../lib/transitions.ts'
import type { PayoutStatus } from './payout.ts'
import type { PayoutReturn } from './rail.ts'
import type { ClaimedPayout } from './store.ts'

export type ReturnOutcome = 'RECORDED' | 'KNOWN' | 'IMPOSSIBLE'

/**
 * Records a return of a payout that this worker holds. KNOWN: it was recorded before. IMPOSSIBLE: more would be returned
 * than was paid, or it was recorded with another amount; nothing is recorded. What has not come back yet is asked about again.
 */
export async function insertReturn(
  tx: Tx,
  { from, to }: Move<PayoutStatus>,
  { organizationId, payoutId, fence }: ClaimedPayout,
  { returnId, amount, reason, valueDate }: PayoutReturn,
): Promise<ReturnOutcome> {
  const held = await tx.query<{ left: string }>({
    name: 'hold payout that is returned',
    text: `select amount - coalesce(returned_amount, 0) as left from svc.payouts
            where organization_id = $1 and payout_id = $2 and fence = $3 and status = any($4) for no key update`,
    values: [organizationId, payoutId, fence, from],
  })
  requireFence(held)
  const inserted = await tx.query({
    name: 'insert return of a payout',
    text: `insert into svc.payout_returns (organization_id, payout_id, return_id, amount, reason, value_date, recorded_at)
           select $1, $2, $3, $4, $5, $6, svc.now() where $4::numeric <= $7
               on conflict do nothing returning return_id`,
    values: [organizationId, payoutId, returnId, amount, reason, valueDate ?? null, held[0]?.left],
  })
  if (inserted.length === 0) {
    const known = await tx.query({
      name: 'find return of a payout',
      text: `select from svc.payout_returns
              where organization_id = $1 and payout_id = $2 and return_id = $3 and amount = $4`,
      values: [organizationId, payoutId, returnId, amount],
    })
    return known.length > 0 ? 'KNOWN' : 'IMPOSSIBLE'
  }
  await tx.query({
    name: 'return payout',
    text: `update svc.payouts
              set status = $3, returned_amount = coalesce(returned_amount, 0) + $4, reason = $5, lease_until = null,
                  asks = 0, unconfirmed_at = null, due_at = case when coalesce(returned_amount, 0) + $4 < amount then svc.now() end
            where organization_id = $1 and payout_id = $2`,
    values: [organizationId, payoutId, to, amount, reason],
  })
  return 'RECORDED'
}
