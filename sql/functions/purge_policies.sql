-- Deletes rules that ended, and counters whose month ended, more than a day ago: at most this many of each. Answers how
-- many. Processes cannot delete rows themselves. No payment misses them: a rule that is set anew begins anew, and a counter
-- without a row is at zero.
create or replace function svc.purge_policies(p_limit integer) returns bigint
language sql security definer set search_path = pg_catalog, pg_temp as $$
  with ended as (
    delete from svc.policy_rules as rule
     using (select organization_id, owner, rule_id from svc.policy_rules
             where ended_at < svc.now() - interval '1 day' order by ended_at limit p_limit) as old
     where rule.organization_id = old.organization_id and rule.owner = old.owner and rule.rule_id = old.rule_id
       and rule.ended_at < svc.now() - interval '1 day'
    returning 1),
  spent as (
    delete from svc.policy_counters as counter
     using (select organization_id, counter_id, subject from svc.policy_counters
             where month_start < date_trunc('month', svc.now() - interval '1 day', 'UTC')
             order by month_start limit p_limit) as old
     where counter.organization_id = old.organization_id and counter.counter_id = old.counter_id
       and counter.subject = old.subject
       and counter.month_start < date_trunc('month', svc.now() - interval '1 day', 'UTC')
    returning 1)
  select (select count(*) from ended) + (select count(*) from spent)
$$;

revoke execute on function svc.purge_policies from public;
grant execute on function svc.purge_policies to svc_app;
