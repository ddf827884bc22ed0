-- Locks an idempotency key until the end of the database transaction; false when another one holds it.
create or replace function svc.lock_key(p_organization_id uuid, p_route text, p_key text) returns boolean
language sql begin atomic
  select pg_try_advisory_xact_lock(
           hashtextextended(concat_ws(e'\x1f', 'idempotency key', p_organization_id, p_route, p_key), 0));
end;

revoke execute on function svc.lock_key from public;
grant execute on function svc.lock_key to svc_app;
