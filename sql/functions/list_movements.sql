-- Lists the movements of a bank account on both sides, by name. In full: all of them, as the records tell them. Otherwise
-- those of each name that moved on a day or was open at its end (of every name without a day), and of names that still move
-- or differ: what is open is named anew, and the rest comes from svc.kept_movements. The balance before the first statement is OPENING; a balance that
-- does not follow from the statement before is a GAP: a statement is missing. "offset 0" keeps the planner to the indexes,
-- whether or not it has statistics of what was just kept.
create or replace function svc.list_movements(p_account text, p_day date, p_is_full boolean)
returns table (kind text, reference text, day date, amount numeric, is_ours boolean)
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  lowest constant uuid := '00000000-0000-0000-0000-000000000000';
  roots uuid[];
begin
  if not p_is_full then
    roots := array(select svc.list_open_roots(p_account, lowest, null) union select svc.list_stale_roots(p_account));
  end if;
  return query
  with lines as materialized (
    select kind, reference, day, amount
      from svc.name_ledger_lines(p_account, '-infinity', lowest, 0::smallint, 'infinity', null, not p_is_full)),
  bookings as materialized (
    select kind, reference, day, amount, bank_file_id, statement_key from svc.name_bank_bookings(p_account, roots)),
  -- Kept for bookings that are named again.
  gone as materialized (
    select kept.kind, kept.reference, kept.amount, entry.bank_file_id, entry.statement_key
      from svc.kept_movements as kept join svc.bank_entries as entry on entry.bank_entry_id = kept.booking_id
     where kept.root_id = any (roots)),
  page_sums as (
    select bank_file_id, statement_key, sum(amount) as amount
      from (select bank_file_id, statement_key, amount from bookings
             union all
            select bank_file_id, statement_key, -amount from gone
             union all
            select bank_file_id, statement_key, amount from svc.kept_pages
             where bank_account_id = p_account and not p_is_full) as summed
     group by bank_file_id, statement_key),
  closings as (
    select page.series, page.day, max(page.sequence) as sequence, min(page.bank_file_id::text) as first_file,
           (array_agg(page.closing order by page.recorded_at desc, page.bank_file_id desc)
             filter (where page.closing is not null))[1] as closing,
           coalesce(sum(stated.amount), 0) as amount
      from svc.list_statement_pages(p_account) as page left join page_sums as stated using (bank_file_id, statement_key)
     group by page.series, page.day),
  jumps as (
    select case when row_number() over in_order = 1 then 'OPENING' else 'GAP' end as kind, series as reference, day,
           closing - amount - lag(closing, 1, 0) over in_order as amount
      from closings where closing is not null and day is not null
    window in_order as (order by day, sequence nulls first, first_file)),
  open as materialized (
    select kind, reference, day, amount, true as is_ours from lines
     union all
    select kind, reference, day, amount, false from bookings
     union all
    select kind, reference, day, amount, false from jumps where amount <> 0),
  names as (
    select kind, reference from open where not p_is_full
     union
    select kind, reference from gone
     union
    select kind, reference from svc.kept_names where bank_account_id = p_account and balance <> 0 and not p_is_full
     union
    select kind, reference
      from (select bank_account_id, kind, reference from svc.kept_names
             where (p_day is null or daterange(first_day, last_day, '[]') @> p_day) and not p_is_full offset 0) as of_day
     where bank_account_id = p_account)
  select kind, reference, day, amount, is_ours from open
   union all
  select kept.kind, kept.reference, kept.day, kept.amount, kept.is_ours
    from names cross join lateral (
         select kind, reference, day, amount, is_ours, root_id from svc.kept_movements
          where bank_account_id = p_account and kind = names.kind and reference = names.reference offset 0) as kept
   where kept.root_id is null or kept.root_id <> all (roots);
end $$;

revoke execute on function svc.list_movements from public;
grant execute on function svc.list_movements to svc_app;
