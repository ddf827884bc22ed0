-- Envelope encryption: data keys seal fields; a master key that is never in the database wraps data keys and deployment
-- secrets. See docs/decisions/0008-fields-are-sealed-with-data-keys-that-a-master-key-wraps.md.

-- One key for data that must become unreadable together, such as everything about one customer. Destroying the key
-- keeps the row, so a destroyed key is never mistaken for a lost one.
create table svc.data_keys (
  organization_id uuid not null references svc.organizations,
  data_key_id uuid not null,
  wrapped_key bytea,
  master_key_id text not null,
  created_at timestamptz not null default clock_timestamp(),
  destroyed_at timestamptz,
  primary key (organization_id, data_key_id),
  -- Also keeps a late re-wrap from restoring a destroyed key.
  constraint data_keys_wrapped_or_destroyed check ((wrapped_key is null) = (destroyed_at is not null))
);
-- A rotation finds the keys under an old master key without reading the others.
create index data_keys_by_master_key on svc.data_keys (master_key_id, organization_id, data_key_id)
  where wrapped_key is not null;
grant select, insert (organization_id, data_key_id, wrapped_key, master_key_id),
  update (wrapped_key, master_key_id, destroyed_at) on svc.data_keys to svc_app;

-- Random secrets of the whole deployment, one per purpose, created once: they outlive any master key.
create table svc.deployment_secrets (
  purpose text primary key,
  wrapped_secret bytea not null,
  master_key_id text not null,
  created_at timestamptz not null default clock_timestamp()
);
grant select, insert (purpose, wrapped_secret, master_key_id), update (wrapped_secret, master_key_id)
  on svc.deployment_secrets to svc_app;
