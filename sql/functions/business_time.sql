-- Translates a moment of real time into business time.
create or replace function svc.business_time(p_real timestamptz) returns timestamptz
language sql stable parallel safe as $$
  select coalesce(frozen_at, p_real + ahead) from svc.clock_moves
   where moved_at <= p_real order by move_id desc limit 1
$$;

revoke execute on function svc.business_time from public;
grant execute on function svc.business_time to svc_app;
