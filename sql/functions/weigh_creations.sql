-- Weighs the requests that have no outcome yet against policies, in one read. Money that goes to a service wallet does not
-- leave: policies do not apply to it.
create or replace function svc.weigh_creations(
  p_outcomes text[], p_organization_ids uuid[], p_api_key_ids uuid[], p_customer_ids uuid[], p_destination_ids uuid[],
  p_methods text[], p_is_to_wallet boolean[], p_usd_cents numeric[], p_moment timestamptz)
returns svc.weighed_rules language plpgsql as $$
#variable_conflict use_column
declare
  weighed svc.weighed_rules;
  leaving uuid[] := p_organization_ids;
begin
  for place in 1..cardinality(p_outcomes) loop
    if p_outcomes[place] is not null or p_is_to_wallet[place] then leaving[place] := null; end if;
  end loop;
  select array_agg(place), array_agg(verdict), array_agg(concat_ws(' ', owner, kind, rule_id)),
         array_agg(case when verdict = 'COUNT' then counter_id end), array_agg(case when verdict = 'COUNT' then subject end),
         array_agg(case when verdict = 'COUNT' then concat(p_organization_ids[place], counter_id, subject) end),
         array_agg(remaining), array_agg(demand), array_agg(approval_lifetime)
    into weighed
    from (select place, verdict, owner, kind, rule_id, counter_id, subject, remaining, demand, approval_lifetime
            from svc.weigh_policies(leaving, p_api_key_ids, p_customer_ids, p_destination_ids, p_methods, p_usd_cents,
                                    p_moment)
           where verdict <> 'GO' offset 0) as weighed;
  return weighed;
end $$;

revoke execute on function svc.weigh_creations from public;
grant execute on function svc.weigh_creations to svc_app;
