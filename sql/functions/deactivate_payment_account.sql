-- Deactivates a payment account for ever and removes its hashes and the caller's id. No function and no grant activates it again.
create or replace function svc.deactivate_payment_account(
  p_organization_id uuid, p_payment_account_id uuid, p_from text[])
returns setof svc.payment_accounts language sql security definer set search_path = pg_catalog, pg_temp as $$
  with deactivated as (
    update svc.payment_accounts
       set status = 'DEACTIVATED', version = version + 1, deactivated_at = svc.now(), account_hash = null,
           save_hash = null, external_id = null
     where organization_id = p_organization_id and payment_account_id = p_payment_account_id
       and status = any(p_from) and status <> 'DEACTIVATED'
    returning *
  ), forgotten as (
    update svc.former_bank_details as former set account_hash = null from deactivated
     where former.organization_id = deactivated.organization_id
       and former.payment_account_id = deactivated.payment_account_id
  )
  select * from deactivated
$$;

revoke execute on function svc.deactivate_payment_account from public;
grant execute on function svc.deactivate_payment_account to svc_app;
