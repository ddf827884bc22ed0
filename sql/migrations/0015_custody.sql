-- Keys and addresses. Only the signer, a process with a role of its own, holds keys; the API assigns addresses that the
-- signer derived in advance. See docs/custody.md and
-- docs/decisions/0023-only-the-signer-holds-keys-and-addresses-come-from-a-pool.md.
grant usage on schema svc to svc_signer;
grant select on svc.migrations, svc.functions, svc.clock to svc_signer;
grant select, insert on svc.deployment to svc_signer;

-- The seed of all keys of a purpose, sealed with the signer's own key. A seed is never removed: a replaced seed is
-- retired, because money may still arrive at an address derived from it.
create table svc.signer_seeds (
  seed_id uuid primary key,
  purpose text not null check (purpose in ('WALLETS', 'SERVICE')),
  sealed_entropy bytea not null,
  -- Names of the sealing key and of the seed itself. They reveal no bytes of either.
  signer_key_id text not null,
  fingerprint text not null,
  created_at timestamptz not null default clock_timestamp(),
  retired_at timestamptz
);
create unique index signer_seeds_in_use on svc.signer_seeds (purpose) where retired_at is null;
grant select, insert (seed_id, purpose, sealed_entropy, signer_key_id, fingerprint),
  update (sealed_entropy, signer_key_id, retired_at) on svc.signer_seeds to svc_signer;

-- The pool: addresses for customers, derived in advance. Each is assigned once.
create table svc.wallet_addresses (
  seed_id uuid not null references svc.signer_seeds,
  kind text not null check (kind in ('EVM', 'SOLANA')),
  address_index integer not null check (address_index >= 0),
  address text not null,
  public_key bytea not null,
  derived_at timestamptz not null default clock_timestamp(),
  payment_account_id uuid,
  taken_at timestamptz,
  retired_at timestamptz,
  primary key (seed_id, kind, address_index),
  constraint wallet_addresses_address unique (kind, address),
  constraint wallet_addresses_payment_account unique (payment_account_id),
  constraint wallet_addresses_owner unique (kind, address, payment_account_id),
  constraint wallet_addresses_taken_with_owner check ((taken_at is null) = (payment_account_id is null)),
  constraint wallet_addresses_free_taken_or_retired check (taken_at is null or retired_at is null)
);
create index wallet_addresses_free on svc.wallet_addresses (kind, address_index)
  where taken_at is null and retired_at is null;
grant select, insert (seed_id, kind, address_index, address, public_key), update (retired_at)
  on svc.wallet_addresses to svc_signer;
grant select, update (payment_account_id, taken_at) on svc.wallet_addresses to svc_app;

-- Grants limit the columns; these policies limit the rows. The app assigns a free address, and can never free it or
-- assign it again. The signer creates addresses; it can never assign one, nor retire one that is assigned.
alter table svc.wallet_addresses enable row level security;
create policy both_roles_read on svc.wallet_addresses for select to svc_app, svc_signer using (true);
create policy app_takes_free_addresses on svc.wallet_addresses for update to svc_app
  using (taken_at is null and retired_at is null) with check (taken_at is not null);
create policy signer_makes_free_addresses on svc.wallet_addresses for insert to svc_signer
  with check (taken_at is null);
create policy signer_retires_free_addresses on svc.wallet_addresses for update to svc_signer
  using (taken_at is null) with check (taken_at is null and retired_at is not null);

-- The owner of each address in use. The foreign key into the pool excludes addresses that the signer did not derive,
-- and addresses of other accounts.
create table svc.wallets (
  organization_id uuid not null,
  payment_account_id uuid not null,
  customer_id uuid not null,
  kind text not null,
  address text not null,
  primary key (organization_id, payment_account_id),
  constraint wallets_come_from_the_pool foreign key (kind, address, payment_account_id)
    references svc.wallet_addresses (kind, address, payment_account_id)
);
create index wallets_by_address on svc.wallets (kind, address);
grant select, insert on svc.wallets to svc_app;
grant select on svc.wallets to svc_signer;

-- The service's own addresses: the treasury pays out, the relayer pays for gas.
create table svc.service_addresses (
  seed_id uuid not null references svc.signer_seeds,
  kind text not null check (kind in ('EVM', 'SOLANA')),
  role text not null check (role in ('TREASURY', 'RELAYER')),
  address text not null,
  published_at timestamptz not null default clock_timestamp(),
  retired_at timestamptz,
  primary key (seed_id, kind, role),
  constraint service_addresses_address unique (kind, address)
);
create unique index service_addresses_in_use on svc.service_addresses (kind, role) where retired_at is null;
grant select, insert (seed_id, kind, role, address), update (retired_at) on svc.service_addresses to svc_signer;
grant select on svc.service_addresses to svc_app;

-- Addresses of ours whose keys Svc does not have: a vault, or an account at an exchange. Tokens of the treasury may leave
-- for these alone, so only the signer registers them.
create table svc.reserve_addresses (
  kind text not null check (kind in ('EVM', 'SOLANA')),
  address text not null,
  -- The operating-system account, as far as the command knew it.
  registered_by text not null,
  registered_at timestamptz not null default clock_timestamp(),
  retired_at timestamptz,
  primary key (kind, address, registered_at)
);
create unique index reserve_addresses_in_use on svc.reserve_addresses (kind) where retired_at is null;
grant select, insert (kind, address, registered_by), update (retired_at) on svc.reserve_addresses to svc_signer;
grant select on svc.reserve_addresses to svc_app;

-- Acts of operators on seeds. The signer cannot write to the audit log, because it does not have that log's key.
create table svc.custody_acts (
  act_id uuid primary key,
  act text not null check (act in ('CREATED', 'IMPORTED', 'RESEALED', 'EXPORTED', 'RETIRED')),
  seed_id uuid not null references svc.signer_seeds,
  at timestamptz not null default clock_timestamp(),
  -- The operating-system account, as far as the command knew it.
  actor text not null
);
grant select, insert (act_id, act, seed_id, actor) on svc.custody_acts to svc_signer;

-- Keys of the seals over destinations and obligations. The secret is encrypted with the signer's own key. Processes
-- check a seal with the public key until the key is retired.
create table svc.sealing_keys (
  key_id text primary key,
  public_key bytea not null,
  sealed_secret bytea not null,
  signer_key_id text not null,
  created_at timestamptz not null default clock_timestamp(),
  replaced_at timestamptz,
  retired_at timestamptz,
  constraint sealing_keys_replaced_before_retired check (retired_at is null or replaced_at is not null)
);
create unique index sealing_keys_in_use on svc.sealing_keys ((replaced_at is null)) where replaced_at is null;
grant select, insert (key_id, public_key, sealed_secret, signer_key_id), update (replaced_at, retired_at)
  on svc.sealing_keys to svc_signer;
grant select (key_id, public_key, created_at, replaced_at, retired_at) on svc.sealing_keys to svc_app;
