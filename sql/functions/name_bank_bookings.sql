-- Names the bookings of a bank account as svc.name_ledger_lines names the ledger's lines: those of some entries and of all
-- that repeat them, or of all entries without a list. A booking counts once: as a statement tells it first, or as a
-- notification has told it for a day after the last statement, because a statement is the bank's last word about its days.
-- The rest of a booking that no name explains is an ENTRY, or has the name of the posting with which an operator explained
-- it. `root_id` is the first telling of a booking; one that only a
-- notification has told has no statement.
create or replace function svc.name_bank_bookings(p_account text, p_roots uuid[])
returns table (kind text, reference text, day date, amount numeric, root_id uuid, booking_id uuid, bank_file_id uuid,
  statement_key text, statement_day date)
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
begin
  return query
  with pages as materialized (
    select bank_file_id, statement_key, day from svc.list_statement_pages(p_account)),
  chosen as (
    select bank_entry_id from svc.bank_entries where p_roots is null and bank_account_id = p_account
     union
    select unnest(p_roots)
     union
    select bank_entry_id from svc.bank_entries where repeats = any (p_roots)),
  entries as materialized (
    select entry.bank_entry_id, coalesce(entry.repeats, entry.bank_entry_id) as root_id, entry.source, entry.repeats,
           entry.bank_file_id, entry.statement_key, entry.outcome,
           coalesce(entry.booking_date, entry.value_date, (entry.recorded_at at time zone 'UTC')::date) as day,
           case entry.direction when 'CREDIT' then entry.amount else -entry.amount end as amount
      from chosen join svc.bank_entries as entry using (bank_entry_id)
     where entry.bank_account_id = p_account
       and (p_roots is null or coalesce(entry.repeats, entry.bank_entry_id) = any (p_roots))),
  stated as materialized (
    select entries.*, page.day as statement_day,
           -- Another statement may tell a booking again; one statement tells it once.
           (bank_file_id, statement_key) = first_value((bank_file_id, statement_key))
             over (partition by root_id order by bank_entry_id) as is_first
      from entries join pages as page using (bank_file_id, statement_key)
     where entries.source = 'STATEMENT'),
  bookings as materialized (
    select bank_entry_id, root_id, coalesce(statement_day, day) as day, amount, outcome, bank_file_id, statement_key,
           statement_day
      from stated where is_first
     union all
    select told.bank_entry_id, told.root_id, told.day, told.amount, told.outcome, null, null, null
      from entries as told
     where told.source = 'NOTIFICATION' and told.repeats is null and told.outcome <> 'REPEATED'
       and told.day > coalesce((select max(day) from pages), '-infinity')
       and not exists (select from stated where stated.root_id = told.bank_entry_id)
       and not exists (select from svc.bank_entry_parts as part join svc.bank_entries as other using (bank_entry_id)
                         join pages as page using (bank_file_id, statement_key)
                        where part.repeats_entry_id = told.bank_entry_id and other.source = 'STATEMENT'
                          and other.bank_account_id = p_account)),
  -- The entry that has the details of a booking: its own telling, or the first one.
  parts as materialized (
    select booking.bank_entry_id as booking_id, part.bank_entry_id, part.place, part.external_id, part.amount,
           coalesce(part.repeats_entry_id, part.bank_entry_id) as origin_id, part.is_return
      from bookings as booking
      join svc.bank_entry_parts as part on part.bank_entry_id = case
             when exists (select from svc.bank_entry_parts as own where own.bank_entry_id = booking.bank_entry_id)
             then booking.bank_entry_id else booking.root_id end
     where booking.outcome <> 'REPEATED' or part.bank_entry_id <> booking.bank_entry_id or part.repeats_entry_id is not null),
  returned as materialized (
    select distinct on (part.booking_id, part.place) part.booking_id, part.place, returned.reference, returned.credited_amount
      from parts as part join svc.bank_returns as returned on returned.bank_entry_id = part.origin_id
     where returned.credited_amount = part.amount
     order by part.booking_id, part.place, returned.return_id, returned.reference),
  named as materialized (
    select booking.bank_entry_id as booking_id, 'PAYOUT' as kind, paid.reference, -(paid.amount + paid.costs) as amount
      from bookings as booking join svc.bank_payments as paid on paid.bank_entry_id = booking.root_id
     where not exists (select from svc.bank_payment_tellings as own where own.bank_entry_id = booking.bank_entry_id)
     union all
    select booking.bank_entry_id, 'PAYOUT', told.reference, -told.amount
      from bookings as booking join svc.bank_payment_tellings as told on told.bank_entry_id = booking.bank_entry_id
     union all
    select booking.bank_entry_id, 'SECOND_DEBIT', second.bank_entry_id || ' ' || second.reference, -second.amount
      from bookings as booking join svc.bank_second_debits as second on second.bank_entry_id = booking.root_id
     union all
    select booking.bank_entry_id, 'SECOND_DEBIT', second.bank_entry_id || ' ' || second.reference, second.amount
      from bookings as booking join svc.bank_second_debits as second on second.reversed_by = booking.root_id
     union all
    select booking_id, 'RETURN', returned.reference, credited_amount from returned
     union all
    select part.booking_id, 'DEPOSIT', part.external_id, part.amount
      from parts as part
     where not exists (select from returned where returned.booking_id = part.booking_id and returned.place = part.place)
       and (not part.is_return or exists (select from svc.sightings as sighting
              where sighting.book = p_account and sighting.external_id = part.external_id))
     union all
    select booking.bank_entry_id, 'REVERSAL', entry.external_id
             || case when count(*) over (partition by booking.bank_entry_id) = 1 then '' else '/' || reversal.place end,
           -reversal.amount
      from bookings as booking join svc.bank_entry_reversals as reversal on reversal.bank_entry_id = booking.root_id
      join svc.bank_entries as entry on entry.bank_entry_id = booking.root_id
       -- A choice that was refused stays recorded.
       and entry.outcome in ('REVERSING', 'REVERSAL')),
  -- Made once: a sum for each booking would read all of them each time.
  named_sums as materialized (select booking_id, sum(amount) as amount from named group by booking_id)
  select named.kind, named.reference, booking.day, named.amount, booking.root_id, booking.bank_entry_id,
         booking.bank_file_id, booking.statement_key, booking.statement_day
    from named join bookings as booking on booking.bank_entry_id = named.booking_id
   union all
  select case when explained.reference is null then 'ENTRY' else 'OWN' end,
         coalesce(explained.reference, booking.root_id::text), booking.day, booking.amount - coalesce(sums.amount, 0),
         booking.root_id, booking.bank_entry_id, booking.bank_file_id, booking.statement_key, booking.statement_day
    from bookings as booking left join named_sums as sums on sums.booking_id = booking.bank_entry_id
    left join svc.explained_entries as explained on explained.bank_entry_id = booking.root_id
     and explained.withdrawn_at is null
   where booking.amount <> coalesce(sums.amount, 0);
end $$;

revoke execute on function svc.name_bank_bookings from public;
grant execute on function svc.name_bank_bookings to svc_app;
