-- Records how files name a bank account of ours, once. Processes may not update these columns themselves, so the account
-- that pays never changes after it has coordinates. Answers false when there is no such account, or it has them.
create or replace function svc.connect_bank_account(
  p_bank_account_id text, p_holder_name text, p_coordinates jsonb, p_dialect jsonb)
returns boolean language sql security definer set search_path = pg_catalog, pg_temp as $$
  with connected as (
    update svc.bank_accounts
       set holder_name = p_holder_name, coordinates = p_coordinates, dialect = p_dialect
     where bank_account_id = p_bank_account_id and coordinates is null
    returning bank_account_id)
  select exists (select from connected)
$$;

revoke execute on function svc.connect_bank_account from public;
grant execute on function svc.connect_bank_account to svc_app;
