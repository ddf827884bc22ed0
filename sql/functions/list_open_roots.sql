-- Lists the bookings of a bank account that must be named again, by their first telling: those of open entries after an
-- entry, at most so many unless the limit is null, those whose transactions they repeat, and those that repeat theirs.
create or replace function svc.list_open_roots(p_account text, p_after uuid, p_limit integer) returns setof uuid
language sql stable set search_path = pg_catalog, pg_temp as $$
  with open as materialized (
    select distinct bank_entry_id from svc.open_entries
     where bank_account_id = p_account and bank_entry_id > p_after order by bank_entry_id limit p_limit)
  select entry.root_id
    from open cross join lateral (
         select coalesce(repeats, bank_entry_id) as root_id from svc.bank_entries
          where bank_entry_id = open.bank_entry_id offset 0) as entry
   union
  select entry.root_id
    from open cross join lateral (
         select coalesce(entry.repeats, entry.bank_entry_id) as root_id
           from svc.bank_entry_parts as part join svc.bank_entries as entry on entry.bank_entry_id = part.repeats_entry_id
          where part.bank_entry_id = open.bank_entry_id offset 0) as entry
   union
  select entry.root_id
    from open cross join lateral (
         select coalesce(entry.repeats, entry.bank_entry_id) as root_id
           from svc.bank_entry_parts as part join svc.bank_entries as entry on entry.bank_entry_id = part.bank_entry_id
          where part.repeats_entry_id = open.bank_entry_id offset 0) as entry
$$;

revoke execute on function svc.list_open_roots from public;
grant execute on function svc.list_open_roots to svc_app;
