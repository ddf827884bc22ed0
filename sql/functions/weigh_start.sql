-- Weighs a transaction against the policies of its organization before its payout is created: WAIT during a kill switch
-- or quiet hours, REFUSE when a rule refuses what it allowed before, APPROVAL when rules demand approvals, which it may
-- have (approvals lists them), else GO. What counters have is not looked at: the
-- transaction was counted when it was created. Money that goes to a service wallet does not leave.
create or replace function svc.weigh_start(
  p_organization_id uuid, p_transaction_id uuid, out verdict text, out approvals jsonb)
language plpgsql stable as $$
#variable_conflict use_column
declare
  payment record;
begin
  verdict := 'GO';
  if not svc.has_rules(array[p_organization_id], null) then return; end if;
  select transaction.api_key_id, transaction.customer_id, transaction.destination_payment_account_id as account_id,
         transaction.destination_method as method, quote.usd_cents
    into payment
    from svc.transactions as transaction
    join svc.quotes as quote on quote.organization_id = transaction.organization_id
     and quote.quote_id = transaction.quote_id
   where transaction.organization_id = p_organization_id and transaction.transaction_id = p_transaction_id
     and not transaction.is_to_wallet;
  if not found then return; end if;
  select case when bool_or(weighed.verdict = 'REFUSE' and kind in ('KILL_SWITCH', 'QUIET_HOURS')) then 'WAIT'
              when bool_or(weighed.verdict = 'REFUSE') then 'REFUSE'
              when bool_or(weighed.verdict = 'APPROVAL') then 'APPROVAL' else 'GO' end,
         jsonb_agg(demand || jsonb_build_object('expiresAt', svc.format_time(svc.now() + approval_lifetime)))
           filter (where weighed.verdict = 'APPROVAL')
    into verdict, approvals
    from svc.weigh_policies(array[p_organization_id], array[payment.api_key_id], array[payment.customer_id],
                            array[payment.account_id], array[payment.method], array[payment.usd_cents], svc.now())
         as weighed;
end $$;

revoke execute on function svc.weigh_start from public;
grant execute on function svc.weigh_start to svc_app;
