-- Many transactions in one call; and batches of the ledger that keep to the order of locks when one of them is refused.

-- In the order of their ids, as everybody does.
create function svc.lock_balances(p_organization_ids uuid[], p_kinds text[], p_holders text[], p_assets text[])
returns void language plpgsql as $$
#variable_conflict use_column
begin
  perform from (select distinct organization_id,
                       (select account_id from svc.ledger_accounts as account
                         where account.organization_id = wanted.organization_id and account.kind = wanted.kind
                           and account.holder = wanted.holder and account.asset = wanted.asset and keeps_balance)
                       as account_id
                  from unnest(p_organization_ids, p_kinds, p_holders, p_assets)
                       as wanted (organization_id, kind, holder, asset)
                 order by account_id) as wanted
    cross join lateral (
          select from svc.ledger_accounts as account
           where account.organization_id = wanted.organization_id and account.account_id = wanted.account_id
             for no key update) as locked;
end $$;

-- A batch in which somebody is refused is written one by one. Each of them alone keeps to the order of locks, but one
-- after the other they do not. So everything that they will lock is locked before, in the order of svc.post_together:
-- references, reserves, accounts, each sorted. A reference is locked by a row that is inserted and deleted again: whoever
-- comes with the same one waits until we are done.
create function svc.lock_for_postings(
  p_organization_ids uuid[], p_posting_ids uuid[], p_references text[], p_captures text[], p_entry_places integer[],
  p_kinds text[], p_holders text[], p_assets text[])
returns void language plpgsql as $$
#variable_conflict use_column
declare
  claimed uuid[];
begin
  with inserted as (
    insert into svc.postings (organization_id, posting_id, reference, fact, content_hash, created_at)
    select organization_id, posting_id, reference, '', '', svc.now()
      from unnest(p_organization_ids, p_posting_ids, p_references) as wanted (organization_id, posting_id, reference)
     order by organization_id, reference
        on conflict (organization_id, reference) do nothing
    returning posting_id)
  select array_agg(posting_id) into claimed from inserted;
  delete from svc.postings where organization_id = any(p_organization_ids) and posting_id = any(claimed);
  perform svc.open_ledger_accounts(
    (select array_agg(p_organization_ids[place] order by number)
       from unnest(p_entry_places) with ordinality as entry (place, number)),
    p_kinds, p_holders, p_assets);
  perform from (select organization_id, reference from unnest(p_organization_ids, p_captures)
                       as wanted (organization_id, reference)
                 where reference is not null order by organization_id, reference) as wanted
    cross join lateral (
          select from svc.reserves as reserve
           where reserve.organization_id = wanted.organization_id and reserve.reference = wanted.reference
             for update) as locked;
  perform svc.lock_balances(
    (select array_agg(p_organization_ids[place] order by number)
       from unnest(p_entry_places) with ordinality as entry (place, number)),
    p_kinds, p_holders, p_assets);
end $$;

create or replace function svc.post(
  p_organization_ids uuid[], p_posting_ids uuid[], p_references text[], p_facts text[], p_captures text[],
  p_entry_places integer[], p_kinds text[], p_holders text[], p_assets text[], p_amounts numeric[])
returns table (outcome text, posting_id uuid, raised_holders text[], raised_assets text[])
language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  first integer := 1;
  last integer;
begin
  if cardinality(p_posting_ids) > 1 then
    begin
      return query select outcome, posting_id, raised_holders, raised_assets
                     from svc.post_together(p_organization_ids, p_posting_ids, p_references, p_facts, p_captures,
                            p_entry_places, p_kinds, p_holders, p_assets, p_amounts);
      return;
    exception when sqlstate 'SV001' then null; -- somebody is refused: one by one, then
    end;
    perform svc.lock_for_postings(p_organization_ids, p_posting_ids, p_references, p_captures, p_entry_places, p_kinds,
              p_holders, p_assets);
  end if;
  for place in 1..cardinality(p_posting_ids) loop
    last := first;
    while p_entry_places[last] = place loop last := last + 1; end loop;
    return query select outcome, posting_id, raised_holders, raised_assets
                   from svc.post_together(p_organization_ids[place:place], p_posting_ids[place:place],
                          p_references[place:place], p_facts[place:place], p_captures[place:place],
                          array_fill(1, array[last - first]), p_kinds[first:last - 1], p_holders[first:last - 1],
                          p_assets[first:last - 1], p_amounts[first:last - 1]);
    first := last;
  end loop;
