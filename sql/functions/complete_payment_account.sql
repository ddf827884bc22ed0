-- Completes a bank account that has no details yet, once. Processes may not update these columns themselves, so the
-- details of a payment account never change after it has them. Answers no row when the account has details, belongs to
-- another customer, is not in one of the statuses, or its link was revoked since it was read.
create or replace function svc.complete_payment_account(
  p_organization_id uuid, p_payment_account_id uuid, p_customer_id uuid, p_from text[], p_currency text,
  p_payment_method text, p_account_hash bytea, p_sealed_profile bytea, p_sealed_details bytea,
  p_save_hash bytea, p_link_version integer)
returns setof svc.payment_accounts language sql security definer set search_path = pg_catalog, pg_temp as $$
  update svc.payment_accounts
     set status = 'ACTIVE', version = version + 1, currency = p_currency, payment_method = p_payment_method,
         account_hash = p_account_hash, sealed_profile = p_sealed_profile, sealed_details = p_sealed_details,
         save_hash = p_save_hash, created_at = svc.now()
   where organization_id = p_organization_id and payment_account_id = p_payment_account_id
     and customer_id = p_customer_id and status = any(p_from)
     and link_version = p_link_version and status = 'PENDING' and sealed_details is null and account_hash is null
  returning *
$$;

revoke execute on function svc.complete_payment_account from public;
grant execute on function svc.complete_payment_account to svc_app;
