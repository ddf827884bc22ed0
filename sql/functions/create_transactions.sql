create or replace function svc.create_transactions(
  p_callers uuid[], p_reaches integer[], p_reach_sets text[], p_routes text[], p_keys text[], p_fingerprints bytea[],
  p_quote_ids uuid[], p_transaction_ids uuid[], p_event_ids uuid[], p_reserve_ids uuid[], p_correlation_ids text[],
  p_messages text[], p_api_version text, p_event_type text)
returns table (outcome text, answer text)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
#variable_conflict use_column
declare
  asked constant integer := cardinality(p_quote_ids);
  moment constant timestamptz := date_trunc('milliseconds', svc.now());
  stamp constant text := svc.stamp(moment);
  -- Of each place
  is_key_ours boolean[];
  outcomes text[];
  organization_ids uuid[];
  customer_ids uuid[];
  source_ids uuid[];
  source_methods text[];
  source_assets text[];
  source_amounts numeric[];
  destination_ids uuid[];
  destination_methods text[];
  has_instructions boolean[];
  is_from_wallet boolean[];
  is_to_wallet boolean[];
  addresses text[] := array_fill(null::text, array[asked]);
  -- The first place with the same key, quote or wallet; and of that one: who made it, whether it is used, what it has
  same_keys integer[];
  same_quotes integer[];
  same_wallets integer[];
  made_by_key integer[] := array_fill(null::integer, array[asked]);
  is_quote_used boolean[] := array_fill(false, array[asked]);
  available numeric[];
  -- The places that make a transaction, those of them that reserve, and what is answered to the first
  made integer[] := '{}';
  reserving integer[] := '{}';
  answers text[];
