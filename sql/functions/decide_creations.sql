-- Decides the requests without an outcome one after the other: each key and quote is used once, and each transaction
-- lowers the balance and what remains of a policy's counters, and raises the open guarantees, that the next one finds.
-- Assigns a deposit address to each transaction that is paid on a chain. p_rules has what the policies have against the
-- requests (svc.weigh_creations); first_rules and last_rules are each transaction's part of it.
create or replace function svc.decide_creations(
  p_outcomes text[], p_key_names text[], p_fingerprints bytea[], p_quote_ids uuid[], p_transaction_ids uuid[],
  p_organization_ids uuid[], p_customer_ids uuid[], p_source_ids uuid[], p_source_methods text[],
  p_source_assets text[], p_source_amounts numeric[], p_has_instructions boolean[], p_reserve_kinds text[],
  p_guaranteed_usd_cents numeric[], p_ceilings_usd_cents numeric[], p_usd_cents numeric[], p_rules svc.weighed_rules,
  p_external_ids text[],
  out outcomes text[], out addresses text[], out refused_by text[], out first_rules integer[], out last_rules integer[])
language plpgsql as $$
#variable_conflict use_column
declare
  request_count constant integer := cardinality(p_outcomes);
  -- Indexed by the first place that names the key or quote
  created_by_key integer[] := array_fill(null::integer, array[request_count]);
  is_quote_used boolean[] := array_fill(false, array[request_count]);
  -- The balance is kept at the first place that names the wallet
  wallets text[];
  available numeric[];
  -- The open guarantees are kept at the first place that names the organization
  guaranteed numeric[];
  organization integer;
  same integer;
  -- The rules are sorted by place
  rule integer := 1;
  next_rule integer := 1;
  remaining numeric[] := p_rules.remaining;
  refused text;
  -- The external ids that requests of this call have used, with their organizations
  used_names text[] := '{}';
begin
  outcomes := p_outcomes;
  addresses := array_fill(null::text, array[request_count]);
  -- For a single request, svc.reserve_sources checks the balance. Returned funds are taken by single requests only.
  if request_count > 1 and 'WALLET' = any(p_reserve_kinds) then
    select array_agg(wallet order by place), array_agg(coalesce(spendable, 0) order by place)
      into wallets, available
      from (select place, organization_id, source_id::text as holder, asset, concat(source_id, asset) as wallet
              from unnest(p_organization_ids, p_source_ids, p_source_assets)
                   with ordinality as wanted (organization_id, source_id, asset, place)) as wanted
      left join lateral (
           select posted - reserved as spendable from svc.ledger_accounts as account
            where account.organization_id = wanted.organization_id and account.kind = 'WALLET'
              and account.holder = wanted.holder and account.asset = wanted.asset
           offset 0) as account on true;
  end if;

  if array_remove(p_guaranteed_usd_cents, null) <> '{}' then
    guaranteed := svc.lock_guarantees(p_outcomes, p_organization_ids, p_guaranteed_usd_cents);
  end if;
  for place in 1..request_count loop
    rule := next_rule;
    refused := null;
    while p_rules.places[next_rule] = place loop
      if refused is null
         and (p_rules.verdicts[next_rule] = 'REFUSE' or p_rules.verdicts[next_rule] = 'COUNT'
              and remaining[array_position(p_rules.counters, p_rules.counters[next_rule])] < p_usd_cents[place]) then
        refused := p_rules.names[next_rule];
      end if;
      next_rule := next_rule + 1;
    end loop;
    same := created_by_key[array_position(p_key_names, p_key_names[place])];
    if same is not null then
      outcomes[place] := case when p_fingerprints[same] = p_fingerprints[place] then 'REPLAYED' else 'KEY_REUSED' end;
    elsif outcomes[place] is not null then
      continue;
    elsif is_quote_used[array_position(p_quote_ids, p_quote_ids[place])] then
      outcomes[place] := 'QUOTE_ALREADY_USED';
    elsif concat(p_organization_ids[place], p_external_ids[place]) = any(used_names) then
      outcomes[place] := 'EXTERNAL_ID_TAKEN';
    elsif refused is not null then
      outcomes[place] := 'POLICY_REFUSED';
      refused_by[place] := refused;
    elsif p_reserve_kinds[place] is not null then
      same := array_position(wallets, wallets[place]);
      if available[same] < p_source_amounts[place] then
        outcomes[place] := 'INSUFFICIENT';
      elsif same is not null then
        available[same] := available[same] - p_source_amounts[place];
      end if;
    elsif guaranteed[array_position(p_organization_ids, p_organization_ids[place])] + p_guaranteed_usd_cents[place]
          > p_ceilings_usd_cents[place] then
      outcomes[place] := 'GUARANTEES_EXHAUSTED';
    elsif not p_has_instructions[place] then
      outcomes[place] := 'NO_INSTRUCTIONS';
    elsif p_source_assets[place] like '%/%' then
      addresses[place] := svc.assign_address(p_organization_ids[place], p_transaction_ids[place], p_customer_ids[place],
                                             p_source_methods[place]);
      outcomes[place] := case when addresses[place] is null then 'NO_ADDRESS' end;
    end if;
    if outcomes[place] is null then
      outcomes[place] := 'CREATED';
      created_by_key[array_position(p_key_names, p_key_names[place])] := place;
      is_quote_used[array_position(p_quote_ids, p_quote_ids[place])] := true;
      if p_external_ids[place] is not null then
        used_names := used_names || concat(p_organization_ids[place], p_external_ids[place]);
      end if;
      if p_guaranteed_usd_cents[place] is not null then
        organization := array_position(p_organization_ids, p_organization_ids[place]);
        guaranteed[organization] := guaranteed[organization] + p_guaranteed_usd_cents[place];
      end if;
      first_rules[place] := rule;
      last_rules[place] := next_rule - 1;
      for counted in rule..next_rule - 1 loop
        if p_rules.counters[counted] is not null then
          same := array_position(p_rules.counters, p_rules.counters[counted]);
          remaining[same] := remaining[same] - p_usd_cents[place];
        end if;
      end loop;
    end if;
  end loop;
end $$;

revoke execute on function svc.decide_creations from public;
grant execute on function svc.decide_creations to svc_app;
