-- Sums by asset the fees of transactions that money of reversed or recalled deposits paid for: of each transaction the share
-- that was or may be taken back, rounded up, and the whole fee of a conversion of such money. Reversals count by status.
create or replace function svc.withheld_fees(p_organization_id uuid, p_reversals text[])
returns table (asset text, amount numeric)
language sql stable set search_path = pg_catalog, pg_temp as $$
  with lost as (
    select reversal.deposit_id, reversal.owed_amount as amount from svc.deposit_reversals as reversal
     where reversal.organization_id = p_organization_id and reversal.status = any(p_reversals)
    union all
    select deposit.deposit_id, least(recall.amount, deposit.amount - deposit.reversed_amount)
      from svc.bank_recalls as recall
      join svc.bank_recall_payments as named using (bank_recall_id)
      join svc.deposits as deposit on deposit.book = named.bank_account_id and deposit.external_id = named.external_id
     where recall.status in ('OPEN', 'ACCEPTED') and named.ruled_out_at is null
       and deposit.organization_id = p_organization_id and deposit.status <> 'ASSIGNED'),
  paid as (
    select deposit.deposit_id, case when deposit.applied_amount > 0 then deposit.transaction_id end as transaction_id,
           lost.amount
      from lost join svc.deposits as deposit on deposit.organization_id = p_organization_id
       and deposit.deposit_id = lost.deposit_id),
  owed as (
    select transaction_id, sum(amount) as amount from paid where transaction_id is not null group by transaction_id)
  select transaction.source_asset::text,
         sum(least(transaction.developer_fee, coalesce(
             div(transaction.developer_fee * owed.amount + transaction.source_amount - 1, transaction.source_amount),
             transaction.developer_fee)))
    from svc.follow_money(p_organization_id, array(select unnest(array[deposit_id, transaction_id]) from paid)) as cause_id
    left join owed on owed.transaction_id = cause_id
   -- Looked up one by one: the number of causes is always overestimated.
   cross join lateral (
         select status, failure_reason, source_asset, source_amount, developer_fee from svc.transactions as bought
          where bought.organization_id = p_organization_id and bought.transaction_id = cause_id offset 0) as transaction
   where transaction.status = 'COMPLETED' or transaction.failure_reason = 'destination_returned_funds'
   group by transaction.source_asset
$$;

revoke execute on function svc.withheld_fees from public;
grant execute on function svc.withheld_fees to svc_app;
