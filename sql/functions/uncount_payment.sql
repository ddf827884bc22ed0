-- Gives the value of a transaction whose money does not leave back to the counters of policies. The caller has locked the
-- transaction, and calls once.
create or replace function svc.uncount_payment(p_organization_id uuid, p_transaction_id uuid)
returns void language plpgsql as $$
begin
  perform svc.give_back(p_organization_id, transaction.counter_ids, transaction.counter_subjects, quote.usd_cents,
                        transaction.created_at)
     from svc.transactions as transaction
     join svc.quotes as quote on quote.organization_id = transaction.organization_id
      and quote.quote_id = transaction.quote_id
    where transaction.organization_id = p_organization_id and transaction.transaction_id = p_transaction_id
      and transaction.counter_ids is not null;
end $$;

revoke execute on function svc.uncount_payment from public;
grant execute on function svc.uncount_payment to svc_app;
