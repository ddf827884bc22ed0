-- Gives the value of a payment back to the counters that count it, as far as their hour, day or month is still the one in
-- which it was counted. The caller calls once for a payment. Sorted, like svc.count_payments.
create or replace function svc.give_back(
  p_organization_id uuid, p_counter_ids uuid[], p_subjects uuid[], p_usd_cents numeric, p_counted_at timestamptz)
returns void language plpgsql as $$
#variable_conflict use_column
declare
  taken record;
begin
  for taken in
    select counter_id, subject from unnest(p_counter_ids, p_subjects) as counted (counter_id, subject)
     order by counter_id, subject loop
    update svc.policy_counters as counter
       set hour_used = hour_used
             - case when hour_start = date_trunc('hour', p_counted_at, 'UTC') then p_usd_cents else 0 end,
           day_used = day_used
             - case when day_start = date_trunc('day', p_counted_at, 'UTC') then p_usd_cents else 0 end,
           month_used = month_used
             - case when month_start = date_trunc('month', p_counted_at, 'UTC') then p_usd_cents else 0 end
     where counter.organization_id = p_organization_id and counter.counter_id = taken.counter_id
       and counter.subject = taken.subject;
  end loop;
end $$;

revoke execute on function svc.give_back from public;
grant execute on function svc.give_back to svc_app;
