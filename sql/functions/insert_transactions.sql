-- Inserts the transactions of these places with the terms of their quotes, their events, and their keys. The event has
-- the answer to the key.
-- Returns the answers with those of the new transactions. Raises SV002 when another call has used one of the quotes,
-- and a unique violation when another call has used one of the external ids.
create or replace function svc.insert_transactions(
  p_places integer[], p_answers text[], p_callers uuid[], p_routes text[], p_keys text[], p_fingerprints bytea[],
  p_organization_ids uuid[], p_quote_ids uuid[], p_transaction_ids uuid[], p_event_ids uuid[], p_correlation_ids text[],
  p_messages text[], p_reserve_kinds text[], p_is_to_wallet boolean[], p_addresses text[], p_api_version text,
  p_event_type text, p_moment timestamptz, p_api_key_ids uuid[], p_approval_ids uuid[], p_rules svc.weighed_rules,
  p_first_rules integer[], p_last_rules integer[], p_external_ids text[], p_metadata json[])
returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  inserted record;
  inserted_count integer := 0;
  has_approvals constant boolean := 'APPROVAL' = any(p_rules.verdicts);
begin
  for inserted in
    with inserted as (
      insert into svc.transactions as transaction (organization_id, transaction_id, customer_id, quote_id, status,
             correlation_id, source_payment_account_id, is_from_wallet, is_from_returned_funds, source_asset,
             source_method, source_amount, destination_payment_account_id, is_to_wallet, destination_asset,
             destination_method, destination_amount, exchange_rate, svc_fee, developer_fee, is_guaranteed,
             guaranteed_until, guaranteed_usd_cents, quote_expires_at, api_key_id, counter_ids, counter_subjects, parts,
             transfer_instructions, transfer_message, transfer_address, status_history, status_written_at, step, due_at,
             created_at, updated_at, expires_at, approval_id, approval_expires_at, external_id, metadata)
      select quote.organization_id, p_transaction_ids[place], quote.customer_id, quote.quote_id, status,
             p_correlation_ids[place], quote.source_payment_account_id, coalesce(reserve_kind = 'WALLET', false),
             coalesce(reserve_kind = 'RETURNED_FUNDS', false), quote.source_asset,
             quote.source_method, quote.source_amount, quote.destination_payment_account_id, p_is_to_wallet[place],
             quote.destination_asset, quote.destination_method, quote.destination_amount, quote.exchange_rate,
             quote.svc_fee, quote.developer_fee, quote.is_guaranteed,
             case when guaranteed_until is not null then deadline end, guaranteed_usd_cents, quote.expires_at,
             p_api_key_ids[place],
             nullif(array_remove(p_rules.counter_ids[p_first_rules[place]:p_last_rules[place]], null), '{}'),
             nullif(array_remove(p_rules.subjects[p_first_rules[place]:p_last_rules[place]], null), '{}'),
             quote.transaction_parts,
             replace(replace(instructions, '$MESSAGE', coalesce(message, '')), '$ADDRESS', coalesce(address, '')),
             message, address, array[format('{"status":"%s","at":"%s"}', status, svc.format_time(p_moment))::json],
             '{null}', case when reserve_kind is null then 'AWAIT' else 'SCREEN' end,
             -- No worker executes a transaction before its approval.
             coalesce(deadline, case when approval_lifetime is null then p_moment end), p_moment, p_moment, deadline,
             case when approval_lifetime is not null then p_approval_ids[place] end, p_moment + approval_lifetime,
             p_external_ids[place], p_metadata[place]
        from (select place, p_organization_ids[place] as organization_id, p_quote_ids[place] as quote_id,
                     p_reserve_kinds[place] as reserve_kind, p_addresses[place] as address,
                     case when p_reserve_kinds[place] is null then 'AWAITING_TRANSFER' else 'CREATED' end as status,
                     case when p_reserve_kinds[place] is null and p_addresses[place] is null then p_messages[place] end
                       as message,
                     case when has_approvals then (
                       select min(lifetime) from unnest(
                         p_rules.approval_lifetimes[p_first_rules[place]:p_last_rules[place]]) as lifetime) end
                       as approval_lifetime
                from unnest(p_places) as place order by organization_id, quote_id) as wanted
       cross join lateral (
             select quote.organization_id, quote.quote_id, customer_id, source_payment_account_id, source_asset,
                    source_method, source_amount, destination_payment_account_id, destination_asset, destination_method,
                    destination_amount, exchange_rate, svc_fee, developer_fee, is_guaranteed, guaranteed_until,
                    guaranteed_usd_cents, expires_at, transaction_parts,
                    case when reserve_kind is null then transfer_instructions end as instructions,
                    -- Later funds would be refunded, so the transaction does not wait for them.
                    case when reserve_kind is null then
                      least(p_moment + transfer_window, case when guaranteed_usd_cents is not null then guaranteed_until end)
                    end as deadline
               from svc.quotes as quote
              where quote.organization_id = wanted.organization_id and quote.quote_id = wanted.quote_id
             offset 0) as quote
          on conflict (organization_id, quote_id) do nothing
      returning organization_id, transaction_id, array_position(p_transaction_ids, transaction_id) as place,
                svc.show_transaction(transaction) as shown),
    event as (
      insert into svc.events (organization_id, event_id, type, resource_id, resource_version, api_version, data,
             created_at)
      select organization_id, p_event_ids[place], p_event_type, transaction_id::text, 1, p_api_version, shown, p_moment
        from inserted order by place),
    key as (
      insert into svc.idempotency_keys (organization_id, route, idempotency_key, fingerprint, status, event_id,
             resource_organization_id)
      select p_callers[place], p_routes[place], p_keys[place], p_fingerprints[place], 201, p_event_ids[place],
             organization_id
        from inserted)
    select place, shown from inserted loop
    p_answers[inserted.place] := inserted.shown;
    inserted_count := inserted_count + 1;
  end loop;
  if inserted_count < cardinality(p_places) then
    raise exception using errcode = 'SV002', message = 'QUOTE_ALREADY_USED';
  end if;
  return p_answers;
end $$;

revoke execute on function svc.insert_transactions from public;
grant execute on function svc.insert_transactions to svc_app;
