-- Forgets everything that is kept of a bank account. All its lines and entries are open again.
create or replace function svc.reopen_bank_account(p_account text) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from svc.kept_movements where bank_account_id = p_account;
  delete from svc.kept_names where bank_account_id = p_account;
  delete from svc.kept_pages where bank_account_id = p_account;
  delete from svc.kept_days where bank_account_id = p_account;
  insert into svc.open_entries (bank_account_id, bank_entry_id)
  select bank_account_id, bank_entry_id from svc.bank_entries where bank_account_id = p_account on conflict do nothing;
  insert into svc.open_lines (bank_account_id, day, posting_id, entry_number, organization_id)
  select holder, day, posting_id, entry_number, organization_id from svc.ledger_lines
   where holder = p_account and not starts_with(reference, 'operator:sandbox-liquidity:') on conflict do nothing
$$;

revoke execute on function svc.reopen_bank_account from public;
grant execute on function svc.reopen_bank_account to svc_app;
