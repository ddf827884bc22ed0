-- Reserves money of customers: it stays theirs, and only a capture can spend it. Each reserve's outcome:
--   RESERVED      set aside now
--   REPLAYED      the reference was reserved before, the same amount of the same account
--   RESOLVED      the reference was reserved before, and its reserve is no longer open
--   CONFLICT      the reference was reserved before, with another account or amount
--   INSUFFICIENT  less than the amount is available
create or replace function svc.reserve(
  p_organization_ids uuid[], p_reserve_ids uuid[], p_references text[], p_kinds text[], p_holders text[],
  p_assets text[], p_amounts numeric[])
returns table (outcome text, reserve_id uuid)
language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  written record;
begin
  if cardinality(p_reserve_ids) > 1 then
    begin
      written := svc.reserve_together(p_organization_ids, p_reserve_ids, p_references, p_kinds, p_holders, p_assets,
                                      p_amounts);
      return query select outcome, id from unnest(written.outcomes, written.reserve_ids) as reserve (outcome, id);
      return;
    exception when sqlstate 'SV001' then null; -- one is refused: the loop below writes them one by one
    end;
    perform svc.lock_for_reserves(p_organization_ids, p_reserve_ids, p_references, p_kinds, p_holders, p_assets);
  end if;
  for place in 1..cardinality(p_reserve_ids) loop
    written := svc.reserve_together(p_organization_ids[place:place], p_reserve_ids[place:place],
                                    p_references[place:place], p_kinds[place:place], p_holders[place:place],
                                    p_assets[place:place], p_amounts[place:place]);
    outcome := written.outcomes[1];
    reserve_id := written.reserve_ids[1];
    return next;
  end loop;
end $$;

revoke execute on function svc.reserve from public;
grant execute on function svc.reserve to svc_app;
