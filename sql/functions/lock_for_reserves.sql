-- Locks everything that a batch of reserves will lock, as svc.lock_for_postings does for postings.
create or replace function svc.lock_for_reserves(
  p_organization_ids uuid[], p_reserve_ids uuid[], p_references text[], p_kinds text[], p_holders text[],
  p_assets text[])
returns void language plpgsql as $$
#variable_conflict use_column
declare
  claimed uuid[];
begin
  with inserted as (
    insert into svc.reserves (organization_id, reserve_id, reference, account_id, amount, created_at)
    select organization_id, reserve_id, reference, reserve_id, 1, svc.now()
      from unnest(p_organization_ids, p_reserve_ids, p_references) as wanted (organization_id, reserve_id, reference)
     order by organization_id, reference
        on conflict (organization_id, reference) do nothing
    returning reserve_id)
  select array_agg(reserve_id) into claimed from inserted;
  delete from svc.reserves where organization_id = any(p_organization_ids) and reserve_id = any(claimed);
  perform svc.lock_balances(p_organization_ids, p_kinds, p_holders, p_assets);
end $$;

revoke execute on function svc.lock_for_reserves from public;
