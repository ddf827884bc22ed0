import type { Check } from '../../db/verify.ts'
import { returnedFundsOn } from '../refunds/returned-funds-store.ts'

/** Invariants of returned funds, disbursements and conversions. */
export const disbursementChecks: readonly Check[] = [
  {
    isMoney: true,
    name: 'repayments, disbursements and conversions take from each cause no more than its returned funds',
    sql: `select format('returned funds of %s in organization %s: %s %s has %s left', funds.asset, funds.organization_id,
                   lower(funds.cause), funds.cause_id, funds.amount) as violation, funds.organization_id, funds.asset
            from (${returnedFundsOn('true')}) as funds where funds.amount < 0`,
  },
  {
    isMoney: true,
    name: 'a conversion of returned funds takes its source amount from their causes',
    sql: `select format('transaction %s of organization %s converts %s, and takes %s', converting.transaction_id,
                   converting.organization_id, converting.source_amount, coalesce(sum(part.amount), 0)) as violation,
                 converting.organization_id, converting.source_asset as asset
            from svc.transactions as converting
            left join svc.conversion_parts as part on part.organization_id = converting.organization_id
             and part.transaction_id = converting.transaction_id and part.asset = converting.source_asset
           where converting.is_from_returned_funds
           group by converting.organization_id, converting.transaction_id
          having coalesce(sum(part.amount), 0) <> converting.source_amount
           union all
          select format('part of transaction %s of organization %s, which converts no returned funds', part.transaction_id,
                   part.organization_id), part.organization_id, part.asset
            from svc.conversion_parts as part
           where not exists (
                 select from svc.transactions as converting
                  where converting.organization_id = part.organization_id
                    and converting.transaction_id = part.transaction_id and converting.is_from_returned_funds)`,
  },
  {
    isMoney: true,
    name: 'a disbursement is reserved until it is confirmed, and its parts are its amount',
    sql: `select format('disbursement %s of organization %s is %s, but its reserve is %s', payout.payout_id,
                   payout.organization_id, payout.status, coalesce(reserve.status, 'missing')) as violation,
                 payout.organization_id, payout.asset
            from svc.payouts as payout
            left join svc.reserves as reserve on reserve.organization_id = payout.organization_id
             and reserve.reference = format('disbursement:%s:reserve', payout.payout_id)
           where payout.purpose = 'DISBURSEMENT' and (reserve.amount, reserve.status) is distinct from
                 (payout.amount, case payout.status when 'REFUSED' then 'RELEASED' when 'CONFIRMED' then 'CAPTURED'
                                                    when 'RETURNED' then 'CAPTURED' else 'OPEN' end)
           union all
          select format('disbursement %s of organization %s of %s takes %s', payout.payout_id, payout.organization_id,
                   payout.amount, coalesce(sum(part.amount), 0)), payout.organization_id, payout.asset
            from svc.payouts as payout
            left join svc.disbursements as disbursement on disbursement.organization_id = payout.organization_id
             and disbursement.disbursement_id = payout.payout_id
            left join svc.disbursement_parts as part on part.organization_id = payout.organization_id
             and part.disbursement_id = payout.payout_id
           where payout.purpose = 'DISBURSEMENT'
           group by payout.organization_id, payout.payout_id, payout.asset, payout.amount, disbursement.source
          having coalesce(sum(part.amount), 0) is distinct from
                 case disbursement.source when 'WALLET' then 0 when 'DEVELOPER_FEES' then 0
                                          when 'RETURNED_FUNDS' then payout.amount end`,
  },
  {
    isMoney: true,
    name: 'a payout of developer fees takes its amount from the fees, and a refused one gives it back',
    sql: `select format('disbursement %s of organization %s of %s is %s, but it took fees of %s and returned %s',
                   payout.payout_id, payout.organization_id, payout.amount, payout.status, moved.taken,
                   moved.returned) as violation, payout.organization_id, payout.asset
            from svc.disbursements as disbursement
            join svc.payouts as payout on payout.organization_id = disbursement.organization_id
             and payout.payout_id = disbursement.disbursement_id
            cross join lateral (
                 select coalesce(-sum(entry.amount) filter (where posting.fact = 'FEE_PAYOUT'
                          and posting.reference = format('disbursement:%s:fees', payout.payout_id)), 0) as taken,
                        coalesce(sum(entry.amount) filter (
                          where posting.reference = format('disbursement:%s:fees-back', payout.payout_id)), 0) as returned
                   from svc.postings as posting
                   join svc.entries as entry on entry.organization_id = posting.organization_id
                    and entry.posting_id = posting.posting_id
                   join svc.ledger_accounts as account on account.organization_id = entry.organization_id
                    and account.account_id = entry.account_id and account.kind = 'DEVELOPER_FEES'
                    and account.asset = payout.asset
                  where posting.organization_id = payout.organization_id
                    and posting.reference in (format('disbursement:%s:fees', payout.payout_id),
                                              format('disbursement:%s:fees-back', payout.payout_id))) as moved
           where disbursement.source = 'DEVELOPER_FEES' and (moved.taken, moved.returned) is distinct from
                 (payout.amount, case payout.status when 'REFUSED' then payout.amount else 0 end)`,
  },
]
