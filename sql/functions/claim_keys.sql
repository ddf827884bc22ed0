-- Locks idempotency keys until the end of the database transaction, and finds what is stored for each. A null key has no
-- row. A key that is not ours and has nothing stored belongs to a request that is still running. The second read has a
-- snapshot of its own, so it sees what the previous holder of a lock has stored.
create or replace function svc.claim_keys(p_callers uuid[], p_routes text[], p_keys text[])
returns table (place bigint, is_ours boolean, fingerprint bytea, status smallint, answer text, sealed_answer bytea,
  data_key_id uuid, data_key_organization_id uuid)
language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  are_ours boolean[];
begin
  select array_agg(case when key is not null then svc.lock_key(caller, route, key) end order by place)
    into are_ours
    from unnest(p_callers, p_routes, p_keys) with ordinality as wanted (caller, route, key, place);
  return query
    select place, are_ours[place], stored.fingerprint, stored.status, stored.answer, stored.sealed_answer,
           stored.data_key_id, stored.data_key_organization_id
      from unnest(p_callers, p_routes, p_keys) with ordinality as wanted (caller, route, key, place)
      left join lateral (
           select fingerprint, status, answer, sealed_answer, data_key_id, data_key_organization_id
             from svc.idempotency_keys
            where organization_id = wanted.caller and route = wanted.route and idempotency_key = wanted.key
           offset 0) as stored on true
     where key is not null;
end $$;

revoke execute on function svc.claim_keys from public;
grant execute on function svc.claim_keys to svc_app;
