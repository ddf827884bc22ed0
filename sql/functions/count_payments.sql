-- Adds payments to the counters of the rules that count them, sorted, in one statement. Raises SV002 with the rule when
-- another call has used up what one of them needs: from here on, other callers wait for these counters. A counter whose
-- hour, day or month has begun later than the payment's counts the payment in that.
create or replace function svc.count_payments(
  p_organization_ids uuid[], p_counter_ids uuid[], p_subjects uuid[], p_usd_cents numeric[], p_moment timestamptz)
returns void language plpgsql as $$
#variable_conflict use_column
declare
  this_hour constant timestamptz := date_trunc('hour', p_moment, 'UTC');
  this_day constant timestamptz := date_trunc('day', p_moment, 'UTC');
  this_month constant timestamptz := date_trunc('month', p_moment, 'UTC');
  exceeded text;
begin
  -- The maxima are read once for each counter, which may have many subjects.
  with maximum as materialized (
    select organization.organization_id, rule.counter_id, rule.owner, rule.kind, rule.rule_id, rule.position, rule.hour_max,
           rule.day_max, rule.month_max
      from svc.organizations as organization
      join svc.policy_rules as rule
        on rule.organization_id = any(array[organization.organization_id, organization.parent_organization_id])
       and rule.counter_id = any(p_counter_ids) and rule.ended_at is null
     where organization.organization_id = any(p_organization_ids)),
  counted as (
    insert into svc.policy_counters as counter (organization_id, counter_id, subject, hour_start, hour_used, day_start,
           day_used, month_start, month_used)
    select organization_id, counter_id, subject, this_hour, used, this_day, used, this_month, used
      from (select organization_id, counter_id, subject, sum(usd_cents) as used
              from unnest(p_organization_ids, p_counter_ids, p_subjects, p_usd_cents)
                   as payment (organization_id, counter_id, subject, usd_cents)
             group by organization_id, counter_id, subject
             order by organization_id, counter_id, subject) as payment
        on conflict (organization_id, counter_id, subject) do update
       set hour_start = greatest(counter.hour_start, excluded.hour_start),
           hour_used = excluded.hour_used
             + case when counter.hour_start >= excluded.hour_start then counter.hour_used else 0 end,
           day_start = greatest(counter.day_start, excluded.day_start),
           day_used = excluded.day_used
             + case when counter.day_start >= excluded.day_start then counter.day_used else 0 end,
           month_start = greatest(counter.month_start, excluded.month_start),
           month_used = excluded.month_used
             + case when counter.month_start >= excluded.month_start then counter.month_used else 0 end
    returning organization_id, counter_id, hour_used, day_used, month_used)
  select concat_ws(' ', rule.owner, rule.kind, rule.rule_id) into exceeded
    from counted
    join maximum as rule on rule.organization_id = counted.organization_id and rule.counter_id = counted.counter_id
   where counted.hour_used > rule.hour_max or counted.day_used > rule.day_max or counted.month_used > rule.month_max
   order by rule.owner desc, rule.position limit 1;
  if exceeded is not null then
    raise exception using errcode = 'SV002', message = 'POLICY_REFUSED', detail = exceeded;
  end if;
end $$;

revoke execute on function svc.count_payments from public;
grant execute on function svc.count_payments to svc_app;
