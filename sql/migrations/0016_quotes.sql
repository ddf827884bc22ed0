-- Rates, and the quotes priced with them.

-- The last price of each currency in dollars, from the rate sources. One row per currency, changed in place: a quote
-- keeps the rates it was made with.
create table svc.rates (
  label text primary key,
  usd text not null,
  source text not null,
  as_of timestamptz not null,
  good_until timestamptz not null,
  -- A jump that no second reading has confirmed.
  doubted_usd text,
  doubted_at timestamptz
);
grant select, insert, update on svc.rates to svc_app;

-- A quoted price never changes. Amounts in smallest units.
create table svc.quotes (
  organization_id uuid not null,
  quote_id uuid not null,
  customer_id uuid not null,
  source_payment_account_id uuid not null,
  source_asset text not null,
  source_method text not null,
  source_amount numeric(38, 0) not null check (source_amount > 0),
  -- As the caller wrote it.
  source_amount_text text not null,
  destination_payment_account_id uuid not null,
  destination_asset text not null,
  destination_method text not null,
  destination_amount numeric(38, 0) not null check (destination_amount > 0),
  exchange_rate text not null,
  svc_fee numeric(38, 0) not null check (svc_fee >= 0),
  developer_fee numeric(38, 0) not null check (developer_fee >= 0),
  -- The value of the source amount when it was quoted, rounded up; null when no price was known. Policies count it.
  usd_cents numeric(38, 0) check (usd_cents > 0),
  is_guaranteed boolean not null,
  -- Funds that arrive before get exactly the destination amount; null without a guarantee, and for a service wallet.
  guaranteed_until timestamptz,
  -- A guarantee between different currencies: the value of its source amount, and the limit of all open guarantees of
  -- the organization. Null without price risk.
  guaranteed_usd_cents numeric(38, 0) check (guaranteed_usd_cents > 0),
  guarantee_ceiling_usd_cents numeric(38, 0) check (guarantee_ceiling_usd_cents >= 0),
  -- Every step of the calculation.
  derivation text not null,
  -- The parts of a transaction that only the quote knows: {"sourceCurrency", "sourceAmount" (as the caller wrote it),
  -- "sourceDecimals", "destinationCurrency", "destinationDecimals", "fees"}.
  transaction_parts jsonb not null,
  -- Instructions for the customer, as JSON with $MESSAGE and $ADDRESS as placeholders; null when we have no account
  -- that the money could be sent to.
  transfer_instructions text,
  -- The time the customer has to send the money.
  transfer_window interval not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- The caller's own data. Metadata is emptied when the customer is erased.
  external_id text,
  metadata json,
  primary key (organization_id, quote_id),
  check ((guaranteed_usd_cents is null) = (guarantee_ceiling_usd_cents is null)),
  check (guaranteed_usd_cents is null or guaranteed_until is not null)
);
create unique index quotes_external_id on svc.quotes (organization_id, external_id) where external_id is not null;
-- The filters of the list. bench/list-indexes.ts tells what each costs.
create index quotes_by_created on svc.quotes (organization_id, created_at, quote_id);
create index quotes_by_customer on svc.quotes (organization_id, customer_id, quote_id);
-- Only svc.erase_quote_metadata updates.
grant select, insert on svc.quotes to svc_app;
