-- Keeps the names of a bank account's open lines after a place, at most so many. A line with a name keeps it for ever, so it
-- is open no longer; one of a payout that is not confirmed has none yet. Returns the place of the last line; null after the end.
create or replace function svc.keep_ledger_lines(p_account text, p_limit integer, inout p_day date,
  inout p_posting uuid, inout p_entry smallint)
language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
begin
  with named as materialized (
    select kind, reference, day, amount, organization_id, posting_id, entry_number, posting_reference
      from svc.name_ledger_lines(p_account, p_day, p_posting, p_entry, 'infinity', p_limit, true)),
  ready as materialized (
    select kind, reference, day, amount, organization_id, posting_id, entry_number from named
     where kind <> 'OWN' or posting_reference ~ '^(operator|deposit:[^:]+:recovery):'),
  kept as (
    insert into svc.kept_movements (bank_account_id, kind, reference, day, amount, is_ours, posting_id, entry_number)
    select p_account, kind, reference, day, amount, true, posting_id, entry_number from ready),
  names as (
    insert into svc.kept_names as known (bank_account_id, kind, reference, balance, first_day, last_day)
    select p_account, kind, reference, sum(amount), min(day), max(day) from ready group by kind, reference
    on conflict (bank_account_id, kind, reference) do update
       set balance = known.balance + excluded.balance, first_day = least(known.first_day, excluded.first_day),
           last_day = greatest(known.last_day, excluded.last_day)),
  days as (
    insert into svc.kept_days as known (bank_account_id, day, ledger)
    select p_account, day, sum(amount) from ready group by day
    on conflict (bank_account_id, day) do update set ledger = known.ledger + excluded.ledger),
  taken as (
    delete from svc.open_lines as open using ready
     where open.organization_id = ready.organization_id and open.posting_id = ready.posting_id
       and open.entry_number = ready.entry_number)
  select last.day, last.posting_id, last.entry_number into p_day, p_posting, p_entry
    from (select 1) as always left join lateral (
         select day, posting_id, entry_number from named order by day desc, posting_id desc, entry_number desc limit 1)
      as last on true;
end $$;

revoke execute on function svc.keep_ledger_lines from public;
grant execute on function svc.keep_ledger_lines to svc_app;
