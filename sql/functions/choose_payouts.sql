-- Chooses the payouts that may start: all that need no liquidity, and those that liquidity covers. Money owed to a
-- customer (refunds, returns, repayments) takes it first, then the oldest payout, and last our own reserve. A payout that has lacked liquidity for
-- ten minutes keeps its place: no younger payout takes liquidity of the same holding. Locks the liquidity rows, sorted.
-- Each payout is read by its key ("limit 1"): without statistics the planner would read all payouts of the organization
-- for each of them.
create or replace function svc.choose_payouts(p_organization_ids uuid[], p_payout_ids uuid[])
returns table (organization_id uuid, payout_id uuid)
language plpgsql
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  account record;
  candidate record;
  remaining numeric;
  first_in_line uuid;
begin
  return query
  select payout.organization_id, payout.payout_id
    from unnest(p_organization_ids, p_payout_ids) as wanted (organization_id, payout_id)
   cross join lateral (
         select organization_id, payout_id, needs_liquidity from svc.payouts as read
          where read.organization_id = wanted.organization_id and read.payout_id = wanted.payout_id limit 1) as payout
   where not payout.needs_liquidity;
  for account in
    select liquidity.organization_id, holding, asset, available - costs - reversed as usable
      from svc.liquidity
     where (liquidity.organization_id, holding, asset) in (
             select payout.organization_id, payout.pays_from, payout.asset
               from unnest(p_organization_ids, p_payout_ids) as wanted (organization_id, payout_id)
              cross join lateral (
                    select organization_id, pays_from, asset, needs_liquidity from svc.payouts as read
                     where read.organization_id = wanted.organization_id and read.payout_id = wanted.payout_id
                     limit 1) as payout
              where payout.needs_liquidity
              group by payout.organization_id, payout.pays_from, payout.asset)
     order by liquidity.organization_id, holding, asset for no key update
  loop
    remaining := account.usable;
    first_in_line := svc.find_first_in_line(account.organization_id, account.holding, account.asset, null);
    for candidate in
      select payout.payout_id, payout.amount, payout.purpose in ('PAYOUT', 'REBALANCE') as is_payout
        from unnest(p_organization_ids, p_payout_ids) as wanted (organization_id, payout_id)
       cross join lateral (
             select organization_id, payout_id, amount, purpose, pays_from, asset, needs_liquidity from svc.payouts as read
              where read.organization_id = wanted.organization_id and read.payout_id = wanted.payout_id
              limit 1) as payout
       where payout.organization_id = account.organization_id and payout.pays_from = account.holding
         and payout.asset = account.asset and payout.needs_liquidity
       order by payout.purpose = 'REBALANCE', is_payout, payout.payout_id
    loop
      continue when candidate.amount > remaining or candidate.is_payout and candidate.payout_id > first_in_line;
      remaining := remaining - candidate.amount;
      if candidate.payout_id = first_in_line then
        first_in_line := svc.find_first_in_line(account.organization_id, account.holding, account.asset, first_in_line);
      end if;
      organization_id := account.organization_id;
      payout_id := candidate.payout_id;
      return next;
    end loop;
  end loop;
end $$;

revoke execute on function svc.choose_payouts from public;
grant execute on function svc.choose_payouts to svc_app;
