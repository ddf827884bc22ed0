-- Locks the open guarantees of the organizations whose requests would add one, and returns, for each request, the sum
-- of its organization's open guarantees in cents; null for an organization without such a request. Until the end of
-- the database transaction, no other call adds a guarantee to these organizations. The lock is advisory: requests
-- without a guarantee between currencies never wait for it.
create or replace function svc.lock_guarantees(
  p_outcomes text[], p_organization_ids uuid[], p_guaranteed_usd_cents numeric[])
returns numeric[] language plpgsql as $$
#variable_conflict use_column
declare
  locked uuid[];
begin
  select array_agg(distinct organization_id order by organization_id) into locked
    from unnest(p_outcomes, p_organization_ids, p_guaranteed_usd_cents) as wanted (outcome, organization_id, usd_cents)
   where outcome is null and usd_cents is not null;
  if locked is null then return null; end if;
  perform pg_advisory_xact_lock(hashtextextended(format('guarantees of %s', organization_id), 0))
     from unnest(locked) as organization_id;
  -- A new statement, so that it sees what the previous holder of the lock has committed.
  return (
    select array_agg(case when organization_id = any(locked) then (
             select coalesce(sum(guaranteed_usd_cents), 0) from svc.transactions as transaction
              where transaction.organization_id = wanted.organization_id and guaranteed_usd_cents is not null
                and step in ('AWAIT', 'SCREEN', 'FROZEN')) end order by place)
      from unnest(p_organization_ids) with ordinality as wanted (organization_id, place));
end $$;

revoke execute on function svc.lock_guarantees from public;
grant execute on function svc.lock_guarantees to svc_app;
