-- Tells whether a reserve of this amount is open on this account.
create or replace function svc.is_reserved(
  p_organization_id uuid, p_reference text, p_kind text, p_holder text, p_asset text, p_amount numeric)
returns boolean language sql stable set search_path = pg_catalog, pg_temp as $$
  -- By its reference first: an account may have many open reserves.
  with reserve as materialized (
    select organization_id, account_id from svc.reserves
     where organization_id = p_organization_id and reference = p_reference and status = 'OPEN' and amount = p_amount)
  select exists (
    select from reserve join svc.ledger_accounts as account using (organization_id, account_id)
     where account.kind = p_kind and account.holder = p_holder and account.asset = p_asset)
$$;

revoke execute on function svc.is_reserved from public;
grant execute on function svc.is_reserved to svc_signer;
