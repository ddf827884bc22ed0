-- API keys of integrators, and the keys that sign tokens.

-- Keys are credentials: their times are real time, never business time. Only a hash of the key itself is kept.
create table svc.api_keys (
  organization_id uuid not null references svc.organizations,
  api_key_id uuid not null,
  name text not null,
  scopes text[] not null,
  key_hash bytea not null,
  -- Null allows any address.
  allowed_ips text[],
  -- The key that created this one, or that this one succeeds; null for a key of the command line. It had every right
  -- of this key then.
  parent_api_key_id uuid,
  -- The key of the caller: it has seen this one. It may have rolled another key than itself.
  created_by_api_key_id uuid,
  -- This key came from a roll of its parent, in the place of which it stands. Unlike the parent's successor_api_key_id,
  -- this also tells of a successor that was replaced.
  is_successor boolean not null default false,
  -- This key and every key that has led to it, the first of all first. Rules about a key bind what it has led to.
  lineage uuid[] not null default '{}',
  created_at timestamptz not null default clock_timestamp(),
  -- Written in batches, some seconds after the use.
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  -- When a successor was created. The key ends with the overlap, in expires_at.
  rolled_at timestamptz,
  successor_api_key_id uuid,
  -- The operator marked the key as a reviewer's: it has no scope to submit data or to create keys.
  is_reviewer boolean not null default false,
  -- Counts the changes that have an event.
  version integer not null default 1,
  primary key (organization_id, api_key_id),
  foreign key (organization_id, parent_api_key_id) references svc.api_keys,
  foreign key (organization_id, created_by_api_key_id) references svc.api_keys
);
create index api_keys_by_hash on svc.api_keys (key_hash);
create index api_keys_by_parent on svc.api_keys (organization_id, parent_api_key_id);
create index api_keys_by_creation on svc.api_keys (organization_id, created_at);
create index api_keys_by_creator on svc.api_keys (organization_id, created_by_api_key_id);
-- Rights never widen: no process changes the scopes, addresses, marks or lineage of a key.
grant select, insert, update (last_used_at, expires_at, revoked_at, rolled_at, successor_api_key_id, version) on svc.api_keys to svc_app;

-- The addresses that keys were used from, of IPv6 the network: those seen last, at most 100 of a key. A row is written
-- at first sight, and once a day afterwards.
create table svc.api_key_addresses (
  organization_id uuid not null,
  api_key_id uuid not null,
  address text not null,
  first_seen_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp(),
  primary key (organization_id, api_key_id, address)
);
grant select, insert, update (last_seen_at) on svc.api_key_addresses to svc_app;

-- Public halves are served as a JWKS; private halves are sealed. A new key is published before it signs (signs_from),
-- and the key before it stays accepted until its last token has expired.
create table svc.signing_keys (
  key_id text primary key,
  public_key jsonb not null,
  sealed_private_key bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  signs_from timestamptz not null,
  -- Every key that was created before this one has ended: it leaked, or may have.
  ends_earlier boolean not null default false
);
grant select, insert on svc.signing_keys to svc_app;
