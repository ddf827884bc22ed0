-- Business time: the time of quotes, transactions, rules, schedules and document dates. Leases, locks and credentials
-- use clock_timestamp().
create or replace function svc.now() returns timestamptz language sql stable parallel safe as $$
  select coalesce(clock.frozen_at, now() + clock.ahead) from svc.clock
$$;

revoke execute on function svc.now from public;
grant execute on function svc.now to svc_app, svc_signer;
