-- Follows money from its causes (deposits, and transactions that they paid for): each disbursement and conversion that
-- takes money of a cause is a cause of its own, because that money comes back to it. Answers all of them.
create or replace function svc.follow_money(p_organization_id uuid, p_causes uuid[]) returns setof uuid
language sql stable set search_path = pg_catalog, pg_temp as $$
  with recursive causes (cause_id) as (
    select cause_id from unnest(p_causes) as cause (cause_id) where cause_id is not null
    union
    select taking.taking_id from causes
     cross join lateral (
           select part.transaction_id as taking_id from svc.conversion_parts as part
            where part.organization_id = p_organization_id and part.cause_id = causes.cause_id
            union all
           select part.disbursement_id from svc.disbursement_parts as part
            where part.organization_id = p_organization_id and part.cause_id = causes.cause_id) as taking)
  select cause_id from causes
$$;

revoke execute on function svc.follow_money from public;
grant execute on function svc.follow_money to svc_app;
