-- Two answers of the ledger that were not the whole truth. What it writes is as before.

-- A reference that was reserved before and captured or released since used to be REPLAYED, and whoever read that went on
-- as if the money were set aside. Now it is
--   RESOLVED  the reference was reserved before, and nothing is set aside under it any more
create or replace function svc.reserve_together(
  p_organization_ids uuid[], p_reserve_ids uuid[], p_references text[], p_kinds text[], p_holders text[],
  p_assets text[], p_amounts numeric[])
returns table (outcome text, reserve_id uuid)
language plpgsql as $$
#variable_conflict use_column
declare
  asked constant integer := cardinality(p_reserve_ids);
  moment constant timestamptz := svc.now();
  claimed integer;
  account_ids uuid[];
  wanted record;
begin
  select array_agg((select account_id from svc.ledger_accounts as account
                     where account.organization_id = wanted.organization_id and account.kind = wanted.kind
                       and account.holder = wanted.holder and account.asset = wanted.asset and keeps_balance)
                   order by place)
    into account_ids
    from unnest(p_organization_ids, p_kinds, p_holders, p_assets)
         with ordinality as wanted (organization_id, kind, holder, asset, place);
  -- An account that nobody has opened has nothing.
  if array_position(account_ids, null) is not null then
    if asked > 1 then raise exception using errcode = 'SV001', message = 'INSUFFICIENT'; end if;
    return query select case when reserve.reserve_id is null then 'INSUFFICIENT' else 'CONFLICT' end, reserve.reserve_id
                   from (select 1) as one
                   left join svc.reserves as reserve
                     on organization_id = p_organization_ids[1] and reference = p_references[1];
    return;
  end if;

  with inserted as (
    insert into svc.reserves (organization_id, reserve_id, reference, account_id, amount, created_at)
    select organization_id, reserve_id, reference, account_id, amount, moment
      from unnest(p_organization_ids, p_reserve_ids, p_references, account_ids, p_amounts)
           as wanted (organization_id, reserve_id, reference, account_id, amount)
     order by organization_id, reference
        on conflict (organization_id, reference) do nothing
    returning reserve_id)
  select count(*) into claimed from inserted;
  if claimed < asked then
    if asked > 1 then raise exception using errcode = 'SV001', message = 'REPLAYED'; end if;
    return query select case when account_id <> account_ids[1] or amount <> p_amounts[1] then 'CONFLICT'
                             when status <> 'OPEN' then 'RESOLVED' else 'REPLAYED' end, reserve.reserve_id
                   from svc.reserves as reserve
                  where organization_id = p_organization_ids[1] and reference = p_references[1];
    return;
  end if;

  -- In the order of the accounts, and each only if it has that much.
  for wanted in select organization_id, account_id, sum(amount) as amount
                  from unnest(p_organization_ids, account_ids, p_amounts) as wanted (organization_id, account_id, amount)
                 group by organization_id, account_id order by account_id loop
    update svc.ledger_accounts as account set reserved = reserved + wanted.amount
     where account.organization_id = wanted.organization_id and account.account_id = wanted.account_id
       and posted - reserved >= wanted.amount;
    if not found then
      if asked > 1 then raise exception using errcode = 'SV001', message = 'INSUFFICIENT'; end if;
      delete from svc.reserves where organization_id = p_organization_ids[1] and reserve_id = p_reserve_ids[1];
      return query select 'INSUFFICIENT', null::uuid;
      return;
    end if;
  end loop;
  return query select 'RESERVED', id from unnest(p_reserve_ids) with ordinality as given (id, place) order by place;
end $$;

-- A reference that was named twice in a long call could be UNKNOWN the second time: a loop fetches its rows a few at a time,
-- and a row that it has updated meanwhile is passed over. Sorted by place, they are all locked and read before the first
-- one is updated.
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
  for reserved in
      select place, organization_id, reserve_id, account_id, amount, status
        from (select place::integer, organization_id, reference
                from unnest(p_organization_ids, p_references) with ordinality as wanted (organization_id, reference, place)
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
