-- Transactions: what was promised to customers, how far each promise is, and what went out to banks and chains for it.

create table svc.transactions (
  organization_id uuid not null,
  transaction_id uuid not null,
  customer_id uuid not null,
  quote_id uuid not null,
  status text not null check (status in
    ('CREATED', 'AWAITING_TRANSFER', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED')),
  -- Counts the changes that were told as events.
  version integer not null default 1,
  correlation_id text,
  source_payment_account_id uuid not null,
  -- Whether the money comes from a service wallet, where it was reserved, or has to be sent to us.
  is_from_wallet boolean not null,
  source_asset text not null,
  source_method text not null,
  source_amount numeric(38, 0) not null,
  destination_payment_account_id uuid not null,
  is_to_wallet boolean not null,
  destination_asset text not null,
  destination_method text not null,
  destination_amount numeric(38, 0) not null,
  exchange_rate text not null,
  svc_fee numeric(38, 0) not null,
  developer_fee numeric(38, 0) not null,
  is_guaranteed boolean not null,
  quote_expires_at timestamptz not null,
  -- JSON: `"source":{…},"destination":{…},"fees":{…}` as quoted, and what the customer was told to do.
  parts text not null,
  transfer_instructions text,
  -- What money for this transaction is recognized by: the message of a bank transfer, or an address of its own.
  transfer_message text,
  transfer_address text,
  source_reference_id text not null default '',
  destination_reference_id text not null default '',
  failure_reason text,
  labels text[] not null default '{}',
  status_history jsonb not null,
  -- What has come of the source amount, final and counted towards it, and when the last of it came.
  received_amount numeric(38, 0) not null default 0 check (received_amount between 0 and source_amount),
  funded_at timestamptz,
  -- What goes back to whoever paid: {"status", "amount", "referenceId"}, summed over svc.payouts.
  refund jsonb,
  -- Work: what a worker does next, and when. Nothing when the next move is somebody else's.
  step text not null check (step in ('SCREEN', 'FROZEN', 'AWAIT', 'PAYOUT', 'DONE')),
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  expires_at timestamptz,
  primary key (organization_id, transaction_id),
  -- A quote is used once, for ever.
  constraint transactions_quote_once unique (organization_id, quote_id),
  check ((status = 'AWAITING_TRANSFER') = (expires_at is not null) or status <> 'AWAITING_TRANSFER')
);
create index transactions_due on svc.transactions (due_at) where due_at is not null;
create index transactions_by_customer on svc.transactions (organization_id, customer_id, transaction_id);
create index transactions_by_source on svc.transactions (organization_id, source_payment_account_id, transaction_id);
create index transactions_by_destination
  on svc.transactions (organization_id, destination_payment_account_id, transaction_id);
create unique index transactions_by_message on svc.transactions (organization_id, transfer_message)
  where transfer_message is not null;
create index transactions_by_any_message on svc.transactions (transfer_message) where transfer_message is not null;
create index transactions_by_address on svc.transactions (transfer_address) where transfer_address is not null;
create index transactions_open on svc.transactions (status, updated_at)
  where status in ('CREATED', 'AWAITING_TRANSFER', 'PROCESSING');
grant select, insert, update on svc.transactions to svc_app;

-- Everything that was done for a transaction, one row a step: rails, chains, screening, operators.
create table svc.transaction_steps (
  organization_id uuid not null,
  transaction_id uuid not null,
  step_id uuid not null,
  at timestamptz not null,
  kind text not null,
  -- Codes, ids and amounts; never personal data.
  details jsonb not null default '{}',
  primary key (organization_id, transaction_id, step_id)
);
grant select, insert on svc.transaction_steps to svc_app;

-- What we owe to somebody outside, once: a payout, a refund, or a deposit that goes back. One row, however often it is
-- tried; the reference that banks and chains see is the id of this row, so asking twice is harmless.
create table svc.payouts (
  organization_id uuid not null,
  payout_id uuid not null,
  transaction_id uuid,
  deposit_id uuid,
  customer_id uuid not null,
  purpose text not null check (purpose in ('PAYOUT', 'REFUND', 'RETURN')),
  method text not null,
  asset text not null,
  amount numeric(38, 0) not null check (amount > 0),
  -- Where it goes: a registered account of the customer, never anything else.
  payment_account_id uuid not null,
  -- Whose address it leaves from (a key of svc.wallets); nothing when it is our own bank or treasury that pays.
  from_wallet_id uuid,
  -- WAITING for liquidity or a halt; SENDING: the outside world may know of it; SENT: it accepted; then the outcome.
  status text not null check (status in ('WAITING', 'SENDING', 'SENT', 'CONFIRMED', 'REFUSED', 'RETURNED')),
  attempts integer not null default 0,
  -- How often the rail was asked since the last news.
  asks integer not null default 0,
  external_reference text not null default '',
  reason text,
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  created_at timestamptz not null,
  resolved_at timestamptz,
  primary key (organization_id, payout_id),
  -- What goes back of a deposit may belong to a transaction, too; the others are of a transaction alone.
  check ((purpose = 'RETURN') = (deposit_id is not null)),
  check (transaction_id is not null or deposit_id is not null)
);
-- One obligation of a purpose for one cause, for ever; only what a rail has refused can be owed anew.
create unique index payouts_once_per_transaction on svc.payouts (organization_id, transaction_id, purpose)
  where deposit_id is null and status <> 'REFUSED';
create unique index payouts_once_per_deposit on svc.payouts (organization_id, deposit_id, purpose)
  where status <> 'REFUSED';
create index payouts_of_transaction on svc.payouts (organization_id, transaction_id) where transaction_id is not null;
-- Banks and chains know the id and not whose it is.
create index payouts_by_reference on svc.payouts (payout_id);
create index payouts_due on svc.payouts (due_at) where due_at is not null;
create index payouts_open on svc.payouts (organization_id, method, asset) where status in ('WAITING', 'SENDING', 'SENT');
grant select, insert, update on svc.payouts to svc_app;

-- Tries, in order: the next one begins when the one before is known to have come to nothing.
create table svc.payout_attempts (
  organization_id uuid not null,
  payout_id uuid not null,
  attempt integer not null,
  at timestamptz not null default clock_timestamp(),
  outcome text not null,
  details jsonb not null default '{}',
  primary key (organization_id, payout_id, attempt, outcome)
);
grant select, insert on svc.payout_attempts to svc_app;

-- What is promised out of a treasury or bank account before it has left: checked and raised under this row's lock.
create table svc.liquidity (
  organization_id uuid not null,
  method text not null,
  asset text not null,
  promised numeric(38, 0) not null default 0 check (promised >= 0),
  primary key (organization_id, method, asset)
);
grant select, insert, update on svc.liquidity to svc_app;

-- What banks and chains said arrived, whoever it is for. Written with its cursor by whoever watches them; once each.
create table svc.sightings (
  -- A rail or network, and the entry's or transfer's own name there.
  method text not null,
  external_id text not null,
  asset text not null,
  amount numeric(38, 0) not null check (amount > 0),
  -- What it is recognized by: the transfer message found in its text, the address that tokens came to, the virtual
  -- account that it came to, or the registered account that it came from; as far as the bank or chain says.
  message text,
  address text,
  virtual_account_id uuid,
  sender_account_id uuid,
  -- Screened by whoever saw it, so that no name needs to be kept.
  is_sender_blocked boolean not null default false,
  seen_at timestamptz not null,
  -- Work: the tenant's deposit follows in a second step.
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  primary key (method, external_id)
);
create index sightings_due on svc.sightings (due_at) where due_at is not null;
create index sightings_due_by_message on svc.sightings (message) where due_at is not null and message is not null;
create index sightings_due_by_address on svc.sightings (address) where due_at is not null and address is not null;
grant select, insert, update on svc.sightings to svc_app;

-- A bank that names an account of ours, or one that we know, does not say whose it is.
create index payment_accounts_by_id on svc.payment_accounts (payment_account_id);

create table svc.deposits (
  organization_id uuid not null,
  deposit_id uuid not null,
  method text not null,
  external_id text not null,
  asset text not null,
  amount numeric(38, 0) not null check (amount > 0),
  -- HELD: of a customer who may not move money now. UNMATCHED waits for a person. The others are where the money went.
  status text not null check (status in ('CREDITED', 'APPLIED', 'HELD', 'UNMATCHED', 'RETURNING', 'RETURNED')),
  -- How much of it was counted towards the transaction; the rest goes back.
  applied_amount numeric(38, 0) not null default 0 check (applied_amount between 0 and amount),
  labels text[] not null default '{}',
  version integer not null default 1,
  customer_id uuid,
  payment_account_id uuid,
  transaction_id uuid,
  message text,
  address text,
  is_sender_blocked boolean not null default false,
  seen_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Work: one that is HELD is looked at again.
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  primary key (organization_id, deposit_id),
  constraint deposits_once unique (organization_id, method, external_id)
);
create index deposits_due on svc.deposits (due_at) where due_at is not null;
create index deposits_by_transaction on svc.deposits (organization_id, transaction_id, deposit_id);
create index deposits_by_customer on svc.deposits (organization_id, customer_id, deposit_id);
create index deposits_by_status on svc.deposits (organization_id, status, deposit_id);
create index deposits_by_account on svc.deposits (organization_id, payment_account_id, deposit_id);
grant select, insert, update on svc.deposits to svc_app;

-- What people did to one thing, for its timeline.
create index audit_by_subject on svc.audit (organization_id, subject_id);

-- What the counterparties of the sandbox remember. They are the outside world: written on a connection of their own, and
-- whatever happens to us, they know what they were asked. By our reference, so asking twice moves money once.
create table svc.sandbox_transfers (
  reference uuid primary key,
  behaviour text not null check (behaviour in ('SETTLE', 'REFUSE', 'RETURN', 'LOSE_REPLY', 'LOSE_REQUEST', 'SLOW')),
  -- How often it was asked to pay; what arrived is what it knows of.
  requests integer not null default 1,
  has_arrived boolean not null,
  amount numeric(38, 0) not null,
  settles_at timestamptz not null,
  returns_at timestamptz,
  created_at timestamptz not null
);
grant select, insert, update on svc.sandbox_transfers to svc_app;

-- Makes a transaction of a quote, once: the key, the quote, customer, accounts, money and event, in one call.
--   CREATED, REPLAYED   the answer is there
--   KEY_REUSED, IN_PROGRESS, NOT_FOUND, QUOTE_EXPIRED, QUOTE_ALREADY_USED, CUSTOMER_NOT_ACTIVE, METHOD_NOT_AVAILABLE,
--   ACCOUNT_NOT_ACTIVE, NO_INSTRUCTIONS, NO_ADDRESS, INSUFFICIENT   nothing has happened
create function svc.create_transaction(
  p_caller uuid, p_organization_ids uuid[], p_route text, p_key text, p_fingerprint bytea,
  p_quote_id uuid, p_transaction_id uuid, p_event_id uuid, p_reserve_id uuid, p_correlation_id text, p_message text,
  p_api_version text, p_event_type text)
returns table (outcome text, answer text)
language plpgsql as $$
#variable_conflict use_column
declare
  moment constant timestamptz := date_trunc('milliseconds', svc.now());
  stamp constant text := to_char(moment at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
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
  history text;
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
      with free as (
        select seed_id, kind, address_index from svc.wallet_addresses
         where kind = case quote.source_method when 'SOLANA' then 'SOLANA' else 'EVM' end
           and taken_at is null and retired_at is null
         order by address_index limit 1 for update skip locked),
      taken as (
        update svc.wallet_addresses as pool set payment_account_id = p_transaction_id, taken_at = clock_timestamp()
          from free
         where pool.seed_id = free.seed_id and pool.kind = free.kind and pool.address_index = free.address_index
        returning pool.kind, pool.address)
      insert into svc.wallets (organization_id, payment_account_id, customer_id, kind, address)
      select quote.organization_id, p_transaction_id, quote.customer_id, kind, address from taken
      returning address into made_address;
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
    return query select 'QUOTE_ALREADY_USED', null::text;
    return;
  end if;

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

  shown := format('{"transactionId":"%s","customerId":"%s","quoteId":"%s","transactionStatus":"%s"',
                  p_transaction_id, quote.customer_id, p_quote_id, made_status)
        || coalesce(',"correlationId":' || to_json(p_correlation_id)::text, '')
        || ',' || quote.transaction_parts
        || coalesce(',"transferInstructions":' || instructions, '')
        || format(',"createdAt":"%s","updatedAt":"%s"', stamp, stamp)
        || coalesce(',"expiresAt":"' ||
             to_char(made_expiry at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
        || format(',"statusHistory":[{"status":"%s","at":"%s"}],"labels":[]}', made_status, stamp);
  insert into svc.events (organization_id, event_id, type, resource_id, resource_version, api_version, data, created_at)
  values (quote.organization_id, p_event_id, p_event_type, p_transaction_id::text, 1, p_api_version, shown, moment);
  insert into svc.idempotency_keys (organization_id, route, idempotency_key, fingerprint, status, answer)
  values (p_caller, p_route, p_key, p_fingerprint, 201, shown);
  return query select 'CREATED', shown;
end $$;
revoke execute on function svc.create_transaction from public;
grant execute on function svc.create_transaction to svc_app;
