-- Deletes the oldest webhook attempts that are older than this many days, and answers how many. Processes cannot delete
-- rows themselves. Never deletes an attempt of the last four days: its delivery may still be retried.
create or replace function svc.expire_webhook_attempts(p_days integer, p_limit integer) returns bigint
language sql security definer set search_path = pg_catalog, pg_temp as $$
  with gone as (
    delete from svc.webhook_attempts as attempt
     using (select organization_id, delivery_id, attempt from svc.webhook_attempts
             where attempted_at < svc.now() - greatest(p_days, 4) * interval '1 day'
             order by attempted_at limit p_limit) as old
     where attempt.organization_id = old.organization_id and attempt.delivery_id = old.delivery_id
       and attempt.attempt = old.attempt
    returning attempt.organization_id),
  counted as (
    update svc.webhook_attempt_totals as total set attempts = total.attempts - expired.attempts
      from (select organization_id, count(*) as attempts from gone group by organization_id) as expired
     where total.organization_id = expired.organization_id)
  select count(*) from gone
$$;

revoke execute on function svc.expire_webhook_attempts from public;
grant execute on function svc.expire_webhook_attempts to svc_app;
