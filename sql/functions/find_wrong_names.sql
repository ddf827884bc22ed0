-- Finds names of a bank account that are kept otherwise than the records tell them, up to 100: by reading the whole history.
create or replace function svc.find_wrong_names(p_account text) returns table (kind text, reference text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  with told as (
    select kind, reference, is_ours, day, amount from svc.list_movements(p_account, null, true)
     union all
    select kind, reference, is_ours, day, -amount from svc.list_movements(p_account, null, false)),
  kept as (
    select kind, reference, sum(case when is_ours then amount else -amount end) as balance, min(day) as first_day,
           max(day) as last_day
      from svc.kept_movements where bank_account_id = p_account group by kind, reference),
  days as (
    select day, sum(amount) as ledger from svc.kept_movements where bank_account_id = p_account and is_ours group by day)
  select kind, reference from told group by kind, reference, is_ours, day having sum(amount) <> 0
   union
  -- A name is found by its sum and its days.
  select kind, reference from kept
    full join (select kind, reference, balance, first_day, last_day from svc.kept_names
                where bank_account_id = p_account) as name using (kind, reference)
   where coalesce(kept.balance, 0) is distinct from name.balance
      or kept.first_day < name.first_day or kept.last_day > name.last_day
   union
  select 'LEDGER', day::text from days
    full join (select day, ledger from svc.kept_days where bank_account_id = p_account) as kept_day using (day)
   where days.ledger is distinct from kept_day.ledger
   limit 100
$$;

revoke execute on function svc.find_wrong_names from public;
grant execute on function svc.find_wrong_names to svc_app;
