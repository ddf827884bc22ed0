-- What an outside provider is asked about a submission. Work: a row is sent, asked after and closed by the workers.
-- SENDING: the provider may or may not have it. WAITING: it has said so. DECIDED: its answer was taken.
-- GIVEN_UP: a person decides instead. DROPPED: somebody else decided first, and its answer changes nothing.
create table svc.provider_requests (
  organization_id uuid not null,
  customer_id uuid not null,
  submission integer not null,
  -- All that the provider knows the submission by. It exists before anything is sent, and never changes.
  reference uuid not null,
  state text not null check (state in ('SENDING', 'WAITING', 'DECIDED', 'GIVEN_UP', 'DROPPED')),
  -- The submission as it was handed over: whoever decides about it in between raises its fence.
  submission_fence bigint not null,
  submitted_at timestamptz not null,
  requested_at timestamptz not null,
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  -- Counts the provider's calls, so that one which comes while its answer is being asked for is not lost.
  wakes integer not null default 0,
  closed_at timestamptz,
  primary key (organization_id, customer_id, submission)
);
create index provider_requests_by_reference on svc.provider_requests (reference);
create index provider_requests_due on svc.provider_requests (due_at) where due_at is not null;
create index provider_requests_open on svc.provider_requests (requested_at) where state in ('SENDING', 'WAITING');
grant select, insert, update on svc.provider_requests to svc_app;
