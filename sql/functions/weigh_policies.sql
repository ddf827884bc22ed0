-- Weighs payments against the rules of their organizations' policies: one row for each payment and rule that applies to
-- it, in the order in which rules are evaluated (those of the platform first). Verdicts:
--   GO         the rule has nothing against it
--   REFUSE     the rule refuses it
--   COUNT      it takes its value from what remains of the rule's counter
--   APPROVAL   it needs an approval, as `demand` says
-- A child organization is bound by the platform's rules for its parent as well, with counters of its own. A rule about API
-- keys binds what these keys have led to: otherwise a key would get rid of it by creating another. A limit of each key adds
-- up what the first key of a lineage has led to, among the keys that the rule names.
-- A payment without an organization is left out. A rule about amounts refuses a payment whose value is not known. Reads
-- without locks: svc.count_payments decides what is counted.
-- PostgreSQL puts this function into the statement that calls it, and leaves out the columns that the caller does not read.
create or replace function svc.weigh_policies(
  p_organization_ids uuid[], p_api_key_ids uuid[], p_customer_ids uuid[], p_destination_ids uuid[], p_methods text[],
  p_usd_cents numeric[], p_moment timestamptz)
returns table (place integer, owner text, rule_id text, kind text, verdict text, counter_id uuid, subject uuid,
               remaining numeric, hour_used numeric, day_used numeric, month_used numeric, demand jsonb,
               approval_lifetime interval, rule_organization_id uuid)
language sql stable as $$
  -- Read once for all payments: the rules, whether their hours are quiet, and the counters of whole organizations.
  with bound as materialized (
    select organization.organization_id as payer_id, organization.parent_organization_id as parent_id, rule as whole,
           rule.organization_id, rule.owner, rule.rule_id, rule.position, rule.kind, rule.api_key_ids,
           rule.customer_ids, rule.destination_ids, rule.methods, rule.per, rule.transaction_max, rule.hour_max,
           rule.day_max, rule.month_max, rule.counter_id, rule.approval_above, rule.approval_lifetime,
           case when rule.kind = 'APPROVAL' then jsonb_strip_nulls(jsonb_build_object(
             'organizationId', rule.organization_id, 'owner', rule.owner, 'ruleId', rule.rule_id,
             'approvals', rule.approvals_needed, 'approvers', rule.approver_ids)) end as demand,
           case when rule.kind = 'QUIET_HOURS' then svc.is_quiet(rule, p_moment) end as is_quiet,
           started.hour as this_hour, started.day as this_day, started.month as this_month,
           case when total.hour_start >= started.hour then total.hour_used end as hour_used,
           case when total.day_start >= started.day then total.day_used end as day_used,
           case when total.month_start >= started.month then total.month_used end as month_used
      from svc.organizations as organization
     cross join (select date_trunc('hour', p_moment, 'UTC'), date_trunc('day', p_moment, 'UTC'),
                        date_trunc('month', p_moment, 'UTC') offset 0) as started (hour, day, month)
      join svc.policy_rules as rule
        on rule.organization_id = any(array[organization.organization_id, organization.parent_organization_id])
       and (rule.organization_id = organization.organization_id or rule.owner = 'PLATFORM') and rule.ended_at is null
      -- Within the subquery, a plan from when the table was empty cannot read the whole table either.
      left join lateral (
           select hour_start, hour_used, day_start, day_used, month_start, month_used from svc.policy_counters as counter
            where rule.per = 'ORGANIZATION' and counter.organization_id = organization.organization_id
              and counter.counter_id = rule.counter_id and counter.subject = organization.organization_id
           offset 0) as total on true
     where organization.organization_id = any(p_organization_ids))
  select payment.place, rule.owner, rule.rule_id, rule.kind,
         case rule.kind
           when 'KILL_SWITCH' then 'REFUSE'
           when 'LIMIT' then
             case when payment.usd_cents is null or payment.usd_cents > rule.transaction_max then 'REFUSE'
                  when coalesce(rule.hour_max, rule.day_max, rule.month_max) is null then 'GO' else 'COUNT' end
           when 'APPROVAL' then
             case when payment.usd_cents is null then 'REFUSE'
                  when payment.usd_cents > rule.approval_above then 'APPROVAL' else 'GO' end
           when 'QUIET_HOURS' then case when rule.is_quiet then 'REFUSE' else 'GO' end
           when 'DESTINATIONS' then
             case when svc.is_destination_ready(rule.whole, payment.organization_id, payment.destination_id, p_moment)
                  then 'GO' else 'REFUSE' end
         end,
         case when rule.kind = 'LIMIT' then rule.counter_id end, whose.subject,
         least(rule.hour_max - coalesce(used.hour, rule.hour_used, 0), rule.day_max - coalesce(used.day, rule.day_used, 0),
               rule.month_max - coalesce(used.month, rule.month_used, 0)),
         coalesce(used.hour, rule.hour_used), coalesce(used.day, rule.day_used), coalesce(used.month, rule.month_used),
         rule.demand, rule.approval_lifetime, rule.organization_id
    from (select place, p_organization_ids[place] as organization_id, p_api_key_ids[place] as api_key_id,
                 p_customer_ids[place] as customer_id, p_destination_ids[place] as destination_id,
                 p_methods[place] as method, p_usd_cents[place] as usd_cents
            from (select generate_series(1, cardinality(p_organization_ids)) as place offset 0) as places
         offset 0) as payment
    join bound as rule on rule.payer_id = payment.organization_id
     and (rule.customer_ids is null or payment.customer_id = any(rule.customer_ids))
     and (rule.destination_ids is null or payment.destination_id = any(rule.destination_ids))
     and (rule.methods is null or payment.method = any(rule.methods))
    -- The key may belong to the parent, which acts for its children.
    left join lateral (
         select key.lineage from svc.api_keys as key
          where (rule.api_key_ids is not null or rule.per = 'API_KEY') and key.api_key_id = payment.api_key_id
            and key.organization_id = any(array[payment.organization_id, rule.parent_id])
         offset 0) as caller on true
    cross join lateral (
         select case rule.per when 'ORGANIZATION' then payment.organization_id when 'CUSTOMER' then payment.customer_id
                              when 'DESTINATION' then svc.subject_of_destination(
                                rule.counter_id, payment.organization_id, payment.destination_id)
                              when 'API_KEY' then coalesce(
                                (select named from unnest(caller.lineage) with ordinality as led (named, place)
                                  where named = any(rule.api_key_ids) order by place limit 1),
                                caller.lineage[1], payment.api_key_id, '00000000-0000-0000-0000-000000000000')
                end offset 0) as whose (subject)
    left join lateral (
         select case when counter.hour_start >= rule.this_hour then counter.hour_used end,
                case when counter.day_start >= rule.this_day then counter.day_used end,
                case when counter.month_start >= rule.this_month then counter.month_used end
           from svc.policy_counters as counter
          where rule.per <> 'ORGANIZATION' and counter.organization_id = payment.organization_id
            and counter.counter_id = rule.counter_id and counter.subject = whose.subject
         offset 0) as used (hour, day, month) on true
   where rule.api_key_ids is null or payment.api_key_id = any(rule.api_key_ids) or caller.lineage && rule.api_key_ids
   order by payment.place, rule.owner desc, rule.organization_id = payment.organization_id, rule.position
$$;

revoke execute on function svc.weigh_policies from public;
grant execute on function svc.weigh_policies to svc_app;
