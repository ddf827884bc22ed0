-- Finds those of the payouts that pay money of a deposit whose bank wants it back: its return, the payouts of the
-- transaction that it paid for, and of all that this money became. In a wallet the money is one with the other money
-- there, so every order from a wallet counts, and so does all that takes returned funds, because an order that failed
-- lies there. A payout of developer fees waits while the fees that are left do not make up for those that were or may be
-- taken back.
create or replace function svc.recalled_payouts(p_organization_ids uuid[], p_payout_ids uuid[])
returns table (organization_id uuid, payout_id uuid)
language sql stable set search_path = pg_catalog, pg_temp as $$
  with held as materialized (
    select distinct deposit.organization_id, deposit.deposit_id, deposit.customer_id,
           case when deposit.applied_amount > 0 then deposit.transaction_id end as transaction_id
      from svc.bank_recalls as recall
      join svc.bank_recall_payments as named using (bank_recall_id)
      join svc.deposits as deposit on deposit.book = named.bank_account_id and deposit.external_id = named.external_id
       and deposit.status <> 'ASSIGNED'
     where recall.status in ('OPEN', 'ACCEPTED') and named.ruled_out_at is null
       and deposit.organization_id = any (p_organization_ids)),
  causes as materialized (
    select held.organization_id, held.customer_id, cause_id, exists (
             select from svc.transactions as bought
              where bought.organization_id = held.organization_id and bought.transaction_id = cause_id
                and bought.is_to_wallet) as is_in_wallet
      from held
     cross join lateral svc.follow_money(held.organization_id, array[deposit_id, transaction_id]) as cause_id),
  mixed as materialized (select distinct organization_id, customer_id from causes where is_in_wallet)
  select payout.organization_id, payout.payout_id
    from unnest(p_organization_ids, p_payout_ids) as wanted (organization_id, payout_id)
    join svc.payouts as payout on payout.organization_id = wanted.organization_id
     and payout.payout_id = wanted.payout_id and payout.payment_account_id is not null
   where exists (select from causes
                  where causes.organization_id = payout.organization_id
                    and causes.cause_id in (payout.transaction_id, payout.deposit_id, payout.payout_id))
      or (exists (select from mixed
                   where mixed.organization_id = payout.organization_id and mixed.customer_id = payout.customer_id)
          and (payout.purpose = 'DISBURSEMENT'
               or exists (select from svc.transactions as ordered
                           where ordered.organization_id = payout.organization_id
                             and ordered.transaction_id = payout.transaction_id
                             and (ordered.is_from_wallet or ordered.is_from_returned_funds))))
   union
  select payout.organization_id, payout.payout_id
    from unnest(p_organization_ids, p_payout_ids) as wanted (organization_id, payout_id)
    join svc.disbursements as fees on fees.organization_id = wanted.organization_id
     and fees.disbursement_id = wanted.payout_id and fees.source = 'DEVELOPER_FEES'
    join svc.payouts as payout on payout.organization_id = wanted.organization_id and payout.payout_id = wanted.payout_id
   cross join lateral svc.withheld_fees(payout.organization_id, array['OPEN']) as withheld
   where withheld.asset = payout.asset::text
     and withheld.amount > (select coalesce(sum(liquidity.developer_fees), 0) from svc.liquidity
                             where liquidity.organization_id = payout.organization_id
                               and liquidity.asset = payout.asset)
$$;

revoke execute on function svc.recalled_payouts from public;
grant execute on function svc.recalled_payouts to svc_app;
