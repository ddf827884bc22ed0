-- Locks the customers and accounts of quotes, so that no other process stops a customer or deletes an account between
-- this read and the commit. Returns the outcome of each request that is refused for one of them.
create or replace function svc.hold_quote_parties(
  p_outcomes text[], p_organization_ids uuid[], p_customer_ids uuid[], p_source_ids uuid[], p_source_methods text[],
  p_destination_ids uuid[], p_destination_methods text[],
  out outcomes text[], out is_from_wallet boolean[], out is_to_wallet boolean[])
language plpgsql as $$
#variable_conflict use_column
begin
  select array_agg(case when outcome is not null then outcome
                        when status is distinct from 'ACTIVE' then 'CUSTOMER_NOT_ACTIVE'
                        when not coalesce(allowed_methods @> array[source_method, destination_method], false)
                          then 'METHOD_NOT_AVAILABLE' end order by place)
    into p_outcomes
    from (select place, outcome, organization_id, customer_id, source_method, destination_method
            from unnest(p_outcomes, p_organization_ids, p_customer_ids, p_source_methods, p_destination_methods)
                 with ordinality as quote (outcome, organization_id, customer_id, source_method, destination_method, place)
           order by customer_id) as wanted
    left join lateral (
         select status, allowed_methods from svc.customers as customer
          where wanted.outcome is null and customer.organization_id = wanted.organization_id
            and customer.customer_id = wanted.customer_id for share) as customer on true;
  select array_agg(coalesce(outcome, case when not are_active then 'ACCOUNT_NOT_ACTIVE' end) order by place),
         array_agg(is_from_wallet order by place), array_agg(is_to_wallet order by place)
    into outcomes, is_from_wallet, is_to_wallet
    from (select place, outcome, count(*) filter (where status = 'ACTIVE') = 2 as are_active,
                 bool_or(is_wallet) filter (where is_source) as is_from_wallet,
                 bool_or(is_wallet) filter (where not is_source) as is_to_wallet
            from (select place, outcome, organization_id, account_id, is_source
                    from unnest(p_outcomes, p_organization_ids, p_source_ids, p_destination_ids)
                         with ordinality as quote (outcome, organization_id, source_id, destination_id, place)
                   cross join lateral (values (source_id, true), (destination_id, false)) as side (account_id, is_source)
                   order by account_id) as wanted
            left join lateral (
                 select status, payment_account_type = 'SVC_CRYPTO_WALLET' as is_wallet
                   from svc.payment_accounts as account
                  where wanted.outcome is null and account.organization_id = wanted.organization_id
                    and account.payment_account_id = wanted.account_id for share) as account on true
           group by place, outcome) as accounts;
end $$;

revoke execute on function svc.hold_quote_parties from public;
grant execute on function svc.hold_quote_parties to svc_app;
