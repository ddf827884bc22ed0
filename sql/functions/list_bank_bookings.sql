-- Lists the bookings of a bank account, each once: the entries of its statements, and those that a notification has told
-- for days after the last statement. A statement is the bank's last word about its days.
create or replace function svc.list_bank_bookings(p_account text)
returns table (bank_entry_id uuid, root_id uuid, series text, day date, amount numeric, outcome text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  with statements as (
    select series, (array_agg(day order by recorded_at desc, bank_file_id desc) filter (where day is not null))[1] as day
      from svc.bank_statements where bank_account_id = p_account group by series),
  entries as (
    select entry.bank_entry_id, coalesce(entry.repeats, entry.bank_entry_id) as root_id, entry.source, entry.repeats,
           entry.bank_file_id, entry.statement_key, entry.outcome,
           coalesce(entry.booking_date, entry.value_date, (entry.recorded_at at time zone 'UTC')::date) as day,
           case entry.direction when 'CREDIT' then entry.amount else -entry.amount end as amount
      from svc.bank_entries as entry where entry.bank_account_id = p_account),
  stated as (
    select entries.*, statements.series, statements.day as statement_day,
           -- Another statement may tell a booking again; one statement tells it once.
           (entries.bank_file_id, entries.statement_key) = first_value((entries.bank_file_id, entries.statement_key))
             over (partition by entries.root_id order by entries.bank_entry_id) as is_first
      from entries join svc.bank_statements as page using (bank_file_id, statement_key)
      join statements on statements.series = page.series
     where entries.source = 'STATEMENT')
  select bank_entry_id, root_id, series, coalesce(statement_day, day), amount, outcome from stated where is_first
   union all
  select told.bank_entry_id, told.root_id, null, told.day, told.amount, told.outcome
    from entries as told
   where told.source = 'NOTIFICATION' and told.repeats is null and told.outcome <> 'REPEATED'
     and told.day > coalesce((select max(day) from statements), '-infinity')
     and not exists (select from stated where stated.root_id = told.bank_entry_id)
     and not exists (select from svc.bank_entry_parts as part join stated on stated.bank_entry_id = part.bank_entry_id
                      where part.repeats_entry_id = told.bank_entry_id)
$$;

revoke execute on function svc.list_bank_bookings from public;
grant execute on function svc.list_bank_bookings to svc_app;
