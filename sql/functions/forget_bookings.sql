-- Forgets the kept names of bookings, and makes them open.
create or replace function svc.forget_bookings(p_account text, p_roots uuid[]) returns void
language sql set search_path = pg_catalog, pg_temp as $$
  with gone as (
    delete from svc.kept_movements where root_id = any (p_roots)
    returning kind, reference, amount, root_id, booking_id),
  -- The days stay: they only tell where to look.
  names as (
    update svc.kept_names as known set balance = known.balance + named.amount
      from (select kind, reference, sum(amount) as amount from gone group by kind, reference) as named
     where known.bank_account_id = p_account and known.kind = named.kind and known.reference = named.reference),
  pages as (
    update svc.kept_pages as known set amount = known.amount - stated.amount
      from (select entry.bank_file_id, entry.statement_key, sum(gone.amount) as amount
              from gone join svc.bank_entries as entry on entry.bank_entry_id = gone.booking_id
             group by entry.bank_file_id, entry.statement_key) as stated
     where known.bank_file_id = stated.bank_file_id and known.statement_key = stated.statement_key)
  insert into svc.open_entries (bank_account_id, bank_entry_id) select distinct p_account, root_id from gone
      on conflict do nothing
$$;

revoke execute on function svc.forget_bookings from public;
