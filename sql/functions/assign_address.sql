-- Assigns a free deposit address to a transaction; null when none is free.
create or replace function svc.assign_address(
  p_organization_id uuid, p_transaction_id uuid, p_customer_id uuid, p_method text)
returns text language sql as $$
  with free as (
    select seed_id, kind, address_index from svc.wallet_addresses
     where kind = case p_method when 'SOLANA' then 'SOLANA' else 'EVM' end and taken_at is null and retired_at is null
     order by address_index limit 1 for update skip locked),
  taken as (
    update svc.wallet_addresses as pool set payment_account_id = p_transaction_id, taken_at = clock_timestamp()
      from free
     where pool.seed_id = free.seed_id and pool.kind = free.kind and pool.address_index = free.address_index
    returning pool.kind, pool.address)
  insert into svc.wallets (organization_id, payment_account_id, customer_id, kind, address)
  select p_organization_id, p_transaction_id, p_customer_id, kind, address from taken
  returning address
$$;

revoke execute on function svc.assign_address from public;
grant execute on function svc.assign_address to svc_app;
