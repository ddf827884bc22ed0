import type { Queryable } from '../../db/database.ts'
import type { Payout } from './payout.ts'
import { columns } from './store.ts'

/**
 * Selects returned payouts and repayments; the newest that was not refused counts. A transaction has at most one such
 * chain: a transaction that was paid out is never refunded.
 */
const returnedOrRepaid = `payout.deposit_id is null and payout.status <> 'REFUSED'
  and (payout.purpose = 'REPAYMENT' or payout.status = 'RETURNED')`

/** Builds the `repayment` of a transaction in SQL. */
export const repaymentOf = (organizationId: string, transactionId: string) => `(
  select jsonb_build_object('asset', payout.asset, 'amount', coalesce(payout.returned_amount, payout.amount)::text,
           'status', case payout.status when 'RETURNED' then 'WAITING_FOR_OPERATOR' when 'CONFIRMED' then 'COMPLETED'
                                        else 'PENDING' end,
           'referenceId', case payout.status when 'RETURNED' then '' else payout.external_reference end)
    from svc.payouts as payout
   where payout.organization_id = ${organizationId} and payout.transaction_id = ${transactionId} and ${returnedOrRepaid}
   order by payout.payout_id desc limit 1)`

/** A returned payout or its repayment. `returnedAmount` is set once the rail has returned it. */
export type ReturnedPayout = Payout & { returnedAmount: string | null }

export async function findReturnedPayout(
  database: Queryable,
  { organizationId, transactionId }: { organizationId: string; transactionId: string },
): Promise<ReturnedPayout | undefined> {
  const [newest] = await database.query<ReturnedPayout>({
    name: 'find returned payout of a transaction',
    text: `select ${columns}, payout.returned_amount as "returnedAmount" from svc.payouts as payout
            where payout.organization_id = $1 and payout.transaction_id = $2 and ${returnedOrRepaid}
            order by payout.payout_id desc limit 1`,
    values: [organizationId, transactionId],
  })
  return newest
}
