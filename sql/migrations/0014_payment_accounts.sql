-- Accounts that a customer's money comes from and goes to. Account numbers and names are sealed with the customer's
-- key; the fields that select a route (type, currency, rail or network, address) are in the clear.

-- Coordinates of virtual accounts, as a keyed hash. Banks know no organization, so each is issued once in the whole
-- deployment, to one payment account, and stays issued when no account follows.
create table svc.virtual_accounts (
  receiving_hash bytea primary key,
  payment_account_id uuid not null,
  -- Over the bank's code too: an account at another bank may have the same number.
  account_hash bytea not null unique,
  unique (receiving_hash, payment_account_id)
);
grant select, insert on svc.virtual_accounts to svc_app;

-- The numbers taken of each range that a bank assigned, and of each organization's share of them. A number is taken once,
-- also when no account follows.
create table svc.virtual_account_series (
  series text primary key,
  taken bigint not null check (taken > 0)
);
grant select, insert, update (taken) on svc.virtual_account_series to svc_app;

create table svc.payment_accounts (
  organization_id uuid not null,
  payment_account_id uuid not null,
  customer_id uuid not null,
  payment_account_type text not null check (payment_account_type in
    ('EXTERNAL_BANK_ACCOUNT', 'SVC_AUTO_FIAT_ACCOUNT', 'EXTERNAL_CRYPTO_WALLET', 'SVC_CRYPTO_WALLET')),
  status text not null check (status in ('PENDING', 'ACTIVE', 'DEACTIVATED')),
  -- Counts the changes that have an event.
  version integer not null default 1,
  is_third_party boolean not null,
  -- The label, and the rail or network. A service wallet holds several currencies, on each network of its kind.
  currency text,
  payment_method text,
  wallet_type text check (wallet_type in ('EVM', 'SOLANA')),
  -- A wallet's address as its network writes it: with the EIP-55 checksum, or base58. Public on its chain.
  address text,
  -- An auto fiat account converts every deposit to this.
  destination_payment_account_id uuid,
  destination_currency text,
  destination_payment_method text,
  -- The key that opened an auto fiat account, and so chose its destination: it makes the transactions of its deposits.
  api_key_id uuid,
  -- A keyed hash of the account's coordinates: a customer has each account once. Null when the account is deleted.
  account_hash bytea,
  -- A keyed hash of the coordinates of an auto fiat account: a bank names them when money arrives. Kept for ever.
  receiving_hash bytea,
  -- A keyed hash of the random key with which a hosted form saved the account: that page may ask again. Null when the
  -- account is deleted.
  save_hash bytea,
  data_key_id uuid not null,
  -- The fields that answers show, and the fields that a payout needs.
  sealed_profile bytea not null,
  sealed_details bytea,
  -- Counts the coordinates of a bank account: a bank may correct them. Former ones are in svc.former_bank_details.
  details_version integer not null default 1,
  -- Raised to invalidate all links to the hosted form issued before.
  link_version integer not null default 1,
  requested_at timestamptz not null,
  -- Null until the hosted form of a bank account is filled in.
  created_at timestamptz,
  deactivated_at timestamptz,
  -- The caller's own id; emptied when the account is deleted. Metadata is part of the sealed profile.
  external_id text,
  -- The signer's seal over the receiver: see src/lib/seals/content.ts. The signer writes these columns, and no other process.
  seal bytea,
  seal_due_at timestamptz not null default clock_timestamp(),
  seal_problem text,
  primary key (organization_id, payment_account_id),
  -- The coordinates of an auto fiat account are its own: no two accounts of the deployment have the same.
  constraint payment_accounts_receiving_once foreign key (receiving_hash, payment_account_id)
    references svc.virtual_accounts (receiving_hash, payment_account_id),
  check (status <> 'ACTIVE' or created_at is not null),
  check (status <> 'DEACTIVATED' or account_hash is null),
  check ((status = 'DEACTIVATED') = (deactivated_at is not null)),
  check (status <> 'PENDING' or payment_account_type = 'EXTERNAL_BANK_ACCOUNT'),
  check ((payment_account_type = 'SVC_CRYPTO_WALLET') = (wallet_type is not null)),
  check ((payment_account_type in ('SVC_CRYPTO_WALLET', 'EXTERNAL_CRYPTO_WALLET')) = (address is not null)),
  check (num_nonnulls(destination_payment_account_id, destination_currency, destination_payment_method) =
    case when payment_account_type = 'SVC_AUTO_FIAT_ACCOUNT' then 3 else 0 end),
  check (api_key_id is null or payment_account_type = 'SVC_AUTO_FIAT_ACCOUNT')
);
create unique index payment_accounts_once on svc.payment_accounts (organization_id, customer_id, account_hash);
create index payment_accounts_by_customer on svc.payment_accounts (organization_id, customer_id, payment_account_id);
create unique index payment_accounts_external_id on svc.payment_accounts (organization_id, external_id)
  where external_id is not null;
create index payment_accounts_by_hash on svc.payment_accounts (account_hash) where account_hash is not null;
create index payment_accounts_by_destination on svc.payment_accounts (organization_id, destination_payment_account_id)
  where destination_payment_account_id is not null;
create index payment_accounts_receiving on svc.payment_accounts (receiving_hash) where receiving_hash is not null;
-- A bank entry names an account without its organization.
create index payment_accounts_by_id on svc.payment_accounts (payment_account_id);
create index payment_accounts_unsealed on svc.payment_accounts (seal_due_at)
  where seal is null and status = 'ACTIVE' and payment_account_type <> 'SVC_AUTO_FIAT_ACCOUNT';
-- A revoked link raises two versions. Else, after the insert, only svc.complete_payment_account, svc.replace_bank_details and svc.deactivate_payment_account change
-- an account.
grant select,
  insert (organization_id, payment_account_id, customer_id, payment_account_type, status, version, is_third_party,
    currency, payment_method, wallet_type, address, destination_payment_account_id, destination_currency,
    destination_payment_method, api_key_id, account_hash, receiving_hash, data_key_id, sealed_profile, sealed_details,
    link_version, requested_at, created_at, deactivated_at, external_id),
  update (link_version, version) on svc.payment_accounts to svc_app;
grant select (organization_id, payment_account_id, customer_id, payment_account_type, status, currency, payment_method,
    wallet_type, address, account_hash, data_key_id, sealed_details, details_version, seal, seal_due_at, seal_problem),
  update (seal, seal_due_at, seal_problem) on svc.payment_accounts to svc_signer;

-- Coordinates of a bank account until a correction replaced them, with the seal that they had. A payout keeps the version
-- with which it was created. Only svc.replace_bank_details inserts, and svc.deactivate_payment_account removes the hash.
create table svc.former_bank_details (
  organization_id uuid not null,
  payment_account_id uuid not null,
  details_version integer not null,
  account_hash bytea,
  sealed_details bytea not null,
  seal bytea not null,
  replaced_at timestamptz not null,
  primary key (organization_id, payment_account_id, details_version)
);
grant select on svc.former_bank_details to svc_app;
grant select, update (seal) on svc.former_bank_details to svc_signer;
