-- Replaces the coordinates of a bank account by those that its bank asks for, under the same id. Keeps the former ones
-- with their seal for the payouts that were created with them; the signer seals the new ones. Answers no row when the
-- account is not ACTIVE, has another version, or is not sealed yet.
create or replace function svc.replace_bank_details(
  p_organization_id uuid, p_payment_account_id uuid, p_details_version integer, p_account_hash bytea,
  p_sealed_profile bytea, p_sealed_details bytea)
returns setof svc.payment_accounts language sql security definer set search_path = pg_catalog, pg_temp as $$
  with former as (
    insert into svc.former_bank_details (organization_id, payment_account_id, details_version, account_hash,
           sealed_details, seal, replaced_at)
    select organization_id, payment_account_id, details_version, account_hash, sealed_details, seal, svc.now()
      from svc.payment_accounts
     where organization_id = p_organization_id and payment_account_id = p_payment_account_id
       and payment_account_type = 'EXTERNAL_BANK_ACCOUNT' and status = 'ACTIVE' and seal is not null
       and details_version = p_details_version
    returning organization_id, payment_account_id
  )
  update svc.payment_accounts as account
     set version = account.version + 1, details_version = account.details_version + 1, account_hash = p_account_hash,
         sealed_profile = p_sealed_profile, sealed_details = p_sealed_details, seal = null, seal_problem = null,
         seal_due_at = clock_timestamp()
    from former
   where account.organization_id = former.organization_id and account.payment_account_id = former.payment_account_id
  returning account.*
$$;

revoke execute on function svc.replace_bank_details from public;
grant execute on function svc.replace_bank_details to svc_app;
