-- Names a destination for a counter by its coordinates: an account that was deleted and added again, or that another
-- customer has as well, is the same destination. A wallet is its address, on each network. The counter is part of the hash,
-- so that the name tells nothing else. An account without coordinates is named by its id.
create or replace function svc.subject_of_destination(p_counter_id uuid, p_organization_id uuid, p_account_id uuid)
returns uuid language plpgsql stable as $$
begin
  return coalesce(
    (select encode(substring(sha256(uuid_send(p_counter_id)
                     || coalesce(convert_to(account.address, 'UTF8'), account.account_hash)) for 16), 'hex')::uuid
       from svc.payment_accounts as account
      where account.organization_id = p_organization_id and account.payment_account_id = p_account_id),
    p_account_id);
end $$;

revoke execute on function svc.subject_of_destination from public;
grant execute on function svc.subject_of_destination to svc_app;
