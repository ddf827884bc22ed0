-- The sandbox: inboxes that receive webhooks for integrators who try it, and the memory of its banks and chains.

create table svc.sandbox_inboxes (
  organization_id uuid not null,
  inbox_id uuid not null,
  -- Seals the secret, and requests that concern no customer.
  data_key_id uuid not null,
  sealed_secret bytea,
  -- The status that the inbox answers to every request.
  answer_status integer not null,
  -- The number of requests received in total.
  received bigint not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  -- A deleted inbox receives nothing, and no longer counts. Its requests are deleted.
  deleted_at timestamptz,
  primary key (organization_id, inbox_id)
);
create index sandbox_inboxes_kept on svc.sandbox_inboxes (organization_id, inbox_id) where deleted_at is null;
grant select, insert, update (sealed_secret, answer_status, received, deleted_at) on svc.sandbox_inboxes to svc_app;

-- A ring of a hundred slots per inbox: request 101 replaces request 1.
create table svc.sandbox_inbox_requests (
  organization_id uuid not null,
  inbox_id uuid not null,
  slot integer not null check (slot between 0 and 99),
  number bigint not null check (number > 0),
  received_at timestamptz not null,
  -- The event of ours that the request names, and its type: who may not read this type does not see the request.
  event_id uuid,
  event_type text,
  -- Headers and body, under the key of the event's customer: both are erased together. Null when that key was destroyed
  -- before the request arrived.
  data_key_id uuid not null,
  sealed_request bytea,
  signature_outcome text not null check (signature_outcome in ('VALID', 'INVALID', 'NO_SECRET')),
  signature_reason text,
  answered_status integer not null,
  primary key (organization_id, inbox_id, slot)
);
grant select, insert, update on svc.sandbox_inbox_requests to svc_app;

-- The memory of the sandbox's banks and chains. They stand for the outside world: they write on their own connection,
-- so a request stays recorded when our database transaction rolls back. Keyed by our reference, so a repeated request
-- moves money once.
create table svc.sandbox_transfers (
  reference uuid primary key,
  behaviour text not null check (behaviour in ('SETTLE', 'REFUSE', 'RETURN', 'LOSE_REPLY', 'LOSE_REQUEST', 'SLOW')),
  -- The number of requests to pay, whether or not one of them arrived.
  requests integer not null default 1,
  has_arrived boolean not null,
  amount numeric(38, 0) not null,
  settles_at timestamptz not null,
  returns_at timestamptz,
  created_at timestamptz not null
);
grant select, insert, update on svc.sandbox_transfers to svc_app;
