-- Forgets kept names of a bank account that are no longer true, of at most so many bookings, and makes those open. Returns
-- how many it found. The caller's database transaction must see one moment.
create or replace function svc.forget_stale_bookings(p_account text, p_limit integer) returns integer
language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  roots constant uuid[] := array(
    select distinct root_id from svc.list_stale_roots(p_account) as root_id order by root_id limit p_limit);
begin
  perform svc.forget_bookings(p_account, roots);
  -- A page that moved gets its new day once nothing is kept for the former one.
  delete from svc.kept_pages as known using svc.list_statement_pages(p_account) as page
   where known.bank_account_id = p_account and known.bank_file_id = page.bank_file_id
     and known.statement_key = page.statement_key and known.day is distinct from page.day
     and not exists (
           select from svc.bank_entries as entry join svc.kept_movements as kept
               on kept.root_id = coalesce(entry.repeats, entry.bank_entry_id) and kept.booking_id = entry.bank_entry_id
            where entry.bank_file_id = known.bank_file_id and entry.statement_key = known.statement_key);
  return cardinality(roots);
end $$;

revoke execute on function svc.forget_stale_bookings from public;
grant execute on function svc.forget_stale_bookings to svc_app;
