-- Many transactions in one call; and batches of the ledger that keep to the order of locks when one of them is refused.

-- In the order of their ids, as everybody does.
create function svc.lock_balances(p_organization_ids uuid[], p_kinds text[], p_holders text[], p_assets text[])
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

-- A batch in which somebody is refused is written one by one. Each of them alone keeps to the order of locks, but one
-- after the other they do not. So everything that they will lock is locked before, in the order of svc.post_together:
-- references, reserves, accounts, each sorted. A reference is locked by a row that is inserted and deleted again: whoever
-- comes with the same one waits until we are done.
create function svc.lock_for_postings(
  p_organization_ids uuid[], p_posting_ids uuid[], p_references text[], p_captures text[], p_entry_places integer[],
  p_kinds text[], p_holders text[], p_assets text[])
returns void language plpgsql as $$
#variable_conflict use_column
declare
  claimed uuid[];
begin
  with inserted as (
    insert into svc.postings (organization_id, posting_id, reference, fact, content_hash, created_at)
    select organization_id, posting_id, reference, '', '', svc.now()
      from unnest(p_organization_ids, p_posting_ids, p_references) as wanted (organization_id, posting_id, reference)
     order by organization_id, reference
        on conflict (organization_id, reference) do nothing
    returning posting_id)
  select array_agg(posting_id) into claimed from inserted;
  delete from svc.postings where organization_id = any(p_organization_ids) and posting_id = any(claimed);
  perform svc.open_ledger_accounts(
    (select array_agg(p_organization_ids[place] order by number)
       from unnest(p_entry_places) with ordinality as entry (place, number)),
    p_kinds, p_holders, p_assets);
  perform from (select organization_id, reference from unnest(p_organization_ids, p_captures)
                       as wanted (organization_id, reference)
                 where reference is not null order by organization_id, reference) as wanted
    cross join lateral (
          select from svc.reserves as reserve
           where reserve.organization_id = wanted.organization_id and reserve.reference = wanted.reference
             for update) as locked;
  perform svc.lock_balances(
    (select array_agg(p_organization_ids[place] order by number)
       from unnest(p_entry_places) with ordinality as entry (place, number)),
    p_kinds, p_holders, p_assets);
end $$;

create or replace function svc.post(
  p_organization_ids uuid[], p_posting_ids uuid[], p_references text[], p_facts text[], p_captures text[],
  p_entry_places integer[], p_kinds text[], p_holders text[], p_assets text[], p_amounts numeric[])
returns table (outcome text, posting_id uuid, raised_holders text[], raised_assets text[])
language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  first integer := 1;
  last integer;
begin
  if cardinality(p_posting_ids) > 1 then
    begin
      return query select outcome, posting_id, raised_holders, raised_assets
                     from svc.post_together(p_organization_ids, p_posting_ids, p_references, p_facts, p_captures,
                            p_entry_places, p_kinds, p_holders, p_assets, p_amounts);
      return;
    exception when sqlstate 'SV001' then null; -- somebody is refused: one by one, then
    end;
    perform svc.lock_for_postings(p_organization_ids, p_posting_ids, p_references, p_captures, p_entry_places, p_kinds,
              p_holders, p_assets);
  end if;
  for place in 1..cardinality(p_posting_ids) loop
    last := first;
    while p_entry_places[last] = place loop last := last + 1; end loop;
    return query select outcome, posting_id, raised_holders, raised_assets
                   from svc.post_together(p_organization_ids[place:place], p_posting_ids[place:place],
                          p_references[place:place], p_facts[place:place], p_captures[place:place],
                          array_fill(1, array[last - first]), p_kinds[first:last - 1], p_holders[first:last - 1],
                          p_assets[first:last - 1], p_amounts[first:last - 1]);
    first := last;
  end loop;
end $$;

-- As svc.lock_for_postings, for money that is set aside.
create function svc.lock_for_reserves(
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

create or replace function svc.reserve(
  p_organization_ids uuid[], p_reserve_ids uuid[], p_references text[], p_kinds text[], p_holders text[],
  p_assets text[], p_amounts numeric[])
returns table (outcome text, reserve_id uuid)
language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  if cardinality(p_reserve_ids) > 1 then
    begin
      return query select outcome, reserve_id from svc.reserve_together(p_organization_ids, p_reserve_ids,
                            p_references, p_kinds, p_holders, p_assets, p_amounts);
      return;
    exception when sqlstate 'SV001' then null;
    end;
    perform svc.lock_for_reserves(p_organization_ids, p_reserve_ids, p_references, p_kinds, p_holders, p_assets);
  end if;
  for place in 1..cardinality(p_reserve_ids) loop
    return query select outcome, reserve_id from svc.reserve_together(p_organization_ids[place:place],
                          p_reserve_ids[place:place], p_references[place:place], p_kinds[place:place],
                          p_holders[place:place], p_assets[place:place], p_amounts[place:place]);
  end loop;
end $$;

revoke execute on function svc.lock_for_postings, svc.lock_balances, svc.lock_for_reserves from public;
