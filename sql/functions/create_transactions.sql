-- Creates transactions from quotes, each once: key, quote, customer, accounts, money and event, in one call. Requests
-- may come from different organizations. Each has an outcome of its own, as if they had come one after the other:
--   CREATED, REPLAYED   the answer is there
--   TAKES_RETURNED_FUNDS   nothing has happened: the caller locks their causes first, and then makes the request alone
--   any other              nothing has happened: src/transactions/store.ts lists them
-- The call reads, decides in memory, and then writes: other callers wait for a hot wallet only briefly. When another
-- call uses a quote or spends the money in between, it raises SV002, which rolls back everything.
-- Locks: keys (without waiting), customers with accounts, guarantees, addresses (skipping locked ones), quotes, balances.
-- Each subquery finds one row by its key. Cached plans never read a whole table that was empty when they were made.
-- p_reaches: the index in p_reach_sets of the organizations whose quotes the request may use.
create or replace function svc.create_transactions(
  p_callers uuid[], p_reaches integer[], p_reach_sets text[], p_routes text[], p_keys text[], p_fingerprints bytea[],
  p_quote_ids uuid[], p_transaction_ids uuid[], p_event_ids uuid[], p_reserve_ids uuid[], p_correlation_ids text[],
  p_messages text[], p_api_version text, p_event_type text, p_may_take_returned_funds boolean)
returns table (outcome text, answer text)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
#variable_conflict use_column
declare
  moment constant timestamptz := date_trunc('milliseconds', svc.now());
  -- One per request
  key_names text[]; is_key_ours boolean[];
  outcomes text[];
  organization_ids uuid[];
  customer_ids uuid[];
  source_ids uuid[]; source_methods text[]; source_assets text[]; source_amounts numeric[];
  has_instructions boolean[];
  guaranteed_usd_cents numeric[];
  ceilings_usd_cents numeric[];
  reserve_kinds text[]; -- where the source is reserved; null when the customer sends it
  is_to_wallet boolean[];
  answers text[];
  decided record;
  created integer[]; -- the requests that create a transaction
begin
  select array_agg(name), array_agg(pg_try_advisory_xact_lock(hashtextextended(name, 0)))
    into key_names, is_key_ours
    from (select json_build_array('idempotency key', caller, route, key)::text as name
            from unnest(p_callers, p_routes, p_keys) as wanted (caller, route, key)) as wanted;

  -- The share locks keep other processes from stopping a customer or deleting an account before the commit.
  select array_agg(case when outcome is not null then outcome
                        when customer.status is distinct from 'ACTIVE' then 'CUSTOMER_NOT_ACTIVE'
                        when not coalesce(allowed_methods @> array[source_method, destination_method], false)
                          then 'METHOD_NOT_AVAILABLE'
                        when returned.is_refused then 'TAKES_RETURNED_FUNDS'
                        when coalesce(source.status <> 'ACTIVE', returned.kind is null)
                             or destination.status is distinct from 'ACTIVE' then 'ACCOUNT_NOT_ACTIVE' end order by place),
         array_agg(answer order by place), array_agg(organization_id order by place),
         array_agg(customer_id order by place), array_agg(source_id order by place),
         array_agg(source_method order by place), array_agg(source_asset order by place),
         array_agg(source_amount order by place), array_agg(has_instructions order by place),
         array_agg(guaranteed_usd_cents order by place), array_agg(guarantee_ceiling_usd_cents order by place),
         array_agg(coalesce(source.kind, returned.kind) order by place), array_agg(destination.is_wallet order by place)
    into outcomes, answers, organization_ids, customer_ids, source_ids, source_methods, source_assets, source_amounts,
         has_instructions, guaranteed_usd_cents, ceilings_usd_cents, reserve_kinds, is_to_wallet
    from (select place, answer, organization_id, customer_id, source_id, source_method, source_asset, source_amount,
                 destination_id, destination_method, has_instructions, guaranteed_usd_cents, guarantee_ceiling_usd_cents,
                 case when not is_key_ours[place] then 'IN_PROGRESS'
                      when stored.fingerprint = wanted.fingerprint then 'REPLAYED'
                      when stored.fingerprint is not null then 'KEY_REUSED'
                      when organization_id is null then 'NOT_FOUND'
                      when is_used then 'QUOTE_ALREADY_USED'
                      when moment >= expires_at then 'QUOTE_EXPIRED' end as outcome
            from unnest(p_callers, p_reaches, p_routes, p_keys, p_fingerprints, p_quote_ids)
                 with ordinality as wanted (caller, reach, route, key, fingerprint, wanted_id, place)
            left join lateral (
                 select fingerprint, case when fingerprint = wanted.fingerprint then answer end as answer
                   from svc.idempotency_keys
                  where organization_id = wanted.caller and route = wanted.route and idempotency_key = wanted.key
                 offset 0) as stored on true
            left join lateral (
                 select organization_id, customer_id, source_payment_account_id as source_id, source_method,
                        source_asset, source_amount, destination_payment_account_id as destination_id,
                        destination_method, expires_at, guaranteed_usd_cents, guarantee_ceiling_usd_cents,
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

  decided := svc.decide_creations(outcomes, key_names, p_fingerprints, p_quote_ids, p_transaction_ids,
                                  organization_ids, customer_ids, source_ids, source_methods, source_assets,
                                  source_amounts, has_instructions, reserve_kinds, guaranteed_usd_cents,
                                  ceilings_usd_cents);
  created := array_positions(decided.outcomes, 'CREATED');

  if created <> '{}' then
    answers := svc.insert_transactions(created, answers, p_callers, p_routes, p_keys, p_fingerprints, organization_ids,
                                       p_quote_ids, p_transaction_ids, p_event_ids, p_correlation_ids, p_messages,
                                       reserve_kinds, is_to_wallet, decided.addresses, p_api_version, p_event_type,
                                       moment);
    perform svc.reserve_sources(created, reserve_kinds, organization_ids, p_reserve_ids, p_transaction_ids, customer_ids,
                                source_ids, source_assets, source_amounts);
  end if;

  for place in 1..cardinality(key_names) loop
    outcome := decided.outcomes[place];
    answer := case when outcome in ('CREATED', 'REPLAYED') then answers[place] end;
    -- It repeats the key of a request that created in this call.
    if outcome = 'REPLAYED' and answer is null then
      answer := answers[(select first from unnest(created) as first where key_names[first] = key_names[place])];
    end if;
    return next;
  end loop;
end $$;

revoke execute on function svc.create_transactions from public;
grant execute on function svc.create_transactions to svc_app;
