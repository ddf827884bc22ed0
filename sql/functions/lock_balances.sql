-- Locks accounts that keep a balance, in the order of their ids, as every writer of the ledger does.
create or replace function svc.lock_balances(
  p_organization_ids uuid[], p_kinds text[], p_holders text[], p_assets text[])
returns void language plpgsql as $$
#variable_conflict use_column
begin
  perform from (select distinct organization_id,
                       (select account_id from svc.ledger_accounts as account
                         where account.organization_id = wanted.organization_id and account.kind = wanted.kind
                           and account.holder = wanted.holder and account.asset = wanted.asset and keeps_balance)
                       as account_id
                  from unnest(p_organization_ids, p_kinds, p_holders, p_assets)
                       as wanted (organization_id, kind, holder, asset)
                 order by account_id) as wanted
    cross join lateral (
          select from svc.ledger_accounts as account
           where account.organization_id = wanted.organization_id and account.account_id = wanted.account_id
             for no key update) as locked;
end $$;

revoke execute on function svc.lock_balances from public;
