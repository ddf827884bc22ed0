-- Envelope encryption: fields are sealed with data keys, data keys and deployment secrets are wrapped with a master key
-- that is never in the database. See docs/decisions/0008-envelope-encryption.md.

-- One key for what must become unreadable together, such as everything about one customer. Destroying it leaves the row,
-- so that "destroyed" is never mistaken for "lost".
create table svc.data_keys (
  organization_id uuid not null references svc.organizations,
  data_key_id uuid not null,
  wrapped_key bytea,
  master_key_id text not null,
  created_at timestamptz not null default clock_timestamp(),
  destroyed_at timestamptz,
  primary key (organization_id, data_key_id),
  -- Also keeps a late re-wrap from bringing a destroyed key back.
  constraint data_keys_wrapped_or_destroyed check ((wrapped_key is null) = (destroyed_at is not null))
);
-- A rotation finds what is left under an old master key without reading the rest.
create index data_keys_by_master_key on svc.data_keys (master_key_id, organization_id, data_key_id)
  where wrapped_key is not null;
grant select, insert (organization_id, data_key_id, wrapped_key, master_key_id),
  update (wrapped_key, master_key_id, destroyed_at) on svc.data_keys to svc_app;

-- Secrets of the whole deployment, one a purpose, made at random once: they outlive any master key.
create table svc.deployment_secrets (
  purpose text primary key,
  wrapped_secret bytea not null,
  master_key_id text not null,
  created_at timestamptz not null default clock_timestamp()
);
grant select, insert (purpose, wrapped_secret, master_key_id), update (wrapped_secret, master_key_id)
  on svc.deployment_secrets to svc_app;

-- What processes keep in memory holds as long as its number here stays the same. See src/db/revisions.ts.
create table svc.revisions (
  name text primary key,
  revision bigint not null default 0
);
insert into svc.revisions (name) values ('credentials'), ('data keys');
grant select, update (revision) on svc.revisions to svc_app;
