import type { Queryable } from '../../db/database.ts'
import type { ReturnedFunds } from './returned-funds.ts'

/** Sums what disbursements and conversions take from a cause. A refused or released one takes nothing. */
export const takenFrom = (organizationId: string, causeId: string, asset: string) => `(coalesce((
    select sum(part.amount) from svc.conversion_parts as part
     where part.organization_id = ${organizationId} and part.cause_id = ${causeId} and part.asset = ${asset}
       and not exists (
           select from svc.reserves as reserve
            where reserve.organization_id = part.organization_id and reserve.status = 'RELEASED'
              and reserve.reference = format('transaction:%s:source', part.transaction_id))), 0) + coalesce((
    select sum(part.amount) from svc.disbursement_parts as part
      join svc.payouts as taking on taking.organization_id = part.organization_id
       and taking.payout_id = part.disbursement_id and taking.status <> 'REFUSED'
     where part.organization_id = ${organizationId} and part.cause_id = ${causeId} and taking.asset = ${asset}), 0))`

/**
 * Selects returned funds by cause. A cause has what was posted about it, less what disbursements and conversions took
 * from it and less its repayment on the way. A disbursement or conversion has taken what it posted from other causes, so
 * it has nothing itself until a bank returns it, or the conversion is refunded. `accounts` selects rows of svc.ledger_accounts.
 */
export const returnedFundsOn = (accounts: string) => `
  select posted.organization_id, posted.account_id, posted.asset, posted.cause, posted.cause_id, posted.first_entry,
         posted.amount
           + coalesce((select sum(part.amount) from svc.disbursement_parts as part
                        where part.organization_id = posted.organization_id
                          and part.disbursement_id = posted.cause_id), 0)
           + coalesce((select sum(part.amount) from svc.conversion_parts as part
                        where part.organization_id = posted.organization_id
                          and part.transaction_id = posted.cause_id and part.asset = posted.asset), 0)
           - ${takenFrom('posted.organization_id', 'posted.cause_id', 'posted.asset')}
           - coalesce((select sum(payout.amount) from svc.payouts as payout
                        where payout.organization_id = posted.organization_id
                          and payout.transaction_id = posted.cause_id and payout.purpose = 'REPAYMENT'
                          and payout.asset = posted.asset and payout.status in ('WAITING', 'SENDING', 'SENT')), 0)
           as amount
    from (select account.organization_id, account.account_id, account.asset,
                 upper(split_part(posting.reference, ':', 1)) as cause,
                 split_part(posting.reference, ':', 2)::uuid as cause_id,
                 min(entry.account_sequence) as first_entry, sum(entry.amount) as amount
            from svc.ledger_accounts as account
            join svc.entries as entry on entry.organization_id = account.organization_id
             and entry.account_id = account.account_id and entry.account_sequence is not null
            join svc.postings as posting on posting.organization_id = entry.organization_id
             and posting.posting_id = entry.posting_id
           where ${accounts} and account.kind = 'RETURNED_FUNDS'
           group by account.organization_id, account.account_id, account.asset, cause, cause_id) as posted
   -- Fees of the integrator only pass through: they are reserved, paid out or taken back.
   where not exists (
         select from svc.disbursements as fees
          where fees.organization_id = posted.organization_id and fees.disbursement_id = posted.cause_id
            and fees.source = 'DEVELOPER_FEES')`

/** Reads the returned funds that are left of a customer, oldest cause first. */
export function readReturnedFunds(
  database: Queryable,
  { organizationId, customerId }: { organizationId: string; customerId: string },
): Promise<ReturnedFunds[]> {
  return database.query<ReturnedFunds>({
    name: 'read returned funds of a customer',
    text: `select funds.cause, funds.cause_id as "causeId", funds.account_id as "accountId", funds.asset, funds.amount,
                  case funds.cause when 'TRANSACTION' then funds.cause_id when 'DEPOSIT' then deposit.transaction_id
                                   else part.transaction_id end as "transactionId",
                  -- A bank returns money to the account that paid it. Credited money stays where it was: tokens at the
                  -- address that received them, unless the treasury has collected them.
                  coalesce(returned.pays_from, deposit.held_at, refund.held_at) as "heldAt",
                  case coalesce(returned.pays_from, deposit.held_at, refund.held_at) when 'CUSTODY'
                    then coalesce(refund.from_wallet_id, deposit.transaction_id, deposit.payment_account_id)
                    end as "walletId"
             from (${returnedFundsOn('account.organization_id = $1 and account.holder = $2::uuid::text')}) as funds
             left join svc.deposits as deposit on deposit.organization_id = funds.organization_id
              and deposit.deposit_id = funds.cause_id
             left join svc.payouts as refund on refund.organization_id = funds.organization_id
              and refund.transaction_id = funds.cause_id and refund.purpose = 'REFUND' and refund.status = 'CONFIRMED'
             left join lateral (
                  select payout.pays_from from svc.payouts as payout
                   where payout.organization_id = funds.organization_id and payout.status = 'RETURNED'
                     and (payout.transaction_id = funds.cause_id and payout.deposit_id is null
                          or payout.deposit_id = funds.cause_id or payout.payout_id = funds.cause_id)
                   order by payout.payout_id desc limit 1) as returned on true
             left join lateral (
                  select min(part.cause_id::text)::uuid as transaction_id from svc.disbursement_parts as part
                   where part.organization_id = funds.organization_id and part.disbursement_id = funds.cause_id
                  having count(*) = 1 and bool_and(part.cause = 'TRANSACTION')) as part on true
            where funds.amount > 0
            order by funds.asset, funds.first_entry`,
    values: [organizationId, customerId],
  })
}
