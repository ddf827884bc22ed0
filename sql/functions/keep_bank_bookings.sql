-- Keeps the names of a bank account's bookings that have open entries after an entry, at most so many: of those that names
-- explain whole, if the ledger has each name, too. From then on only a new entry, a return that is linked anew or another
-- day of their statement can change them. Returns the last entry; null after the end. The caller's database transaction
-- must see one moment (repeatable read): what commits later leaves its own row in svc.open_entries.
create or replace function svc.keep_bank_bookings(p_account text, p_limit integer, p_after uuid) returns uuid
language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  -- Before that, a statement is likely to tell a notified booking again.
  settled_day constant date := (svc.now() at time zone 'UTC')::date - 5;
  roots constant uuid[] := array(select svc.list_open_roots(p_account, p_after, p_limit));
  last_entry constant uuid := (
    select bank_entry_id from (
             select distinct bank_entry_id from svc.open_entries
              where bank_account_id = p_account and bank_entry_id > p_after order by bank_entry_id limit p_limit) as open
     order by bank_entry_id desc limit 1);
  kept_roots uuid[];
begin
  perform svc.forget_bookings(p_account, roots);
  with named as materialized (
    select kind, reference, day, amount, root_id, booking_id, bank_file_id, statement_key, statement_day
      from svc.name_bank_bookings(p_account, roots)),
  unready as (
    select root_id from named
     where kind = 'ENTRY' or coalesce(statement_day, case when bank_file_id is null and day < settled_day then day end) is null
        or (select true from svc.kept_movements as ours
             where ours.bank_account_id = p_account and ours.kind = named.kind and ours.reference = named.reference
               and ours.is_ours limit 1) is null
     union all
    -- Its page is not recorded yet.
    select coalesce(entry.repeats, entry.bank_entry_id) from svc.bank_entries as entry
     where (entry.bank_entry_id = any (roots) or entry.repeats = any (roots)) and entry.source = 'STATEMENT'
       and not exists (select from svc.bank_statements as page
                        where page.bank_file_id = entry.bank_file_id and page.statement_key = entry.statement_key)
     union all
    -- Other bookings of its page are kept for another day: svc.forget_stale_bookings comes first.
    select named.root_id from named join svc.kept_pages as known using (bank_file_id, statement_key)
     where known.day is distinct from named.statement_day
     union all
    -- No statement lists it, and it counts again should the last one turn out to be about an earlier day.
    select told.bank_entry_id from svc.bank_entries as told
     where told.bank_entry_id = any (roots) and told.source = 'NOTIFICATION' and told.repeats is null
       and told.outcome <> 'REPEATED' and not exists (select from named where named.root_id = told.bank_entry_id)
       and not exists (select from svc.bank_entries as again
                        where again.repeats = told.bank_entry_id and again.source = 'STATEMENT')
       and not exists (select from svc.bank_entry_parts as part join svc.bank_entries as again using (bank_entry_id)
                        where part.repeats_entry_id = told.bank_entry_id and again.source = 'STATEMENT')),
  ready as materialized (select unnest(roots) as root_id except select root_id from unready),
  kept as materialized (
    select named.kind, named.reference, named.day, named.amount, named.root_id, named.booking_id, named.bank_file_id,
           named.statement_key, named.statement_day
      from named join ready using (root_id)),
  movements as (
    insert into svc.kept_movements (bank_account_id, kind, reference, day, amount, is_ours, root_id, booking_id, is_told)
    select p_account, kind, reference, day, amount, false, root_id, booking_id, bank_file_id is null from kept),
  names as (
    insert into svc.kept_names as known (bank_account_id, kind, reference, balance, first_day, last_day)
    select p_account, kind, reference, -sum(amount), min(day), max(day) from kept group by kind, reference
    on conflict (bank_account_id, kind, reference) do update
       set balance = known.balance + excluded.balance, first_day = least(known.first_day, excluded.first_day),
           last_day = greatest(known.last_day, excluded.last_day)),
  pages as (
    insert into svc.kept_pages as known (bank_account_id, bank_file_id, statement_key, day, amount)
    select p_account, bank_file_id, statement_key, statement_day, sum(amount) from kept where bank_file_id is not null
     group by bank_file_id, statement_key, statement_day
    on conflict (bank_file_id, statement_key) do update set amount = known.amount + excluded.amount)
  select array_agg(root_id) into kept_roots from ready;
  delete from svc.open_entries
   where bank_account_id = p_account
     and bank_entry_id = any (kept_roots || array(select bank_entry_id from svc.bank_entries where repeats = any (kept_roots)));
  return last_entry;
end $$;

revoke execute on function svc.keep_bank_bookings from public;
grant execute on function svc.keep_bank_bookings to svc_app;
