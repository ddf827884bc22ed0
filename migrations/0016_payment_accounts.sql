-- Where a customer's money comes from and goes to. Numbers and names are sealed with the customer's key; what a route is
-- chosen by (type, currency, rail or network, address) is in the clear.

create table svc.payment_accounts (
  organization_id uuid not null,
  payment_account_id uuid not null,
  customer_id uuid not null,
  payment_account_type text not null check (payment_account_type in
    ('EXTERNAL_BANK_ACCOUNT', 'SVC_AUTO_FIAT_ACCOUNT', 'EXTERNAL_CRYPTO_WALLET', 'SVC_CRYPTO_WALLET')),
  status text not null check (status in ('PENDING', 'ACTIVE', 'DEACTIVATED')),
  -- Counts the changes that were told as events.
  version integer not null default 1,
  is_third_party boolean not null,
  -- The label, and the rail or network. A service wallet holds several currencies, on each network of its kind.
  currency text,
  payment_method text,
  wallet_type text check (wallet_type in ('EVM', 'SOLANA')),
  -- Of a wallet, as its network writes it: with the EIP-55 checksum, or base58. Public on its chain.
  address text,
  -- Of an auto fiat account: what every deposit becomes.
  destination_payment_account_id uuid,
  destination_currency text,
  destination_payment_method text,
  -- A keyed hash of the coordinates: one customer has each account once. Gone when the account is deleted.
  account_hash bytea,
  data_key_id uuid not null,
  -- What answers show, and what a payout needs.
  sealed_profile bytea not null,
  sealed_details bytea,
  -- Raised to make links to the hosted form invalid that were given out before.
  link_version integer not null default 1,
  requested_at timestamptz not null,
  -- Empty until the hosted form of a bank account was filled in.
  created_at timestamptz,
  deactivated_at timestamptz,
  primary key (organization_id, payment_account_id),
  check (status <> 'ACTIVE' or created_at is not null),
  check (status <> 'DEACTIVATED' or account_hash is null),
  check ((status = 'DEACTIVATED') = (deactivated_at is not null)),
  check (status <> 'PENDING' or payment_account_type = 'EXTERNAL_BANK_ACCOUNT'),
  check ((payment_account_type = 'SVC_CRYPTO_WALLET') = (wallet_type is not null)),
  check ((payment_account_type in ('SVC_CRYPTO_WALLET', 'EXTERNAL_CRYPTO_WALLET')) = (address is not null)),
  check (num_nonnulls(destination_payment_account_id, destination_currency, destination_payment_method) =
    case when payment_account_type = 'SVC_AUTO_FIAT_ACCOUNT' then 3 else 0 end)
);
create unique index payment_accounts_once on svc.payment_accounts (organization_id, customer_id, account_hash);
create index payment_accounts_by_customer on svc.payment_accounts (organization_id, customer_id, payment_account_id);
create index payment_accounts_by_destination on svc.payment_accounts (organization_id, destination_payment_account_id)
  where destination_payment_account_id is not null;
grant select, insert, update on svc.payment_accounts to svc_app;

-- Each virtual bank account gets a number of its own, whoever it belongs to.
create sequence svc.virtual_account_numbers;
grant usage on sequence svc.virtual_account_numbers to svc_app;
