-- Writes all of these reserves or none, as svc.post_together does for postings. svc.reserve lists the outcomes.
create or replace function svc.reserve_together(
  p_organization_ids uuid[], p_reserve_ids uuid[], p_references text[], p_kinds text[], p_holders text[],
  p_assets text[], p_amounts numeric[], out outcomes text[], out reserve_ids uuid[])
language plpgsql as $$
#variable_conflict use_column
declare
  reserve_count constant integer := cardinality(p_reserve_ids);
  moment constant timestamptz := svc.now();
  claimed integer;
  account_ids uuid[];
  -- Each account once, in the order of their ids, and what is reserved of it
  distinct_organizations uuid[] := p_organization_ids;
  distinct_accounts uuid[];
  sums numeric[] := p_amounts;
begin
  select array_agg((select account_id from svc.ledger_accounts as account
                     where account.organization_id = wanted.organization_id and account.kind = wanted.kind
                       and account.holder = wanted.holder and account.asset = wanted.asset and keeps_balance))
    into account_ids
    from unnest(p_organization_ids, p_kinds, p_holders, p_assets) as wanted (organization_id, kind, holder, asset);
  -- An account that was never opened is empty.
  if array_position(account_ids, null) is not null then
    if reserve_count > 1 then raise exception using errcode = 'SV001', message = 'INSUFFICIENT'; end if;
    select array[case when reserve_id is null then 'INSUFFICIENT' else 'CONFLICT' end], array[reserve_id]
      into outcomes, reserve_ids
      from (select 1) as one
      left join svc.reserves on organization_id = p_organization_ids[1] and reference = p_references[1];
    return;
  end if;

  insert into svc.reserves (organization_id, reserve_id, reference, account_id, amount, created_at)
  select organization_id, reserve_id, reference, account_id, amount, moment
    from unnest(p_organization_ids, p_reserve_ids, p_references, account_ids, p_amounts)
         as wanted (organization_id, reserve_id, reference, account_id, amount)
   order by organization_id, reference
      on conflict (organization_id, reference) do nothing;
  get diagnostics claimed = row_count;
  if claimed < reserve_count then
    if reserve_count > 1 then raise exception using errcode = 'SV001', message = 'REPLAYED'; end if;
    select array[case when account_id <> account_ids[1] or amount <> p_amounts[1] then 'CONFLICT'
                      when status <> 'OPEN' then 'RESOLVED' else 'REPLAYED' end], array[reserve_id]
      into outcomes, reserve_ids
      from svc.reserves where organization_id = p_organization_ids[1] and reference = p_references[1];
    return;
  end if;

  -- Reserves in the order of the accounts, and only where enough is available.
  distinct_accounts := account_ids;
  if reserve_count > 1 then
    select array_agg(organization_id order by account_id), array_agg(account_id order by account_id),
           array_agg(amount order by account_id)
      into distinct_organizations, distinct_accounts, sums
      from (select organization_id, account_id, sum(amount) as amount
              from unnest(p_organization_ids, account_ids, p_amounts) as wanted (organization_id, account_id, amount)
             group by organization_id, account_id) as wanted;
  end if;
  for place in 1..cardinality(distinct_accounts) loop
    update svc.ledger_accounts as account set reserved = reserved + sums[place]
     where account.organization_id = distinct_organizations[place] and account.account_id = distinct_accounts[place]
       and posted - reserved >= sums[place];
    if not found then
      if reserve_count > 1 then raise exception using errcode = 'SV001', message = 'INSUFFICIENT'; end if;
      delete from svc.reserves where organization_id = p_organization_ids[1] and reserve_id = p_reserve_ids[1];
      outcomes := '{INSUFFICIENT}';
      reserve_ids := '{null}';
      return;
    end if;
  end loop;
  outcomes := array_fill('RESERVED'::text, array[reserve_count]);
  reserve_ids := p_reserve_ids;
end $$;

revoke execute on function svc.reserve_together from public;
