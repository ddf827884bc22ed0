-- Reads what the creations of transactions need: the stored answer of the key, the quote, its customer and accounts, with
-- the outcome of a request that ends here; one element for each request. p_is_key_ours tells which keys the caller has
-- locked. A stored answer is final, so it counts before the lock, which a replay in another process may hold. The share
-- locks keep other processes from stopping a customer or deleting an account before the commit.
create or replace function svc.read_creations(
  p_callers uuid[], p_reaches integer[], p_reach_sets text[], p_routes text[], p_keys text[], p_fingerprints bytea[],
  p_quote_ids uuid[], p_external_ids text[], p_is_key_ours boolean[], p_may_take_returned_funds boolean,
  p_moment timestamptz,
  out outcomes text[], out answers text[], out organization_ids uuid[], out customer_ids uuid[], out source_ids uuid[],
  out source_methods text[], out source_assets text[], out source_amounts numeric[], out has_instructions boolean[],
  out guaranteed_usd_cents numeric[], out ceilings_usd_cents numeric[], out reserve_kinds text[],
  out is_to_wallet boolean[], out destination_ids uuid[], out destination_methods text[], out usd_cents numeric[])
language plpgsql as $$
#variable_conflict use_column
begin
  select array_agg(case when outcome is not null then outcome
                        when customer.status is distinct from 'ACTIVE' then 'CUSTOMER_NOT_ACTIVE'
                        when not coalesce(allowed_methods @> array[source_method, destination_method], false)
                          then 'METHOD_NOT_AVAILABLE'
                        when returned.is_refused then 'TAKES_RETURNED_FUNDS'
                        when coalesce(source.status <> 'ACTIVE', returned.kind is null)
                             or destination.status is distinct from 'ACTIVE' then 'ACCOUNT_NOT_ACTIVE'
                        when p_external_ids[place] is not null and exists (
                               select from svc.transactions as named
                                where named.organization_id = quoted.organization_id
                                  and named.external_id = p_external_ids[place]) then 'EXTERNAL_ID_TAKEN'
                   end order by place),
         array_agg(answer order by place), array_agg(organization_id order by place),
         array_agg(customer_id order by place), array_agg(source_id order by place),
         array_agg(source_method order by place), array_agg(source_asset order by place),
         array_agg(source_amount order by place), array_agg(has_instructions order by place),
         array_agg(guaranteed_usd_cents order by place), array_agg(guarantee_ceiling_usd_cents order by place),
         array_agg(coalesce(source.kind, returned.kind) order by place), array_agg(destination.is_wallet order by place),
         array_agg(destination_id order by place), array_agg(destination_method order by place),
         array_agg(usd_cents order by place)
    into outcomes, answers, organization_ids, customer_ids, source_ids, source_methods, source_assets, source_amounts,
         has_instructions, guaranteed_usd_cents, ceilings_usd_cents, reserve_kinds, is_to_wallet, destination_ids,
         destination_methods, usd_cents
    from (select place, answer, organization_id, customer_id, source_id, source_method, source_asset, source_amount,
                 destination_id, destination_method, has_instructions, usd_cents, guaranteed_usd_cents,
                 guarantee_ceiling_usd_cents,
                 case when stored.fingerprint = wanted.fingerprint then 'REPLAYED'
                      when stored.fingerprint is not null then 'KEY_REUSED'
                      when not p_is_key_ours[place] then 'IN_PROGRESS'
                      when organization_id is null then 'NOT_FOUND'
                      when is_used then 'QUOTE_ALREADY_USED'
                      when p_moment >= expires_at then 'QUOTE_EXPIRED' end as outcome
            from unnest(p_callers, p_reaches, p_routes, p_keys, p_fingerprints, p_quote_ids)
                 with ordinality as wanted (caller, reach, route, key, fingerprint, wanted_id, place)
            left join lateral (
                 select fingerprint,
                        case when fingerprint = wanted.fingerprint then (
                          select data from svc.events as event where event.organization_id = key.resource_organization_id
                             and event.event_id = key.event_id) end as answer
                   from svc.idempotency_keys as key
                  where organization_id = wanted.caller and route = wanted.route and idempotency_key = wanted.key
                 offset 0) as stored on true
            left join lateral (
                 select organization_id, customer_id, source_payment_account_id as source_id, source_method,
                        source_asset, source_amount, destination_payment_account_id as destination_id,
                        destination_method, expires_at, usd_cents, guaranteed_usd_cents, guarantee_ceiling_usd_cents,
                        transfer_instructions is not null as has_instructions,
                        exists (select from svc.transactions as used
                                 where used.organization_id = quote.organization_id
                                   and used.quote_id = quote.quote_id) as is_used
                   from svc.quotes as quote
                  where organization_id = any(p_reach_sets[wanted.reach]::uuid[]) and quote_id = wanted.wanted_id
                 offset 0) as quote on true
           order by customer_id) as quoted
    left join lateral (
         select status, allowed_methods from svc.customers as customer where quoted.outcome is null
            and customer.organization_id = quoted.organization_id and customer.customer_id = quoted.customer_id
            for share) as customer on true
    left join lateral (
         select status, case payment_account_type when 'SVC_CRYPTO_WALLET' then 'WALLET' end as kind
           from svc.payment_accounts as account
          where quoted.outcome is null and account.organization_id = quoted.organization_id
            and account.payment_account_id = quoted.source_id for share) as source on true
    left join lateral (
         select kind, not p_may_take_returned_funds as is_refused from svc.ledger_accounts as account
          where quoted.outcome is null and source.status is null and account.organization_id = quoted.organization_id
            and account.account_id = quoted.source_id and kind = 'RETURNED_FUNDS') as returned on true
    left join lateral (
         select status, payment_account_type = 'SVC_CRYPTO_WALLET' as is_wallet from svc.payment_accounts as account
          where quoted.outcome is null and account.organization_id = quoted.organization_id
            and account.payment_account_id = quoted.destination_id for share) as destination on true;
end $$;

revoke execute on function svc.read_creations from public;
grant execute on function svc.read_creations to svc_app;
