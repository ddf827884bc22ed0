-- Receivers of webhooks for those who try the sandbox: what arrives is kept for a while, and shown.

create table svc.sandbox_inboxes (
  organization_id uuid not null,
  inbox_id uuid not null,
  -- An organization has ten at most: each has a place of its own.
  place integer not null check (place between 1 and 10),
  -- Seals the secret, and whatever arrives that is about no customer.
  data_key_id uuid not null,
  sealed_secret bytea,
  -- What it answers to whoever sends.
  answer_status integer not null,
  -- How many requests have arrived in all.
  received bigint not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  primary key (organization_id, inbox_id),
  constraint sandbox_inboxes_place unique (organization_id, place)
);
grant select, insert, update (sealed_secret, answer_status, received) on svc.sandbox_inboxes to svc_app;

-- A ring of a hundred slots for each inbox: request 101 takes the place of request 1.
create table svc.sandbox_inbox_requests (
  organization_id uuid not null,
  inbox_id uuid not null,
  slot integer not null check (slot between 0 and 99),
  number bigint not null check (number > 0),
  received_at timestamptz not null,
  -- Of our events, the one that the request names.
  event_id uuid,
  -- Headers and body, under the key of the customer that the event is about: they are lost together. Null when that key
  -- had been destroyed before the request came.
  data_key_id uuid not null,
  sealed_request bytea,
  signature_outcome text not null check (signature_outcome in ('VALID', 'INVALID', 'NO_SECRET')),
  signature_reason text,
  answered_status integer not null,
  primary key (organization_id, inbox_id, slot)
);
grant select, insert, update on svc.sandbox_inbox_requests to svc_app;