begin
  select array_agg(pg_try_advisory_xact_lock(hashtextextended(
           json_build_array('idempotency key', caller, route, key)::text, 0)) order by place)
    into is_key_ours
    from unnest(p_callers, p_routes, p_keys) with ordinality as wanted (caller, route, key, place);

  select array_agg(case when not is_key_ours[place] then 'IN_PROGRESS'
                        when stored.fingerprint = wanted.fingerprint then 'REPLAYED'
                        when stored.fingerprint is not null then 'KEY_REUSED'
                        when organization_id is null then 'NOT_FOUND'
                        when is_used then 'QUOTE_ALREADY_USED'
                        when moment >= expires_at then 'QUOTE_EXPIRED' end order by place),
         array_agg(same_key order by place), array_agg(same_quote order by place),
         array_agg(organization_id order by place), array_agg(customer_id order by place),
         array_agg(source_payment_account_id order by place), array_agg(source_method order by place),
         array_agg(source_asset order by place), array_agg(source_amount order by place),
         array_agg(destination_payment_account_id order by place), array_agg(destination_method order by place),
         array_agg(is_told order by place)
    into outcomes, same_keys, same_quotes, organization_ids, customer_ids, source_ids, source_methods, source_assets,
         source_amounts, destination_ids, destination_methods, has_instructions
    from (select place::integer, caller, reach, route, key, fingerprint, quote_id,
                 min(place) over (partition by caller, route, key)::integer as same_key,
                 min(place) over (partition by quote_id)::integer as same_quote
            from unnest(p_callers, p_reaches, p_routes, p_keys, p_fingerprints, p_quote_ids)
                 with ordinality as wanted (caller, reach, route, key, fingerprint, quote_id, place)) as wanted
    left join lateral (
         select fingerprint from svc.idempotency_keys
          where organization_id = wanted.caller and route = wanted.route and idempotency_key = wanted.key
         offset 0) as stored on true
    left join lateral (
         select organization_id, customer_id, source_payment_account_id, source_method, source_asset, source_amount,
                destination_payment_account_id, destination_method, expires_at,
                transfer_instructions is not null as is_told,
                exists (select from svc.transactions as used
                         where used.organization_id = quote.organization_id and used.quote_id = quote.quote_id) as is_used
           from svc.quotes as quote
          where organization_id = any(p_reach_sets[wanted.reach]::uuid[]) and quote_id = wanted.quote_id
         offset 0) as quote on true;

  -- Held, so that nobody stops a customer or deletes an account between this look and the commit.
  select array_agg(case when outcomes[place] is not null then outcomes[place]
                        when status is distinct from 'ACTIVE' then 'CUSTOMER_NOT_ACTIVE'
                        when not coalesce(allowed_methods @> array[source_method, destination_method], false)
                          then 'METHOD_NOT_AVAILABLE' end order by place)
    into outcomes
    from (select place::integer, organization_id, customer_id, source_method, destination_method
            from unnest(organization_ids, customer_ids, source_methods, destination_methods)
                 with ordinality as quote (organization_id, customer_id, source_method, destination_method, place)
           order by customer_id) as wanted
    left join lateral (
         select status, allowed_methods from svc.customers as customer
          where outcomes[wanted.place] is null and customer.organization_id = wanted.organization_id
            and customer.customer_id = wanted.customer_id for share) as customer on true;
  select array_agg(coalesce(outcomes[place], case when not are_active then 'ACCOUNT_NOT_ACTIVE' end) order by place),
         array_agg(is_from_wallet order by place), array_agg(is_to_wallet order by place)
    into outcomes, is_from_wallet, is_to_wallet
    from (select place, count(*) filter (where status = 'ACTIVE') = 2 as are_active,
                 bool_or(is_wallet) filter (where is_source) as is_from_wallet,
                 bool_or(is_wallet) filter (where not is_source) as is_to_wallet
            from (select place::integer, organization_id, account_id, is_source
                    from unnest(organization_ids, source_ids, destination_ids)
                         with ordinality as quote (organization_id, source_id, destination_id, place)
                   cross join lateral (values (source_id, true), (destination_id, false)) as side (account_id, is_source)
                   order by account_id) as wanted
            left join lateral (
                 select status, payment_account_type = 'SVC_CRYPTO_WALLET' as is_wallet from svc.payment_accounts as account
                  where outcomes[wanted.place] is null and account.organization_id = wanted.organization_id
                    and account.payment_account_id = wanted.account_id for share) as account on true
           group by place) as accounts;

  if true = any(is_from_wallet) then
    select array_agg(same_wallet order by place), array_agg(coalesce(spendable, 0) order by place)
      into same_wallets, available
      from (select place, organization_id, source_id, asset,
                   min(place) over (partition by organization_id, source_id, asset)::integer as same_wallet
              from unnest(organization_ids, source_ids, source_assets)
                   with ordinality as wanted (organization_id, source_id, asset, place)) as wanted
      left join lateral (
           select posted - reserved as spendable from svc.ledger_accounts as account
            where account.organization_id = wanted.organization_id and account.kind = 'WALLET'
              and account.holder = wanted.source_id::text and account.asset = wanted.asset
           offset 0) as account on true;
  end if;

  for place in 1..asked loop
    if made_by_key[same_keys[place]] is not null then
      outcomes[place] := case when p_fingerprints[made_by_key[same_keys[place]]] = p_fingerprints[place] then 'REPLAYED'
                              else 'KEY_REUSED' end;
    elsif outcomes[place] is null and is_quote_used[same_quotes[place]] then
      outcomes[place] := 'QUOTE_ALREADY_USED';
    elsif outcomes[place] is null and is_from_wallet[place] then
      if available[same_wallets[place]] < source_amounts[place] then
        outcomes[place] := 'INSUFFICIENT';
      else
        available[same_wallets[place]] := available[same_wallets[place]] - source_amounts[place];
        reserving := reserving || place;
      end if;
    elsif outcomes[place] is null and not has_instructions[place] then
      outcomes[place] := 'NO_INSTRUCTIONS';
    elsif outcomes[place] is null and source_assets[place] like '%/%' then
      addresses[place] := svc.take_address(organization_ids[place], p_transaction_ids[place], customer_ids[place],
                                           source_methods[place]);
      outcomes[place] := case when addresses[place] is null then 'NO_ADDRESS' end;
    end if;
    if outcomes[place] is null then
      outcomes[place] := 'CREATED';
      made := made || place;
      made_by_key[same_keys[place]] := place;
      is_quote_used[same_quotes[place]] := true;
    end if;
  end loop;

  if made <> '{}' then
    with inserted as (
      insert into svc.transactions (organization_id, transaction_id, customer_id, quote_id, status, correlation_id,
             source_payment_account_id, is_from_wallet, source_asset, source_method, source_amount,
             destination_payment_account_id, is_to_wallet, destination_asset, destination_method, destination_amount,
             exchange_rate, svc_fee, developer_fee, is_guaranteed, quote_expires_at, parts, transfer_instructions,
             transfer_message, transfer_address, status_history, step, due_at, created_at, updated_at, expires_at)
      select quote.organization_id, p_transaction_ids[place], quote.customer_id, quote.quote_id, status,
             p_correlation_ids[place], quote.source_payment_account_id, is_from_wallet[place], quote.source_asset,
             quote.source_method, quote.source_amount, quote.destination_payment_account_id, is_to_wallet[place],
             quote.destination_asset, quote.destination_method, quote.destination_amount, quote.exchange_rate,
             quote.svc_fee, quote.developer_fee, quote.is_guaranteed, quote.expires_at, quote.transaction_parts,
             replace(replace(instructions, '$MESSAGE', coalesce(message, '')), '$ADDRESS', coalesce(addresses[place], '')),
             message, addresses[place], jsonb_build_array(jsonb_build_object('status', status, 'at', stamp)),
             case when is_from_wallet[place] then 'SCREEN' else 'AWAIT' end, coalesce(deadline, moment), moment, moment,
             deadline
        from (select place, organization_ids[place] as organization_id, p_quote_ids[place] as quote_id,
                     case when is_from_wallet[place] then 'CREATED' else 'AWAITING_TRANSFER' end as status,
                     case when not is_from_wallet[place] and addresses[place] is null then p_messages[place] end as message
                from unnest(made) as place order by organization_id, quote_id) as wanted
       cross join lateral (
             select quote.organization_id, quote.quote_id, customer_id, source_payment_account_id, source_asset,
                    source_method, source_amount, destination_payment_account_id, destination_asset, destination_method,
                    destination_amount, exchange_rate, svc_fee, developer_fee, is_guaranteed, expires_at,
                    transaction_parts,
                    case when not is_from_wallet[place] then transfer_instructions end as instructions,
                    case when not is_from_wallet[place] then moment + transfer_window end as deadline
               from svc.quotes as quote
              where quote.organization_id = wanted.organization_id and quote.quote_id = wanted.quote_id
             offset 0) as quote
          on conflict (organization_id, quote_id) do nothing
      returning transaction_id, customer_id, quote_id, status, correlation_id, parts, transfer_instructions, expires_at)
    select array_agg(svc.show_new_transaction(transaction_id, customer_id, quote_id, status, correlation_id, parts,
                       transfer_instructions, moment, expires_at) order by array_position(p_transaction_ids, transaction_id))
      into answers
      from inserted;
    if cardinality(answers) is distinct from cardinality(made) then
      raise exception using errcode = 'SV002', message = 'QUOTE_ALREADY_USED';
    end if;
    insert into svc.events (organization_id, event_id, type, resource_id, resource_version, api_version, data,
           created_at)
    select organization_ids[place], p_event_ids[place], p_event_type, p_transaction_ids[place]::text, 1, p_api_version,
           shown, moment
      from unnest(made, answers) as made (place, shown);
    insert into svc.idempotency_keys (organization_id, route, idempotency_key, fingerprint, status, answer)
    select p_callers[place], p_routes[place], p_keys[place], p_fingerprints[place], 201, shown
      from unnest(made, answers) as made (place, shown);
  end if;

  -- Last, because everybody who spends from one of these wallets waits for its row from here on.
  if reserving <> '{}' then
    perform from (select array_agg(organization_ids[place] order by number) as organization_ids,
                         array_agg(p_reserve_ids[place] order by number) as reserve_ids,
                         array_agg(format('transaction:%s:source', p_transaction_ids[place]) order by number) as names,
                         array_agg('WALLET'::text) as kinds, array_agg(source_ids[place]::text order by number) as holders,
                         array_agg(source_assets[place] order by number) as assets,
                         array_agg(source_amounts[place] order by number) as amounts
                    from unnest(reserving) with ordinality as wanted (place, number)) as wanted
      cross join lateral svc.reserve(wanted.organization_ids, wanted.reserve_ids, names, kinds, holders, assets, amounts)
                 as reserve
      where reserve.outcome <> 'RESERVED';
    if found then
      raise exception using errcode = 'SV002', message = 'INSUFFICIENT';
    end if;
  end if;

  return query
    select outcomes[place],
           case outcomes[place] when 'CREATED' then answers[array_position(made, place)]
                when 'REPLAYED' then (
                  select answer from svc.idempotency_keys
                   where organization_id = p_callers[place] and route = p_routes[place]
                     and idempotency_key = p_keys[place]) end
      from generate_series(1, asked) as place order by place;
end $$;

revoke execute on function svc.create_transactions from public;
grant execute on function svc.create_transactions to svc_app;
