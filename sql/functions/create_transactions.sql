-- Creates transactions from quotes, each once: key, quote, customer, accounts, money and event, in one call. Requests
-- may come from different organizations. Each has an outcome of its own, as if they had come one after the other:
--   CREATED, REPLAYED   the answer is there
--   TAKES_RETURNED_FUNDS   nothing has happened: the caller locks their causes first, and then makes the request alone
--   any other              nothing has happened: src/transactions/store.ts lists them
-- The call reads, decides in memory, and then writes: other callers wait for a hot wallet only briefly. When another
-- call uses a quote or spends the money in between, it raises SV002, which rolls back everything.
-- Locks: keys (without waiting), customers with accounts, guarantees, addresses (skipping locked ones), quotes, counters of
-- policies, balances.
-- Each subquery finds one row by its key. Cached plans never read a whole table that was empty when they were made.
-- p_reaches: the index in p_reach_sets of the organizations whose quotes the request may use.
create or replace function svc.create_transactions(
  p_callers uuid[], p_reaches integer[], p_reach_sets text[], p_routes text[], p_keys text[], p_fingerprints bytea[],
  p_quote_ids uuid[], p_transaction_ids uuid[], p_event_ids uuid[], p_reserve_ids uuid[], p_correlation_ids text[],
  p_messages text[], p_api_version text, p_event_type text, p_may_take_returned_funds boolean,
  p_api_key_ids uuid[], p_approval_ids uuid[], p_external_ids text[], p_metadata json[])
returns table (outcome text, answer text, refused_by text)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
#variable_conflict use_column
declare
  moment constant timestamptz := date_trunc('milliseconds', svc.now());
  -- One per request
  key_names text[]; is_key_ours boolean[];
  read record; -- svc.read_creations: reserve_kinds tell where the source is reserved, null when the customer sends it
  answers text[];
  rules svc.weighed_rules; -- what policies have against the requests
  decided record;
  created integer[]; -- the requests that create a transaction
begin
  select array_agg(name), array_agg(pg_try_advisory_xact_lock(hashtextextended(name, 0)))
    into key_names, is_key_ours
    from (select concat_ws(e'\x1f', 'idempotency key', caller, route, key) as name
            from unnest(p_callers, p_routes, p_keys) as wanted (caller, route, key)) as wanted;

  read := svc.read_creations(p_callers, p_reaches, p_reach_sets, p_routes, p_keys, p_fingerprints, p_quote_ids,
                             p_external_ids, is_key_ours, p_may_take_returned_funds, moment);
  answers := read.answers;
  if svc.has_rules(read.organization_ids, null) then
    rules := svc.weigh_creations(read.outcomes, read.organization_ids, p_api_key_ids, read.customer_ids,
                                 read.destination_ids, read.destination_methods, read.is_to_wallet, read.usd_cents,
                                 moment);
  end if;
  decided := svc.decide_creations(read.outcomes, key_names, p_fingerprints, p_quote_ids, p_transaction_ids,
                                  read.organization_ids, read.customer_ids, read.source_ids, read.source_methods,
                                  read.source_assets, read.source_amounts, read.has_instructions, read.reserve_kinds,
                                  read.guaranteed_usd_cents, read.ceilings_usd_cents, read.usd_cents, rules,
                                  p_external_ids);
  created := array_positions(decided.outcomes, 'CREATED');

  if created <> '{}' then
    answers := svc.insert_transactions(created, answers, p_callers, p_routes, p_keys, p_fingerprints,
                                       read.organization_ids, p_quote_ids, p_transaction_ids, p_event_ids,
                                       p_correlation_ids, p_messages, read.reserve_kinds, read.is_to_wallet,
                                       decided.addresses, p_api_version, p_event_type, moment, p_api_key_ids,
                                       p_approval_ids, rules, decided.first_rules, decided.last_rules, p_external_ids,
                                       p_metadata);
    if rules.places is not null then
      perform svc.apply_rules(created, rules, read.organization_ids, p_transaction_ids, p_api_key_ids, p_approval_ids,
                              read.usd_cents, p_api_version, moment);
    end if;
    perform svc.reserve_sources(created, read.reserve_kinds, read.organization_ids, p_reserve_ids, p_transaction_ids,
                                read.customer_ids, read.source_ids, read.source_assets, read.source_amounts);
  end if;

  for place in 1..cardinality(key_names) loop
    outcome := decided.outcomes[place];
    answer := case when outcome in ('CREATED', 'REPLAYED') then answers[place] end;
    refused_by := decided.refused_by[place];
    -- It repeats the key of a request that created in this call.
    if outcome = 'REPLAYED' and answer is null then
      answer := answers[(select first from unnest(created) as first where key_names[first] = key_names[place])];
    end if;
    return next;
  end loop;
end $$;

revoke execute on function svc.create_transactions from public;
grant execute on function svc.create_transactions to svc_app;
