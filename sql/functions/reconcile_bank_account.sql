-- Compares the ledger's lines of a bank account with the bank's bookings, name by name, at the end of a day. Returns what
-- differs then, and so many names that agree and moved on this day, after a kind and reference. `ledger_now` and
-- `outside_now` are what both sides know by now. In full it reads the whole history, and nothing that is kept.
create or replace function svc.reconcile_bank_account(p_account text, p_day date, p_after_kind text,
  p_after_reference text, p_matched integer, p_is_full boolean)
returns table (kind text, reference text, ledger numeric, outside numeric, ledger_day date, outside_day date,
  is_of_day boolean, ledger_now numeric, outside_now numeric, last_day date)
language sql stable set search_path = pg_catalog, pg_temp as $$
  with compared as (
    select kind, reference,
           coalesce(sum(amount) filter (where is_ours and day <= p_day), 0) as ledger,
           coalesce(sum(amount) filter (where not is_ours and day <= p_day), 0) as outside,
           min(day) filter (where is_ours and day <= p_day) as ledger_day,
           min(day) filter (where not is_ours and day <= p_day) as outside_day,
           bool_or(day = p_day) as is_of_day,
           coalesce(sum(amount) filter (where is_ours), 0) as ledger_now,
           coalesce(sum(amount) filter (where not is_ours), 0) as outside_now, max(day) as last_day
      from svc.list_movements(p_account, p_day, p_is_full) group by kind, reference)
  select kind, reference, ledger, outside, ledger_day, outside_day, is_of_day, ledger_now, outside_now, last_day
    from compared where ledger <> outside
   union all
  (select kind, reference, ledger, outside, ledger_day, outside_day, is_of_day, ledger_now, outside_now, last_day
     from compared where ledger = outside and is_of_day
      and (kind collate "C", reference collate "C") > (p_after_kind, p_after_reference)
    order by kind collate "C", reference collate "C" limit p_matched)
$$;

revoke execute on function svc.reconcile_bank_account from public;
grant execute on function svc.reconcile_bank_account to svc_app;
