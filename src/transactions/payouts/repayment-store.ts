import type { Queryable } from '../../db/database.ts'
import type { Payout } from './payout.ts'
import { columns } from './store.ts'

/**
 * Payouts that came back, and those that paid it again: the newest that was not refused counts. There is one such
 * story in a transaction, because it is refunded only if it was never paid.
 */
const story = `payout.deposit_id is null and payout.status <> 'REFUSED'
  and (payout.purpose = 'REPAYMENT' or payout.status = 'RETURNED')`

/** As a transaction shows it. */
export const repaymentOf = (organizationId: string, transactionId: string) => `(
  select jsonb_build_object('asset', payout.asset, 'amount', coalesce(payout.returned_amount, payout.amount)::text,
           'status', case payout.status when 'RETURNED' then 'WAITING_FOR_OPERATOR' when 'CONFIRMED' then 'COMPLETED'
                                        else 'PENDING' end,
           'referenceId', case payout.status when 'RETURNED' then '' else payout.external_reference end)
    from svc.payouts as payout
   where payout.organization_id = ${organizationId} and payout.transaction_id = ${transactionId} and ${story}
   order by payout.payout_id desc limit 1)`

/** What came back of a transaction, or was paid again of it. The amount is what came back, once it has. */
export type ReturnedPayout = Payout & { returnedAmount: string | null }

export async function findReturnedPayout(
  database: Queryable,
  { organizationId, transactionId }: { organizationId: string; transactionId: string },
): Promise<ReturnedPayout | undefined> {
  const [newest] = await database.query<ReturnedPayout>({
    name: 'find what came back of a transaction',
    text: `select ${columns}, payout.returned_amount as "returnedAmount" from svc.payouts as payout
            where payout.organization_id = $1 and payout.transaction_id = $2 and ${story}
            order by payout.payout_id desc limit 1`,
    values: [organizationId, transactionId],
  })
  return newest
}
