-- Tells whether the rule lists the account, and its cooling period is over. That begins when the account was listed,
-- created or given other bank details, whichever is latest. The account is of the organization that pays; the rule may be
-- the platform's for its parent.
create or replace function svc.is_destination_ready(
  p_rule svc.policy_rules, p_organization_id uuid, p_account_id uuid, p_moment timestamptz)
returns boolean language plpgsql stable as $$
begin
  -- Moments of payments have milliseconds.
  return coalesce(p_moment >= p_rule.cooling + date_trunc('milliseconds', greatest(
    p_rule.listed_at[array_position(p_rule.allowed_ids, p_account_id)],
    (select created_at from svc.payment_accounts as account
      where account.organization_id = p_organization_id and account.payment_account_id = p_account_id),
    (select max(replaced_at) from svc.former_bank_details as former
      where former.organization_id = p_organization_id and former.payment_account_id = p_account_id)))
    and p_account_id = any(p_rule.allowed_ids), false);
end $$;

revoke execute on function svc.is_destination_ready from public;
grant execute on function svc.is_destination_ready to svc_app;
