-- Records a payout that a key orders outside of a transaction, and counts it towards the limits of its policy. Answers the
-- rule that refuses it, or that demands an approval, which such a payout cannot wait for; nothing is recorded then.
create or replace function svc.order_payout(
  p_organization_id uuid, p_payout_id uuid, p_api_key_id uuid, p_customer_id uuid, p_account_id uuid, p_method text,
  p_usd_cents numeric)
returns text language plpgsql as $$
#variable_conflict use_column
declare
  moment constant timestamptz := date_trunc('milliseconds', svc.now());
  weighed record;
  exceeded text;
begin
  select array_agg(counter_id) filter (where verdict = 'COUNT') as counter_ids,
         array_agg(subject) filter (where verdict = 'COUNT') as subjects,
         (array_agg(concat_ws(' ', owner, kind, rule_id)) filter (
           where verdict in ('REFUSE', 'APPROVAL') or (verdict = 'COUNT' and remaining < p_usd_cents)))[1] as refusing
    into weighed
    from svc.weigh_policies(array[p_organization_id], array[p_api_key_id], array[p_customer_id], array[p_account_id],
                            array[p_method], array[p_usd_cents], moment);
  if weighed.refusing is not null then return weighed.refusing; end if;
  if weighed.counter_ids is not null then
    perform svc.count_payments(array_fill(p_organization_id, array[cardinality(weighed.counter_ids)]),
                               weighed.counter_ids, weighed.subjects,
                               array_fill(p_usd_cents, array[cardinality(weighed.counter_ids)]), moment);
  end if;
  insert into svc.ordered_payouts (organization_id, payout_id, api_key_id, usd_cents, counter_ids, counter_subjects,
         ordered_at)
  values (p_organization_id, p_payout_id, p_api_key_id, p_usd_cents, coalesce(weighed.counter_ids, '{}'),
         coalesce(weighed.subjects, '{}'), moment);
  return null;
exception when sqlstate 'SV002' then
  get stacked diagnostics exceeded = pg_exception_detail;
  return exceeded;
end $$;

revoke execute on function svc.order_payout from public;
grant execute on function svc.order_payout to svc_app;
