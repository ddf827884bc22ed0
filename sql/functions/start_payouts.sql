-- Starts those of the claimed payouts that need no liquidity or get it, and records the attempt. From here on, only the
-- rail knows whether money moves. The others wait. A payout that another worker has claimed since, one without a seal,
-- one whose asset a check has halted, one that a policy holds, one whose customer owes a reversed deposit and one of
-- recalled money since the worker looked, is left out.
create or replace function svc.start_payouts(
  p_organization_ids uuid[], p_payout_ids uuid[], p_fences bigint[], p_from text[], p_to text, p_recheck_seconds integer
) returns table (organization_id uuid, payout_id uuid, attempts integer)
language plpgsql
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  held_organizations uuid[];
  held_payouts uuid[];
  chosen_organizations uuid[];
  chosen_payouts uuid[];
  recalled_payouts uuid[] = '{}';
  policy_held constant uuid[] = array(select payout_id from svc.find_held_payouts(p_organization_ids, p_payout_ids));
begin
  if exists (select from svc.bank_recalls where status in ('OPEN', 'ACCEPTED'))
     or exists (select from svc.deposit_reversals as reversal
                 where reversal.organization_id = any (p_organization_ids) and reversal.status = 'OPEN') then
    recalled_payouts = array(select payout_id from svc.recalled_payouts(p_organization_ids, p_payout_ids));
  end if;

  select array_agg(organization_id), array_agg(payout_id) into held_organizations, held_payouts
    from (select organization_id, payout_id, fence
            from unnest(p_organization_ids, p_payout_ids, p_fences) as claimed (organization_id, payout_id, fence)
           order by organization_id, payout_id) as claimed
   cross join lateral (
         select from svc.payouts as payout
          where payout.organization_id = claimed.organization_id and payout.payout_id = claimed.payout_id
            and payout.fence = claimed.fence and payout.status = any(p_from)
            and payout.seal is not null and payout.contradicted_at is null
            and payout.payout_id <> all(recalled_payouts) and payout.payout_id <> all(policy_held)
            and not exists (select from svc.payout_halts as halt
                             where halt.resumed_at is null and (halt.asset is null or halt.asset = payout.asset))
            and (payout.payment_account_id is null or not exists (
                 select from svc.deposit_reversals as reversal
                  where reversal.organization_id = payout.organization_id
                    and reversal.customer_id = payout.customer_id and reversal.status = 'OPEN'))
            for no key update of payout) as held;

  -- The last locks: liquidity.
  select array_agg(organization_id), array_agg(payout_id) into chosen_organizations, chosen_payouts
    from svc.choose_payouts(held_organizations, held_payouts);

  update svc.payouts as payout
     set due_at = (select svc.now()) + p_recheck_seconds * interval '1 second', lease_until = null, asks = asks + 1,
         lacks_liquidity_since = coalesce(lacks_liquidity_since, (select svc.now()))
    from unnest(held_organizations, held_payouts) as held (organization_id, payout_id)
   where payout.organization_id = held.organization_id and payout.payout_id = held.payout_id
     and not exists (select from unnest(chosen_organizations, chosen_payouts) as chosen (organization_id, payout_id)
                      where chosen.organization_id = held.organization_id and chosen.payout_id = held.payout_id);

  return query
  with started as (
    update svc.payouts as payout set status = p_to, attempts = attempts + 1, asks = 0, lacks_liquidity_since = null
      from unnest(chosen_organizations, chosen_payouts) as chosen (organization_id, payout_id)
     where payout.organization_id = chosen.organization_id and payout.payout_id = chosen.payout_id
    returning payout.organization_id, payout.payout_id, payout.attempts),
  noted as (
    insert into svc.payout_attempts (organization_id, payout_id, attempt, at, outcome)
    select organization_id, payout_id, attempts, (select svc.now()), 'STARTED' from started)
  select organization_id, payout_id, attempts from started;

  update svc.liquidity as liquidity set available = available - taken.amount
    from (select payout.organization_id, payout.pays_from, payout.asset, sum(payout.amount) as amount
            from unnest(chosen_organizations, chosen_payouts) as chosen (organization_id, payout_id)
           cross join lateral (
                 select organization_id, pays_from, asset, amount, needs_liquidity from svc.payouts as read
                  where read.organization_id = chosen.organization_id and read.payout_id = chosen.payout_id
                  limit 1) as payout
           where payout.needs_liquidity group by payout.organization_id, payout.pays_from, payout.asset) as taken
   where liquidity.organization_id = taken.organization_id and liquidity.holding = taken.pays_from
     and liquidity.asset = taken.asset;
end $$;

revoke execute on function svc.start_payouts from public;
grant execute on function svc.start_payouts to svc_app;
