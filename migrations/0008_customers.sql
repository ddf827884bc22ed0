-- The end customers of an integrator, and what they submit to be verified. Who they are is sealed with a key of their own.

create table svc.customers (
  organization_id uuid not null,
  customer_id uuid not null,
  customer_type text not null check (customer_type in ('INDIVIDUAL', 'BUSINESS')),
  status text not null,
  -- Counts the changes that were told as events.
  version integer not null default 1,
  -- The number of the newest submission: an outcome of an older one changes nothing.
  submission integer not null default 0,
  data_key_id uuid not null,
  sealed_profile bytea not null,
  sealed_identity bytea,
  issues jsonb not null default '[]',
  -- Raised to make every link to a hosted form invalid that was given out before.
  link_version integer not null default 1,
  created_at timestamptz not null,
  -- Of the last change of status.
  updated_at timestamptz not null,
  primary key (organization_id, customer_id)
);
grant select, insert, update on svc.customers to svc_app;

-- Work: one row per submission, carried to its outcome by the workers.
-- QUEUED: the customer is still CREATED. REVIEWING: the checks run when it is due. MANUAL: a person decides. DECIDED.
create table svc.submissions (
  organization_id uuid not null,
  customer_id uuid not null,
  submission integer not null,
  state text not null check (state in ('QUEUED', 'REVIEWING', 'MANUAL', 'DECIDED')),
  submitted_at timestamptz not null,
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  -- What the checks found: codes and fields, never what the customer wrote.
  findings jsonb not null default '[]',
  decided_at timestamptz,
  primary key (organization_id, customer_id, submission)
);
create index submissions_due on svc.submissions (due_at) where due_at is not null;
create index submissions_open on svc.submissions (state, submitted_at) where state in ('QUEUED', 'REVIEWING', 'MANUAL');
grant select, insert, update on svc.submissions to svc_app;

-- Keyed hashes of national ids and document numbers, to notice the same identity under another customer.
create table svc.identity_marks (
  organization_id uuid not null,
  identity_hash bytea not null,
  customer_id uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (organization_id, identity_hash, customer_id)
);
grant select, insert on svc.identity_marks to svc_app;

-- Which files of the blob store belong to whom. A file without a row here is an orphan and is collected.
create table svc.blobs (
  organization_id uuid not null,
  blob_id uuid not null,
  customer_id uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (organization_id, blob_id)
);
create index blobs_by_id on svc.blobs (blob_id);
grant select, insert on svc.blobs to svc_app;
