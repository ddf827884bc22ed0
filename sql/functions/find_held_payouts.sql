-- Finds those of these payouts that wait for the end of a kill switch or of quiet hours. Only money that leaves waits:
-- refunds and returns to the payer, and movements of our own money, never do. One to another account leaves.
create or replace function svc.find_held_payouts(p_organization_ids uuid[], p_payout_ids uuid[])
returns table (payout_id uuid) language plpgsql stable as $$
#variable_conflict use_column
declare
  leaving record;
begin
  if not svc.has_rules(p_organization_ids, array['KILL_SWITCH', 'QUIET_HOURS']) then return; end if;
  select array_agg(payout.payout_id) as payout_ids, array_agg(payout.organization_id) as organization_ids,
         array_agg(coalesce(ordered.api_key_id, transaction.api_key_id)) as api_key_ids,
         array_agg(payout.customer_id) as customer_ids,
         array_agg(payout.payment_account_id) as account_ids, array_agg(payout.method) as methods
    into leaving
    from unnest(p_organization_ids, p_payout_ids) as wanted (organization_id, payout_id)
    join svc.payouts as payout on payout.organization_id = wanted.organization_id
     and payout.payout_id = wanted.payout_id
     and payout.purpose in ('PAYOUT', 'REPAYMENT', 'DISBURSEMENT', 'REFUND', 'RETURN')
    left join svc.transactions as transaction on transaction.organization_id = payout.organization_id
     and transaction.transaction_id = payout.transaction_id
    left join svc.ordered_payouts as ordered on ordered.organization_id = payout.organization_id
     and ordered.payout_id = payout.payout_id
   where not (payout.purpose = 'PAYOUT' and coalesce(transaction.is_to_wallet, false))
     and not (payout.purpose in ('REFUND', 'RETURN')
              and (payout.payment_account_id is null
                   or svc.is_to_payer(payout.organization_id, payout.transaction_id, payout.deposit_id,
                                      payout.payment_account_id)));
  return query
  select distinct leaving.payout_ids[place]
    from svc.weigh_policies(leaving.organization_ids, leaving.api_key_ids, leaving.customer_ids, leaving.account_ids,
                            leaving.methods, array_fill(null::numeric, array[coalesce(cardinality(leaving.payout_ids), 0)]),
                            svc.now())
   where kind in ('KILL_SWITCH', 'QUIET_HOURS') and verdict = 'REFUSE';
end $$;

revoke execute on function svc.find_held_payouts from public;
grant execute on function svc.find_held_payouts to svc_app;
