import type { Queryable } from '../../db/database.ts'
import type { Payout } from '../payouts/payout.ts'
import { columns } from '../payouts/store.ts'
import { takenFrom } from './returned-funds-store.ts'

/**
 * Selects returned payouts and repayments; the newest that was not refused counts. A transaction has at most one such
 * chain: a transaction that was paid out is never refunded.
 */
const returnedOrRepaid = `payout.deposit_id is null and payout.status <> 'REFUSED'
  and (payout.purpose = 'REPAYMENT' or payout.status = 'RETURNED')`

/** Sums the returned funds of a transaction with which its customer gave a reversed deposit back. */
const recoveredFrom = (organizationId: string, transactionId: string, asset: string) => `coalesce((
    select -sum(entry.amount) from svc.postings as posting
      join svc.entries as entry on entry.organization_id = posting.organization_id
       and entry.posting_id = posting.posting_id
      join svc.ledger_accounts as account on account.organization_id = entry.organization_id
       and account.account_id = entry.account_id and account.kind = 'RETURNED_FUNDS' and account.asset = ${asset}
     where posting.organization_id = ${organizationId}
       and posting.reference >= format('transaction:%s:recovery:', ${transactionId})
       and posting.reference < format('transaction:%s:recovery;', ${transactionId})), 0)`

/** Sums what is left of a transaction's returned funds: returned, neither repaid nor disbursed, converted nor recovered. */
const leftOf = (organizationId: string, transactionId: string) => `(
  select coalesce(sum(each.returned_amount), 0) - coalesce(sum(each.amount) filter (where each.purpose = 'REPAYMENT'), 0)
           - ${takenFrom(organizationId, transactionId, 'payout.asset')}
           - ${recoveredFrom(organizationId, transactionId, 'payout.asset')}
    from svc.payouts as each
   where each.organization_id = ${organizationId} and each.transaction_id = ${transactionId}
     and each.deposit_id is null and each.status <> 'REFUSED')`

/** Tells in SQL whether a disbursement or conversion that takes returned funds of a transaction is on its way. */
const isTaking = (organizationId: string, transactionId: string) => `(exists (
  select from svc.conversion_parts as part
    join svc.transactions as converting on converting.organization_id = part.organization_id
     and converting.transaction_id = part.transaction_id and converting.status in ('CREATED', 'PROCESSING')
   where part.organization_id = ${organizationId} and part.cause_id = ${transactionId}) or exists (
  select from svc.disbursement_parts as part
    join svc.payouts as taking on taking.organization_id = part.organization_id
     and taking.payout_id = part.disbursement_id and taking.status in ('WAITING', 'SENDING', 'SENT')
   where part.organization_id = ${organizationId} and part.cause_id = ${transactionId}))`

/** Builds the `repayment` of a transaction in SQL. Returned funds that a disbursement or conversion takes need no repayment. */
export const repaymentOf = (organizationId: string, transactionId: string) => `(
  select jsonb_build_object('asset', newest.asset,
           'amount', (case when newest.status in ('CONFIRMED', 'RETURNED') and newest.remaining > 0 then newest.remaining
                           else coalesce(newest.returned_amount, newest.amount) end)::text,
           'status', case when newest.status in ('CONFIRMED', 'RETURNED') and newest.remaining > 0
                            then 'WAITING_FOR_OPERATOR'
                          when newest.status = 'CONFIRMED' then 'COMPLETED'
                          when newest.status = 'RETURNED' and not ${isTaking(organizationId, transactionId)}
                            then 'COMPLETED'
                          else 'PENDING' end,
           'referenceId', case newest.status when 'RETURNED' then '' else newest.external_reference end)
    from (select payout.asset, payout.amount, payout.returned_amount, payout.status, payout.external_reference,
                 ${leftOf(organizationId, transactionId)} as remaining
            from svc.payouts as payout
           where payout.organization_id = ${organizationId} and payout.transaction_id = ${transactionId}
             and ${returnedOrRepaid}
           order by payout.payout_id desc limit 1) as newest)`

/** An open repayment, else the newest return, and what is left of the transaction's returned funds. */
export type ReturnedPayout = Payout & { leftAmount: string }

export async function findReturnedPayout(
  database: Queryable,
  { organizationId, transactionId }: { organizationId: string; transactionId: string },
): Promise<ReturnedPayout | undefined> {
  const [newest] = await database.query<ReturnedPayout>({
    name: 'find returned payout of a transaction',
    text: `select ${columns}, ${leftOf('$1', '$2')} as "leftAmount" from svc.payouts as payout
            where payout.organization_id = $1 and payout.transaction_id = $2 and ${returnedOrRepaid}
            order by payout.status in ('WAITING', 'SENDING', 'SENT') desc, payout.status = 'RETURNED' desc,
                  payout.payout_id desc limit 1`,
    values: [organizationId, transactionId],
  })
  return newest
}
