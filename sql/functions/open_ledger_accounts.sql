-- Opens the ledger accounts that do not exist yet.
create or replace function svc.open_ledger_accounts(
  p_organization_ids uuid[], p_kinds text[], p_holders text[], p_assets text[])
returns void language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into svc.ledger_accounts (organization_id, account_id, kind, holder, asset, created_at)
  select organization_id, gen_random_uuid(), kind, holder, asset, svc.now()
    from (select distinct organization_id, kind, holder, asset
            from unnest(p_organization_ids, p_kinds, p_holders, p_assets)
                 as wanted (organization_id, kind, holder, asset)
           order by organization_id, kind, holder, asset) as wanted
      on conflict (organization_id, kind, holder, asset) do nothing
$$;

revoke execute on function svc.open_ledger_accounts from public;
grant execute on function svc.open_ledger_accounts to svc_app;
