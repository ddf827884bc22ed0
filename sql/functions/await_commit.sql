-- Waits until the snapshot is no longer the one that the caller has seen: a process has committed. It looks after each
-- step, and ends after the last one. Counts steps instead of reading a clock, which can be set back.
create or replace function svc.await_commit(p_seen text, p_step_ms integer, p_steps integer) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  found_now text := pg_current_snapshot()::text;
begin
  -- Without a snapshot the caller only wants to know the present one.
  if p_seen is null then
    return found_now;
  end if;
  for step in 1..p_steps loop
    perform pg_sleep(p_step_ms / 1000.0);
    found_now := pg_current_snapshot()::text;
    exit when found_now <> p_seen;
  end loop;
  return found_now;
end $$;

revoke execute on function svc.await_commit from public;
grant execute on function svc.await_commit to svc_app, svc_signer;
