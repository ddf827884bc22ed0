-- Webhook endpoints, and the deliveries of events to them. See docs/webhooks.md and docs/decisions/0019 and 0031.

-- An endpoint of an integrator. Also a work row: only the holder of its lease sends to it.
create table svc.webhooks (
  organization_id uuid not null,
  webhook_id uuid not null,
  url text not null,
  -- Event types; '*' means all present and future types.
  events text[] not null,
  description text,
  status text not null check (status in ('ENABLED', 'DISABLED', 'DELETED')),
  disabled_at timestamptz,
  disabled_reason text check (disabled_reason in ('GONE', 'FAILING', 'REQUESTED')),
  -- Seals the secrets, and the responses to events without personal data. Destroyed when the webhook is deleted.
  data_key_id uuid not null,
  -- Counts the changes that have an event.
  version integer not null default 0,
  -- Counts the changes that a dispatcher must know of: URL, secret, status.
  revision integer not null default 1,
  created_at timestamptz not null,
  -- Events of the organization up to this sequence have their deliveries, or came before the webhook was enabled.
  fanned_out_to bigint not null,
  -- Counts replay requests; the deliveries of one replay share its number.
  replays integer not null default 0,
  -- Recent health of the endpoint. While the circuit is OPEN, one delivery at a time tests whether the endpoint is
  -- back.
  failing_since timestamptz,
  consecutive_failures integer not null default 0,
  circuit text not null default 'CLOSED' check (circuit in ('CLOSED', 'OPEN')),
  is_slow boolean not null default false,
  -- The delivery slots that the webhook uses: quick endpoints never wait for slow or failing ones.
  lane text not null
    generated always as (case when circuit = 'OPEN' then 'FAILING' when is_slow then 'SLOW' else 'QUICK' end) stored,
  -- At or before the first delivery that may be sent. Business time; the lease is real time.
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  primary key (organization_id, webhook_id)
);
create index webhooks_due on svc.webhooks (due_at) where due_at is not null;
create index webhooks_enabled on svc.webhooks (organization_id, fanned_out_to) where status = 'ENABLED';
grant select, insert, update on svc.webhooks to svc_app;

-- A secret is a credential: its times are real time. The secret without an end is in use; the one before it ends soon.
create table svc.webhook_secrets (
  organization_id uuid not null,
  secret_id uuid not null,
  webhook_id uuid not null,
  sealed_secret bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  primary key (organization_id, secret_id)
);
create index webhook_secrets_by_webhook on svc.webhook_secrets (organization_id, webhook_id);
grant select, insert, update (expires_at) on svc.webhook_secrets to svc_app;

-- One event for one webhook. No foreign keys: every event writes one row per webhook here.
create table svc.webhook_deliveries (
  organization_id uuid not null,
  delivery_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  -- Copied from the event, so that the order can be kept without reading it.
  event_type text not null,
  resource_id text not null,
  sequence bigint not null,
  -- 0 for the first delivery of an event; otherwise the number of the replay.
  replay integer not null default 0,
  status text not null check (status in ('PENDING', 'DELIVERED', 'FAILED')),
  attempts integer not null default 0,
  -- The number of attempts when a retry was requested: the schedule restarts from there.
  schedule_from integer not null default 0,
  created_at timestamptz not null,
  due_at timestamptz,
  primary key (organization_id, delivery_id),
  constraint webhook_deliveries_once unique (organization_id, webhook_id, event_id, replay),
  check ((status = 'PENDING') = (due_at is not null))
);
-- The next two indexes have different conditions on purpose. With `status = 'PENDING'` in both, PostgreSQL could answer
-- the query for the first delivery of a resource from the index of due ones, which reads every waiting delivery,
-- whenever its statistics came from a moment without waiting deliveries.
create index webhook_deliveries_due on svc.webhook_deliveries (organization_id, webhook_id, due_at, sequence)
  where due_at is not null;
-- Deliveries that later events of the same resource wait for.
create index webhook_deliveries_first on svc.webhook_deliveries
  (organization_id, webhook_id, resource_id, replay, sequence) where status = 'PENDING' and attempts < 3;
create index webhook_deliveries_failed on svc.webhook_deliveries (organization_id, webhook_id, event_id, replay)
  where status = 'FAILED';
grant select, insert, update (status, attempts, schedule_from, due_at) on svc.webhook_deliveries to svc_app;

-- The outcome of each attempt. Never changed.
create table svc.webhook_attempts (
  organization_id uuid not null,
  delivery_id uuid not null,
  attempt integer not null check (attempt > 0),
  -- Business time, like the schedule.
  attempted_at timestamptz not null,
  outcome text not null,
  status_code smallint,
  duration_ms integer not null,
  error text,
  -- The receiver's response. It may repeat the request, so it is sealed with the key of the event's customer; where the
  -- event holds no personal data, with the webhook's own key.
  sealed_response bytea,
  is_response_cut boolean not null default false,
  data_key_id uuid,
  primary key (organization_id, delivery_id, attempt),
  check (num_nonnulls(sealed_response, data_key_id) in (0, 2))
);
grant select, insert on svc.webhook_attempts to svc_app;
