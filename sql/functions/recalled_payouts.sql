-- Finds those of the payouts that pay money of a deposit whose bank wants it back: its return, the payouts of the
-- transaction that it paid for, and of all that this money became. In a wallet the money is one with the other money
-- there, so every order from a wallet counts. A payout of developer fees waits while the fees that are left do not make up
-- for those that may be taken back.
create or replace function svc.recalled_payouts(p_organization_ids uuid[], p_payout_ids uuid[])
returns table (organization_id uuid, payout_id uuid)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select payout.organization_id, payout.payout_id
    from svc.bank_recalls as recall
    join svc.deposits as deposit on deposit.book = recall.bank_account_id and deposit.external_id = recall.external_id
     and deposit.status <> 'ASSIGNED'
    join unnest(p_organization_ids, p_payout_ids) as wanted (organization_id, payout_id)
      on wanted.organization_id = deposit.organization_id
    join svc.payouts as payout on payout.organization_id = wanted.organization_id
     and payout.payout_id = wanted.payout_id and payout.payment_account_id is not null
   cross join lateral svc.follow_money(deposit.organization_id, array[deposit.deposit_id,
         case when deposit.applied_amount > 0 then deposit.transaction_id end]) as cause_id
   where recall.status in ('OPEN', 'ACCEPTED')
     and (cause_id in (payout.transaction_id, payout.deposit_id, payout.payout_id)
          or (payout.customer_id = deposit.customer_id
              and (payout.purpose = 'DISBURSEMENT' and payout.from_wallet_id is not null
                   or exists (select from svc.transactions as ordered
                               where ordered.organization_id = payout.organization_id
                                 and ordered.transaction_id = payout.transaction_id and ordered.is_from_wallet))
              and exists (select from svc.transactions as bought
                            join svc.payment_accounts as wallet on wallet.organization_id = bought.organization_id
                             and wallet.payment_account_id = bought.destination_payment_account_id
                           where bought.organization_id = deposit.organization_id and bought.transaction_id = cause_id
                             and wallet.payment_account_type = 'SVC_CRYPTO_WALLET')))
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
