-- Replaces the coordinates of a bank account by those that its bank asks for, under the same id, and confirms the
-- notification of change that asks for it. That must be OPEN and about a payout that the signer has sealed for these very
-- coordinates, and that a file of ours has paid by ACH. Keeps the former coordinates with their seal for the payouts that
-- were created with them; the signer seals the new ones. Answers no row, and changes nothing, when the account is not
-- ACTIVE, has another version, or is not sealed yet.
create or replace function svc.replace_bank_details(
  p_bank_change_id uuid, p_organization_id uuid, p_payment_account_id uuid, p_details_version integer,
  p_account_hash bytea, p_sealed_profile bytea, p_sealed_details bytea)
returns setof svc.payment_accounts language sql security definer set search_path = pg_catalog, pg_temp as $$
  with confirmed as (
    update svc.bank_changes as change
       set status = 'CONFIRMED', decided_at = svc.now(), details_version = payout.details_version + 1
      from svc.payouts as payout
      join svc.payment_accounts as account on account.organization_id = payout.organization_id
       and account.payment_account_id = payout.payment_account_id and account.details_version = payout.details_version
     where change.bank_change_id = p_bank_change_id and change.status = 'OPEN' and payout.payout_id = change.payout_id
       and payout.organization_id = p_organization_id and payout.payment_account_id = p_payment_account_id
       and payout.details_version = p_details_version and payout.method = 'ACH' and payout.seal is not null
       and account.payment_account_type = 'EXTERNAL_BANK_ACCOUNT' and account.status = 'ACTIVE'
       and account.seal is not null
       and exists (select from svc.bank_file_items as item join svc.bank_files as file using (bank_file_id)
                    where item.payout_id = payout.payout_id and item.reference = change.reference
                      and file.status in ('STAGED', 'RELEASED'))
    returning account.organization_id, account.payment_account_id
  ), former as (
    insert into svc.former_bank_details (organization_id, payment_account_id, details_version, account_hash,
           sealed_details, seal, replaced_at)
    select organization_id, payment_account_id, account.details_version, account.account_hash, account.sealed_details,
           account.seal, svc.now()
      from confirmed join svc.payment_accounts as account using (organization_id, payment_account_id)
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
