-- Sums the fees of a kind, folded or not: of the organization, or those that lie at the address of a wallet.
create or replace function svc.sum_fees(
  p_organization_id uuid, p_holder text, p_asset text, p_kind text)
returns numeric language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(sum(account.posted + coalesce((
           select sum(entry.amount) from svc.unfolded_postings as unfolded
            cross join lateral (
                  select amount from svc.entries as entry
                   where entry.organization_id = unfolded.organization_id
                     and entry.posting_id = unfolded.posting_id and entry.account_id = account.account_id
                  offset 0) as entry
            where unfolded.organization_id = p_organization_id), 0)), 0)
    from svc.ledger_accounts as account
   where account.organization_id = p_organization_id and account.holder = p_holder
     and account.asset = p_asset and account.kind = p_kind
$$;

revoke execute on function svc.sum_fees from public;
grant execute on function svc.sum_fees to svc_signer;
