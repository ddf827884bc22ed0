-- What credentials carry beyond a name and scopes, the keys that tokens are signed with, and how fast callers may call.

alter table svc.organizations add column allowed_origins text[] not null default '{}';

-- allowed_ips: null means any address. last_used_at is written in batches, some seconds after the use.
alter table svc.api_keys
  add column allowed_ips text[],
  add column last_used_at timestamptz;

-- Public halves are served as a JWKS; private halves are sealed. A new key is published before it signs (signs_from),
-- and the one before it stays accepted until its last token has expired.
create table svc.signing_keys (
  key_id text primary key,
  public_key jsonb not null,
  sealed_private_key bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  signs_from timestamptz not null
);
grant select, insert on svc.signing_keys to svc_app;

-- One bucket an organization, shared by all processes: each takes a handful of tokens at a time.
create table svc.rate_buckets (
  organization_id uuid primary key,
  tokens double precision not null,
  refilled_at timestamptz not null default clock_timestamp()
);
grant select, insert, update on svc.rate_buckets to svc_app;
