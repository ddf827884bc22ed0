-- Tables that every deployment has, independent of its organizations. src/db/migrate.ts creates the schema itself,
-- svc.migrations and svc.functions.

-- One row: the kind of deployment this database belongs to. A sandbox database can never become a production one.
create table svc.deployment (
  only_row boolean primary key default true check (only_row),
  environment text not null check (environment in ('sandbox', 'production')),
  created_at timestamptz not null default clock_timestamp()
);
grant select, insert on svc.deployment to svc_app;

-- One row: business time. Production keeps both at their defaults; the sandbox moves them. Quotes, transactions, rules,
-- schedules and document dates follow business time (svc.now). Leases, locks and credentials use clock_timestamp().
create table svc.clock (
  only_row boolean primary key default true check (only_row),
  ahead interval not null default '0',
  frozen_at timestamptz
);
insert into svc.clock default values;
grant select, update on svc.clock to svc_app;

-- Every move of business time. svc.business_time uses it to translate facts that have real time only, such as the audit
-- log.
create table svc.clock_moves (
  move_id bigint generated always as identity primary key,
  moved_at timestamptz not null default clock_timestamp(),
  ahead interval not null,
  frozen_at timestamptz
);
grant select, insert on svc.clock_moves to svc_app;
insert into svc.clock_moves (moved_at, ahead, frozen_at) select '-infinity', ahead, frozen_at from svc.clock;

-- Recurring work that one worker of the whole deployment does at a time. Claimed with a lease and a fence, see
-- src/db/work.ts.
create table svc.duties (
  duty text primary key,
  due_at timestamptz not null default clock_timestamp(),
  lease_until timestamptz,
  fence bigint not null default 0,
  finished_at timestamptz,
  outcome jsonb,
  -- The last failure, until the duty succeeds.
  failed_at timestamptz,
  failure text
);
grant select, insert, update on svc.duties to svc_app;

-- The checks of the stored data, with the last results of each. See src/db/checks.
create table svc.checks (
  name text primary key,
  -- A violation of an invariant of money halts payouts; so does one that is not checked for too long.
  is_money boolean not null,
  -- Runs each minute, over recent postings or over a small table.
  is_quick boolean not null,
  registered_at timestamptz not null default clock_timestamp(),
  -- Set while no running version knows the check.
  retired_at timestamptz,
  -- The last complete pass over all rows; and the last quick run, which checked the postings up to the checkpoint.
  checked_at timestamptz,
  duration_ms bigint,
  quick_at timestamptz,
  quick_ms bigint,
  checkpoint uuid,
  -- {"violation", "organizationId", "asset", "foundAt"} of each; a complete pass removes those it no longer finds.
  violations jsonb not null default '[]',
  -- Why the last pass or quick run failed; null after a success.
  failure text,
  quick_failure text,
  -- The pass in progress: its position, the size of its next slice, its start and the time it has taken.
  position jsonb,
  slice_size integer,
  pass_started_at timestamptz,
  pass_ms bigint,
  -- When the next slice, or the next pass, may run.
  due_at timestamptz not null default clock_timestamp()
);
grant select, insert, update on svc.checks to svc_app;

-- A process may keep a cache as long as its revision here stays the same. See src/db/revisions.ts.
create table svc.revisions (
  name text primary key,
  revision bigint not null default 0
);
insert into svc.revisions (name) values ('credentials'), ('data keys'), ('watch list'), ('rates');
grant select, update (revision) on svc.revisions to svc_app;

-- The first answer to each idempotency key, written in the database transaction of its effect. Keys are kept for ever.
create table svc.idempotency_keys (
  organization_id uuid not null,
  route text not null,
  idempotency_key text not null,
  fingerprint bytea not null,
  status smallint not null,
  -- In plain text, or, when it identifies a customer, sealed with the key of that customer (in the customer's
  -- organization).
  answer text,
  sealed_answer bytea,
  data_key_id uuid,
  data_key_organization_id uuid,
  -- Or the event that has it, or the quote that it is written from again: such an answer is stored once.
  event_id uuid,
  quote_id uuid,
  resource_organization_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  primary key (organization_id, idempotency_key, route),
  check (num_nonnulls(answer, sealed_answer, event_id, quote_id) = 1),
  check (num_nonnulls(coalesce(event_id, quote_id), resource_organization_id) in (0, 2)),
  check (num_nonnulls(sealed_answer, data_key_id, data_key_organization_id) in (0, 3))
);
grant select, insert on svc.idempotency_keys to svc_app;

-- One token bucket per organization, shared by all processes: each process takes a few tokens at a time.
create table svc.rate_buckets (
  organization_id uuid primary key,
  tokens double precision not null,
  refilled_at timestamptz not null default clock_timestamp()
);
grant select, insert, update on svc.rate_buckets to svc_app;
