-- Lists the bookings of a bank account whose kept names are no longer true although no entry is new: their page belongs to
-- another day since, or a statement came about the day for which only a notification had told them.
create or replace function svc.list_stale_roots(p_account text) returns setof uuid
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  moved record;
begin
  -- One page after the other: the planner would take all pages for moved, and read all entries.
  for moved in
    select page.bank_file_id, page.statement_key
      from svc.kept_pages as kept join svc.list_statement_pages(p_account) as page using (bank_file_id, statement_key)
     where kept.bank_account_id = p_account and kept.day is distinct from page.day
  loop
    return query
    select kept.root_id
      from svc.bank_entries as entry cross join lateral (
           select root_id from svc.kept_movements
            where root_id = coalesce(entry.repeats, entry.bank_entry_id) and booking_id = entry.bank_entry_id
            limit 1) as kept
     where entry.bank_file_id = moved.bank_file_id and entry.statement_key = moved.statement_key;
  end loop;
  return query
  select kept.root_id from svc.kept_movements as kept
   where kept.bank_account_id = p_account and kept.is_told
     and kept.day <= (select max(page.day) from svc.list_statement_pages(p_account) as page);
end $$;

revoke execute on function svc.list_stale_roots from public;
grant execute on function svc.list_stale_roots to svc_app;
