-- Names the bookings of a bank account as svc.name_ledger_lines names the ledger's lines. The rest of a booking that no
-- name explains is an ENTRY. The balance before the first statement is OPENING; a balance that does not follow from the
-- statement before is a GAP: a statement is missing.
create or replace function svc.name_bank_bookings(p_account text)
returns table (kind text, reference text, day date, amount numeric)
language sql stable set search_path = pg_catalog, pg_temp as $$
  -- Banks use the id of a statement again, for each year or for all of them: the closing day tells those apart. A page
  -- without a balance belongs to the closing that was recorded nearest to it.
  with pages as materialized (
    select page.bank_file_id, page.statement_key, page.sequence, page.closing, page.recorded_at, stated.day,
           concat_ws('@', page.series, stated.day) as series
      from svc.bank_statements as page
      cross join lateral (
           select coalesce(page.day, (
                    select other.day from svc.bank_statements as other
                     where other.bank_account_id = p_account and other.series = page.series and other.day is not null
                     order by abs(extract(epoch from other.recorded_at - page.recorded_at)), other.bank_file_id desc
                     limit 1)) as day) as stated
     where page.bank_account_id = p_account),
  bookings as materialized (
    select booking.bank_entry_id, booking.root_id, page.series, coalesce(page.day, booking.day) as day, booking.amount,
           booking.outcome
      from svc.list_bank_bookings(p_account) as booking
      join svc.bank_entries as entry on entry.bank_entry_id = booking.bank_entry_id
      left join pages as page on page.bank_file_id = entry.bank_file_id and page.statement_key = entry.statement_key),
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
     order by part.booking_id, part.place, returned.return_id),
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
      join svc.bank_entries as entry on entry.bank_entry_id = booking.root_id),
  closings as (
    select series, (array_agg(closing order by recorded_at desc, bank_file_id desc) filter (where closing is not null))[1] as closing,
           day, max(sequence) as sequence, min(bank_file_id::text) as first_file
      from pages group by series, day),
  -- Each sum is made once: one for each booking or statement would read all of them each time.
  named_sums as materialized (select booking_id, sum(amount) as amount from named group by booking_id),
  stated_sums as materialized (select series, sum(amount) as amount from bookings where series is not null group by series),
  jumps as (
    select series, day, closing - coalesce(stated.amount, 0) - lag(closing, 1, 0) over in_order as amount,
           row_number() over in_order = 1 as is_first
      from closings left join stated_sums as stated using (series)
     where closing is not null and day is not null
    window in_order as (order by day, sequence nulls first, first_file))
  select named.kind, named.reference, booking.day, named.amount
    from named join bookings as booking on booking.bank_entry_id = named.booking_id
   union all
  select 'ENTRY', booking.root_id::text, booking.day, booking.amount - coalesce(sums.amount, 0)
    from bookings as booking left join named_sums as sums on sums.booking_id = booking.bank_entry_id
   where booking.amount <> coalesce(sums.amount, 0)
   union all
  select case when is_first then 'OPENING' else 'GAP' end, series, day, amount from jumps where amount <> 0
$$;

revoke execute on function svc.name_bank_bookings from public;
grant execute on function svc.name_bank_bookings to svc_app;
