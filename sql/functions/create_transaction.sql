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

revoke execute on function svc.create_transaction from public;
grant execute on function svc.create_transaction to svc_app;
