-- The integrators.

create table svc.organizations (
  organization_id uuid primary key,
  parent_organization_id uuid references svc.organizations,
  name text not null check (name <> ''),
  tier text not null check (tier in ('BUILDER', 'STARTUP', 'ENTERPRISE')),
  branding jsonb not null default '{}',
  limits jsonb not null default '{}',
  allowed_origins text[] not null default '{}',
  -- The addresses from which the credentials of the organization may be used; empty allows any.
  allowed_ips text[] not null default '{}',
  -- Whether its own keys decide its reviews; null is the default of the environment.
  decides_reviews boolean,
  -- When the operator suspended the organization; a child has the time of its parent if it was suspended with it.
  suspended_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);
create index organizations_by_parent on svc.organizations (parent_organization_id);
grant select, insert, update on svc.organizations to svc_app;
