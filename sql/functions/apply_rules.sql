-- Carries out what policies want of the transactions of these places: counts them, and opens their approvals.
-- Rules that want the approval of the same transaction share one.
create or replace function svc.apply_rules(
  p_places integer[], p_rules svc.weighed_rules, p_organization_ids uuid[], p_transaction_ids uuid[],
  p_api_key_ids uuid[], p_approval_ids uuid[], p_usd_cents numeric[], p_api_version text,
  p_moment timestamptz)
returns void language plpgsql as $$
#variable_conflict use_column
declare
  counted record;
  approved record;
begin
  if 'APPROVAL' = any(p_rules.verdicts) then
    select array_agg(p_organization_ids[place]) as organization_ids,
           array_agg(p_transaction_ids[place]) as transaction_ids,
           array_agg(p_approval_ids[place]) as approval_ids,
           array_agg(demand) as demands, array_agg(p_moment + lifetime) as expires_at, array_agg(p_api_key_ids[place]) as maker_key_ids
      into approved
      from unnest(p_rules.places, p_rules.verdicts, p_rules.demands, p_rules.approval_lifetimes)
           as rule (place, verdict, demand, lifetime)
     where verdict = 'APPROVAL' and place = any(p_places);
    if approved.demands is not null then
      perform svc.open_approvals(approved.organization_ids, approved.transaction_ids, approved.approval_ids,
                                 approved.demands, approved.expires_at, approved.maker_key_ids, p_api_version);
    end if;
  end if;
  -- The last step: from here on other callers wait for the counters.
  select array_agg(p_organization_ids[place]) as organization_ids, array_agg(counter_id) as counter_ids,
         array_agg(subject) as subjects, array_agg(p_usd_cents[place]) as usd_cents
    into counted
    from unnest(p_rules.places, p_rules.counter_ids, p_rules.subjects) as rule (place, counter_id, subject)
   where counter_id is not null and place = any(p_places);
  if counted.counter_ids is not null then
    perform svc.count_payments(counted.organization_ids, counted.counter_ids, counted.subjects, counted.usd_cents,
                               p_moment);
  end if;
end $$;

revoke execute on function svc.apply_rules from public;
grant execute on function svc.apply_rules to svc_app;
