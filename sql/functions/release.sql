-- Releases reserves to their accounts. Each reserve's outcome:
--   RELEASED  released now
--   REPLAYED  was released before
--   CAPTURED  was captured before, and stays so
--   UNKNOWN   there is no such reserve
-- holder, asset: of the wallet that the money was reserved in.
create or replace function svc.release(p_organization_ids uuid[], p_references text[])
returns table (outcome text, holder text, asset text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  moment constant timestamptz := svc.now();
  outcomes text[] := array_fill('UNKNOWN'::text, array[cardinality(p_references)]);
  account_ids uuid[] := array_fill(null::uuid, array[cardinality(p_references)]);
  amounts numeric[] := array_fill(0::numeric, array[cardinality(p_references)]);
  reserved record;
  freed record;
begin
  -- The sort by place locks and reads all reserves before the first update: the loop fetches a few rows at a time, and
  -- would skip the second mention of a reference that it has updated meanwhile.
  for reserved in
      select place, organization_id, reserve_id, account_id, amount, status
        from (select place::integer, organization_id, reference
                from unnest(p_organization_ids, p_references)
                     with ordinality as wanted (organization_id, reference, place)
               order by organization_id, reference, place) as wanted
       cross join lateral (
             select reserve_id, account_id, amount, status from svc.reserves as reserve
              where reserve.organization_id = wanted.organization_id and reserve.reference = wanted.reference
                for update) as locked
       order by place loop
    update svc.reserves set status = 'RELEASED', resolved_at = moment
     where organization_id = reserved.organization_id and reserve_id = reserved.reserve_id and status = 'OPEN';
    if found then amounts[reserved.place] := reserved.amount; end if;
    outcomes[reserved.place] :=
      case when found then 'RELEASED' when reserved.status = 'CAPTURED' then 'CAPTURED' else 'REPLAYED' end;
    account_ids[reserved.place] := reserved.account_id;
  end loop;
  for freed in
      select organization_id, account_id, sum(amount) as amount
        from unnest(p_organization_ids, account_ids, amounts) as freed (organization_id, account_id, amount)
       where amount > 0 group by organization_id, account_id order by account_id loop
    update svc.ledger_accounts set reserved = reserved - freed.amount
     where organization_id = freed.organization_id and account_id = freed.account_id;
  end loop;
  return query
    select wanted.outcome, account.holder, account.asset::text
      from unnest(p_organization_ids, outcomes, account_ids)
           with ordinality as wanted (organization_id, outcome, account_id, place)
      left join lateral (
           select account.holder, account.asset from svc.ledger_accounts as account
            where account.organization_id = wanted.organization_id and account.account_id = wanted.account_id
              and account.kind = 'WALLET' offset 0) as account on true
     order by place;
end $$;

revoke execute on function svc.release from public;
grant execute on function svc.release to svc_app;
