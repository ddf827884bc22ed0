-- Stores the first answers of requests with an idempotency key, which svc.claim_keys has locked. Null arrays store none.
create or replace function svc.keep_answers(
  p_callers uuid[], p_routes text[], p_keys text[], p_fingerprints bytea[], p_status integer, p_answers text[])
returns void language plpgsql as $$
#variable_conflict use_column
begin
  insert into svc.idempotency_keys (organization_id, route, idempotency_key, fingerprint, status, answer)
  select caller, route, key, fingerprint, p_status, answer
    from unnest(p_callers, p_routes, p_keys, p_fingerprints, p_answers)
         as answered (caller, route, key, fingerprint, answer);
end $$;

revoke execute on function svc.keep_answers from public;
grant execute on function svc.keep_answers to svc_app;
