-- Submissions of customers who want to be verified, and the requests to an outside provider about them.

-- Work: workers bring each submission to its outcome.
-- QUEUED: the customer is still CREATED. REVIEWING: the checks run when it is due. MANUAL: a reviewer decides. DECIDED.
create table svc.submissions (
  organization_id uuid not null,
  customer_id uuid not null,
  submission integer not null,
  state text not null check (state in ('QUEUED', 'REVIEWING', 'MANUAL', 'DECIDED')),
  submitted_at timestamptz not null,
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  -- Results of the checks: codes and fields, never the customer's data.
  findings jsonb not null default '[]',
  decided_at timestamptz,
  primary key (organization_id, customer_id, submission)
);
create index submissions_due on svc.submissions (due_at) where due_at is not null;
create index submissions_open on svc.submissions (state, submitted_at) where state in ('QUEUED', 'REVIEWING', 'MANUAL');
grant select, insert, update on svc.submissions to svc_app;

-- Keyed hashes of national ids and document numbers, to notice the same identity under another customer. An erasure
-- overwrites a mark with random bytes, so that it matches no customer any more.
create table svc.identity_marks (
  organization_id uuid not null,
  identity_hash bytea not null,
  customer_id uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (organization_id, identity_hash, customer_id)
);
create index identity_marks_by_customer on svc.identity_marks (organization_id, customer_id);
grant select, insert, update (identity_hash) on svc.identity_marks to svc_app;

-- A request to an outside provider about a submission. Work: workers send it, poll it and close it.
-- SENDING: the provider may or may not have it. WAITING: the provider has accepted it. DECIDED: its answer was taken.
-- GIVEN_UP: a reviewer decides instead. DROPPED: a reviewer decided first, and the answer changes nothing.
create table svc.provider_requests (
  organization_id uuid not null,
  customer_id uuid not null,
  submission integer not null,
  -- The only name by which the provider knows the submission. It exists before the first request and never changes.
  reference uuid not null,
  state text not null check (state in ('SENDING', 'WAITING', 'DECIDED', 'GIVEN_UP', 'DROPPED')),
  -- The submission's fence at the hand-over: a decision made in between raises it.
  submission_fence bigint not null,
  submitted_at timestamptz not null,
  requested_at timestamptz not null,
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  -- Counts the provider's calls, so that a call that arrives during a poll is not lost.
  wakes integer not null default 0,
  closed_at timestamptz,
  primary key (organization_id, customer_id, submission)
);
create index provider_requests_by_reference on svc.provider_requests (reference);
create index provider_requests_due on svc.provider_requests (due_at) where due_at is not null;
create index provider_requests_open on svc.provider_requests (requested_at) where state in ('SENDING', 'WAITING');
grant select, insert, update on svc.provider_requests to svc_app;
