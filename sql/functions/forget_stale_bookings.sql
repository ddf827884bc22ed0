-- Forgets kept names of a bank account that are no longer true, of at most so many bookings, and makes those open. Returns
-- how many it found. The caller's database transaction must see one moment.
create or replace function svc.forget_stale_bookings(p_account text, p_limit integer) returns integer
language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  roots constant uuid[] := array(
    select distinct root_id from svc.list_stale_roots(p_account) as root_id order by root_id limit p_limit);
  moved record;
begin
  perform svc.forget_bookings(p_account, roots);
  -- A page that moved gets its new day once nothing is kept for the former one. One page after the other, as
  -- svc.list_stale_roots reads them, and by indexes: almost no page has moved.
  for moved in
    select page.bank_file_id, page.statement_key
      from svc.kept_pages as kept join svc.list_statement_pages(p_account) as page using (bank_file_id, statement_key)
     where kept.bank_account_id = p_account and kept.day is distinct from page.day
  loop
    delete from svc.kept_pages as known
     where known.bank_file_id = moved.bank_file_id and known.statement_key = moved.statement_key
       and (select true
              from svc.bank_entries as entry cross join lateral (
                   select from svc.kept_movements
                    where root_id = coalesce(entry.repeats, entry.bank_entry_id) and booking_id = entry.bank_entry_id
                    limit 1) as kept
             where entry.bank_file_id = moved.bank_file_id and entry.statement_key = moved.statement_key limit 1) is null;
  end loop;
  return cardinality(roots);
end $$;

revoke execute on function svc.forget_stale_bookings from public;
grant execute on function svc.forget_stale_bookings to svc_app;
