-- The integrators, and the keys they call with.

create table svc.organizations (
  organization_id uuid primary key,
  parent_organization_id uuid references svc.organizations,
  name text not null check (name <> ''),
  tier text not null check (tier in ('BUILDER', 'STARTUP', 'ENTERPRISE')),
  branding jsonb not null default '{}',
  limits jsonb not null default '{}',
  created_at timestamptz not null default clock_timestamp()
);
create index organizations_by_parent on svc.organizations (parent_organization_id);
grant select, insert, update on svc.organizations to svc_app;

-- Keys are credentials: their times are real time, never business time. Only a hash of the key itself is kept.
create table svc.api_keys (
  organization_id uuid not null references svc.organizations,
  api_key_id uuid not null,
  name text not null,
  scopes text[] not null,
  key_hash bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (organization_id, api_key_id)
);
create index api_keys_by_hash on svc.api_keys (key_hash);
grant select, insert, update on svc.api_keys to svc_app;