end $$;

-- As svc.lock_for_postings, for money that is set aside.
create function svc.lock_for_reserves(
  p_organization_ids uuid[], p_reserve_ids uuid[], p_references text[], p_kinds text[], p_holders text[],
  p_assets text[])
returns void language plpgsql as $$
#variable_conflict use_column
declare
  claimed uuid[];
begin
  with inserted as (
    insert into svc.reserves (organization_id, reserve_id, reference, account_id, amount, created_at)
    select organization_id, reserve_id, reference, reserve_id, 1, svc.now()
      from unnest(p_organization_ids, p_reserve_ids, p_references) as wanted (organization_id, reserve_id, reference)
     order by organization_id, reference
        on conflict (organization_id, reference) do nothing
    returning reserve_id)
  select array_agg(reserve_id) into claimed from inserted;
  delete from svc.reserves where organization_id = any(p_organization_ids) and reserve_id = any(claimed);
  perform svc.lock_balances(p_organization_ids, p_kinds, p_holders, p_assets);
end $$;

create or replace function svc.reserve(
  p_organization_ids uuid[], p_reserve_ids uuid[], p_references text[], p_kinds text[], p_holders text[],
  p_assets text[], p_amounts numeric[])
returns table (outcome text, reserve_id uuid)
language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  if cardinality(p_reserve_ids) > 1 then
    begin
      return query select outcome, reserve_id from svc.reserve_together(p_organization_ids, p_reserve_ids,
                            p_references, p_kinds, p_holders, p_assets, p_amounts);
      return;
    exception when sqlstate 'SV001' then null;
    end;
    perform svc.lock_for_reserves(p_organization_ids, p_reserve_ids, p_references, p_kinds, p_holders, p_assets);
  end if;
  for place in 1..cardinality(p_reserve_ids) loop
    return query select outcome, reserve_id from svc.reserve_together(p_organization_ids[place:place],
                          p_reserve_ids[place:place], p_references[place:place], p_kinds[place:place],
                          p_holders[place:place], p_assets[place:place], p_amounts[place:place]);
  end loop;
end $$;

revoke execute on function svc.lock_for_postings, svc.lock_balances, svc.lock_for_reserves from public;

-- A moment as JSON shows it.
create function svc.stamp(p_moment timestamptz) returns text language sql stable
return to_char(p_moment at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- What is answered, told and kept of a new transaction.
create function svc.show_new_transaction(
  p_transaction_id uuid, p_customer_id uuid, p_quote_id uuid, p_status text, p_correlation_id text, p_parts text,
  p_instructions text, p_moment timestamptz, p_expires_at timestamptz)
returns text language sql stable
return format('{"transactionId":"%s","customerId":"%s","quoteId":"%s","transactionStatus":"%s"',
              p_transaction_id, p_customer_id, p_quote_id, p_status)
    || coalesce(',"correlationId":' || to_json(p_correlation_id)::text, '')
    || ',' || p_parts
    || coalesce(',"transferInstructions":' || p_instructions, '')
    || format(',"createdAt":"%1$s","updatedAt":"%1$s"', svc.stamp(p_moment))
    || coalesce(',"expiresAt":"' || svc.stamp(p_expires_at) || '"', '')
    || format(',"statusHistory":[{"status":"%s","at":"%s"}],"labels":[]}', p_status, svc.stamp(p_moment));

-- A deposit address of its own for a transaction; null when none is free.
create function svc.take_address(p_organization_id uuid, p_transaction_id uuid, p_customer_id uuid, p_method text)
returns text language sql as $$
  with free as (
    select seed_id, kind, address_index from svc.wallet_addresses
     where kind = case p_method when 'SOLANA' then 'SOLANA' else 'EVM' end and taken_at is null and retired_at is null
     order by address_index limit 1 for update skip locked),
  taken as (
    update svc.wallet_addresses as pool set payment_account_id = p_transaction_id, taken_at = clock_timestamp()
      from free
     where pool.seed_id = free.seed_id and pool.kind = free.kind and pool.address_index = free.address_index
    returning pool.kind, pool.address)
  insert into svc.wallets (organization_id, payment_account_id, customer_id, kind, address)
  select p_organization_id, p_transaction_id, p_customer_id, kind, address from taken
  returning address
$$;

-- Makes a transaction of a quote, once: the key, the quote, customer, accounts, money and event, in one call.
--   CREATED, REPLAYED   the answer is there
--   KEY_REUSED, IN_PROGRESS, NOT_FOUND, QUOTE_EXPIRED, QUOTE_ALREADY_USED, CUSTOMER_NOT_ACTIVE, METHOD_NOT_AVAILABLE,
--   ACCOUNT_NOT_ACTIVE, NO_INSTRUCTIONS, NO_ADDRESS, INSUFFICIENT   nothing has happened
-- An outcome that is known only after something was written is raised as SV002, which undoes everything: another request
-- used the quote, or spent the money, at the same moment. Plans are made once, and never read a whole table because it
-- was empty when they were made.
create or replace function svc.create_transaction(
  p_caller uuid, p_organization_ids uuid[], p_route text, p_key text, p_fingerprint bytea,
  p_quote_id uuid, p_transaction_id uuid, p_event_id uuid, p_reserve_id uuid, p_correlation_id text, p_message text,
  p_api_version text, p_event_type text)
returns table (outcome text, answer text)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
#variable_conflict use_column
declare
  moment constant timestamptz := date_trunc('milliseconds', svc.now());
  stamp constant text := svc.stamp(moment);
  stored record;
  quote record;
  customer record;
  source record;
  destination record;
  reserved text;
  made_status text;
  made_expiry timestamptz;
  made_address text;
  made_message text;
  instructions text;
  shown text;
begin
  if not pg_try_advisory_xact_lock(hashtextextended(
       json_build_array('idempotency key', p_caller, p_route, p_key)::text, 0)) then
    return query select 'IN_PROGRESS', null::text;
    return;
  end if;
  select fingerprint, answer into stored from svc.idempotency_keys
   where organization_id = p_caller and route = p_route and idempotency_key = p_key;
  if found then
    return query select case when stored.fingerprint = p_fingerprint then 'REPLAYED' else 'KEY_REUSED' end,
                        case when stored.fingerprint = p_fingerprint then stored.answer end;
    return;
  end if;

  select * into quote from svc.quotes where organization_id = any(p_organization_ids) and quote_id = p_quote_id;
  if not found then
    return query select 'NOT_FOUND', null::text;
    return;
  end if;
  if exists (select from svc.transactions where organization_id = quote.organization_id and quote_id = p_quote_id) then
    return query select 'QUOTE_ALREADY_USED', null::text;
    return;
  end if;
  if moment >= quote.expires_at then
    return query select 'QUOTE_EXPIRED', null::text;
    return;
  end if;

  -- Held, so that nobody stops the customer or deletes an account between this look and the commit.
  select status, allowed_methods into customer from svc.customers
   where organization_id = quote.organization_id and customer_id = quote.customer_id for share;
  if customer.status is distinct from 'ACTIVE' then
    return query select 'CUSTOMER_NOT_ACTIVE', null::text;
    return;
  end if;
  if not coalesce(customer.allowed_methods @> array[quote.source_method, quote.destination_method], false) then
    return query select 'METHOD_NOT_AVAILABLE', null::text;
    return;
  end if;
  select status, payment_account_type = 'SVC_CRYPTO_WALLET' as is_wallet into source from svc.payment_accounts
   where organization_id = quote.organization_id and payment_account_id = quote.source_payment_account_id for share;
  select status, payment_account_type = 'SVC_CRYPTO_WALLET' as is_wallet into destination from svc.payment_accounts
   where organization_id = quote.organization_id and payment_account_id = quote.destination_payment_account_id for share;
  if source.status is distinct from 'ACTIVE' or destination.status is distinct from 'ACTIVE' then
    return query select 'ACCOUNT_NOT_ACTIVE', null::text;
    return;
  end if;

  if source.is_wallet then
    made_status := 'CREATED';
  else
    made_status := 'AWAITING_TRANSFER';
    made_expiry := moment + quote.transfer_window;
    if quote.transfer_instructions is null then
      return query select 'NO_INSTRUCTIONS', null::text;
      return;
    end if;
    if quote.source_asset like '%/%' then
      made_address := svc.take_address(quote.organization_id, p_transaction_id, quote.customer_id, quote.source_method);
      if made_address is null then
        return query select 'NO_ADDRESS', null::text;
        return;
      end if;
    else
      made_message := p_message;
    end if;
    instructions := replace(replace(quote.transfer_instructions, '$MESSAGE', coalesce(made_message, '')),
                            '$ADDRESS', coalesce(made_address, ''));
  end if;

  insert into svc.transactions (organization_id, transaction_id, customer_id, quote_id, status, correlation_id,
         source_payment_account_id, is_from_wallet, source_asset, source_method, source_amount,
         destination_payment_account_id, is_to_wallet, destination_asset, destination_method, destination_amount,
         exchange_rate, svc_fee, developer_fee, is_guaranteed, quote_expires_at, parts, transfer_instructions,
         transfer_message, transfer_address, status_history, step, due_at, created_at, updated_at, expires_at)
  values (quote.organization_id, p_transaction_id, quote.customer_id, p_quote_id, made_status, p_correlation_id,
         quote.source_payment_account_id, source.is_wallet, quote.source_asset, quote.source_method, quote.source_amount,
         quote.destination_payment_account_id, destination.is_wallet, quote.destination_asset, quote.destination_method,
         quote.destination_amount, quote.exchange_rate, quote.svc_fee, quote.developer_fee, quote.is_guaranteed,
         quote.expires_at, quote.transaction_parts, instructions, made_message, made_address,
         jsonb_build_array(jsonb_build_object('status', made_status, 'at', stamp)),
         case when source.is_wallet then 'SCREEN' else 'AWAIT' end, coalesce(made_expiry, moment), moment, moment,
         made_expiry)
      on conflict (organization_id, quote_id) do nothing;
  if not found then
    raise exception using errcode = 'SV002', message = 'QUOTE_ALREADY_USED';
  end if;

  shown := svc.show_new_transaction(p_transaction_id, quote.customer_id, p_quote_id, made_status, p_correlation_id,
             quote.transaction_parts, instructions, moment, made_expiry);
  insert into svc.events (organization_id, event_id, type, resource_id, resource_version, api_version, data, created_at)
  values (quote.organization_id, p_event_id, p_event_type, p_transaction_id::text, 1, p_api_version, shown, moment);
  insert into svc.idempotency_keys (organization_id, route, idempotency_key, fingerprint, status, answer)
  values (p_caller, p_route, p_key, p_fingerprint, 201, shown);

  -- Last, because everybody who spends from this wallet waits for its row from here on.
  if source.is_wallet then
    select reserve.outcome into reserved
      from svc.reserve(array[quote.organization_id], array[p_reserve_id],
             array[format('transaction:%s:source', p_transaction_id)], array['WALLET'],
             array[quote.source_payment_account_id::text], array[quote.source_asset], array[quote.source_amount]) as reserve;
    if reserved <> 'RESERVED' then
      raise exception using errcode = 'SV002', message = 'INSUFFICIENT';
    end if;
  end if;

  return query select 'CREATED', shown;
end $$;

-- Many of them in one call, which may be of different organizations. Each has an outcome of its own, the same as if they
-- had come one after the other. For one alone it costs a third more than svc.create_transaction.
-- Everything is looked up, then decided in memory, then written. Quotes and balances are not held meanwhile, so that
-- nobody waits for a hot wallet longer than he must. When somebody else was faster with one of them, the others' outcomes
-- may be wrong, too: SV002 undoes everything, and each has to be asked for alone.
-- Locks: keys (without waiting), customers, accounts, addresses (passing over what others hold), quotes, balances; each
-- sorted. Tables are read by subqueries that find one row by its key, whatever the estimate, and plans are made once.
-- p_reaches: for each, which of p_reach_sets holds the organizations whose quotes it may use.
create function svc.create_transactions(
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

revoke execute on function svc.stamp, svc.show_new_transaction, svc.take_address, svc.create_transactions from public;
grant execute on function svc.stamp, svc.show_new_transaction, svc.take_address, svc.create_transactions to svc_app;
