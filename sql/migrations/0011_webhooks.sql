-- Webhook endpoints, and the deliveries of events to them. See docs/webhooks.md and docs/decisions/0019 and 0031.

-- An endpoint of an integrator. Also a work row: only the holder of its lease sends to it.
create table svc.webhooks (
  organization_id uuid not null,
  webhook_id uuid not null,
  url text not null,
  -- Event types; '*' means all present and future types.
  events text[] not null,
  description text,
  -- PENDING: the endpoint has not answered a challenge yet, and receives nothing else.
  status text not null check (status in ('PENDING', 'ENABLED', 'DISABLED', 'DELETED')),
  disabled_at timestamptz,
  -- The version of the event of its last move to DISABLED. Later changes of a disabled webhook have events as well.
  disabled_version integer,
  deleted_at timestamptz,
  disabled_reason text check (disabled_reason in ('GONE', 'FAILING', 'REQUESTED', 'UNPROVEN', 'KEY_REVOKED',
    'KEY_EXPIRED', 'OPERATOR')),
  -- When the endpoint at this URL answered a challenge; null after a change of the URL.
  proven_at timestamptz,
  -- The challenges since the webhook became PENDING, and the outcome of the last one.
  challenges integer not null default 0,
  challenge_outcome text,
  -- When the last challenge failed: the next one is not before some seconds later, also after a change.
  challenged_at timestamptz,
  -- The key that chose the address and the types, or its successor: of the organization, or of its parent. A webhook
  -- without one receives nothing until another key takes it over.
  maker_organization_id uuid,
  maker_api_key_id uuid,
  -- When that key expires, by real time.
  maker_expires_at timestamptz,
  -- The scopes of its maker: it receives the types that these may read. Copied, so that no event looks a key up.
  scopes text[] not null default '{}',
  -- Set in a row that is no webhook but a notice: it tells the former address of that webhook of one change. `url` is
  -- that address, `version` that of the event, `fanned_out_to` 0 until the event has its delivery. A notice is DELETED
  -- from its beginning, so no operation finds it. See docs/decisions/0150.
  former_of uuid,
  -- The secrets that sign a notice: those that signed for the webhook before the change.
  secret_ids uuid[],
  -- Seals the secrets, and the responses to events without personal data. Destroyed when the webhook is deleted and its
  -- last notice has ended.
  data_key_id uuid not null,
  -- Counts the changes that have an event.
  version integer not null default 0,
  -- Counts the changes that a dispatcher must know of: URL, secret, status.
  revision integer not null default 1,
  created_at timestamptz not null,
  -- Events of the organization up to this sequence have their deliveries, or came before the webhook was enabled.
  fanned_out_to bigint not null,
  -- The revision in which the fan-out reached the last event. Another one: the webhook may lag behind an event that the
  -- fan-out has read already, because it was not enabled then, or got its share alone.
  fanned_out_revision integer not null default 0,
  is_behind boolean not null generated always as (status = 'ENABLED' and fanned_out_revision <> revision) stored,
  -- Counts replay requests; the deliveries of one replay share its number.
  replays integer not null default 0,
  -- After the endpoint failed a replay, no other is sent to it before this business time.
  replays_paused_until timestamptz,
  -- Recent health of the endpoint. While the circuit is OPEN, one delivery at a time tests whether the endpoint is
  -- back.
  failing_since timestamptz,
  consecutive_failures integer not null default 0,
  -- Attempts that svc.webhook_attempt_totals does not include yet. Sessions of several webhooks would wait for each
  -- other at the total if each attempt changed it.
  attempts_uncounted integer not null default 0,
  circuit text not null default 'CLOSED' check (circuit in ('CLOSED', 'OPEN')),
  is_slow boolean not null default false,
  -- The delivery slots that the webhook uses: quick endpoints never wait for slow or failing ones.
  lane text not null
    generated always as (case when circuit = 'OPEN' then 'FAILING' when is_slow then 'SLOW' else 'QUICK' end) stored,
  -- At or before the first delivery that may be sent. Business time; the lease is real time.
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  -- The caller's own data.
  external_id text,
  metadata json,
  primary key (organization_id, webhook_id),
  check (num_nonnulls(maker_organization_id, maker_api_key_id) in (0, 2)),
  check (maker_api_key_id is not null or former_of is not null or scopes = '{}'),
  check (num_nonnulls(former_of, secret_ids) in (0, 2)),
  check (former_of is null or status = 'DELETED'),
  check (status <> 'DISABLED' or disabled_version is not null)
);
-- A key that ends takes its webhooks along.
create index webhooks_by_maker on svc.webhooks (maker_organization_id, maker_api_key_id)
  where maker_api_key_id is not null;
create index webhooks_ending on svc.webhooks (maker_expires_at) where status in ('PENDING', 'ENABLED');
create index webhooks_due on svc.webhooks (due_at) where due_at is not null;
create index webhooks_enabled on svc.webhooks (organization_id, fanned_out_to) where status = 'ENABLED';
create index webhooks_behind on svc.webhooks (organization_id, webhook_id) where is_behind;
-- The notices about a webhook; those without a delivery yet; and those that have not ended.
create index webhooks_notices on svc.webhooks (organization_id, former_of) where former_of is not null;
create index webhooks_new_notices on svc.webhooks (organization_id, webhook_id)
  where former_of is not null and fanned_out_to = 0;
create index webhooks_open_notices on svc.webhooks (organization_id, webhook_id)
  where former_of is not null and (fanned_out_to = 0 or due_at is not null);
create unique index webhooks_external_id on svc.webhooks (organization_id, external_id)
  where external_id is not null and status <> 'DELETED';
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
-- Replays apart: live deliveries are read first, no matter how many replays wait.
create index webhook_deliveries_due on svc.webhook_deliveries
  (organization_id, webhook_id, least(replay, 1), due_at, sequence) where due_at is not null;
-- Deliveries that later events of the same resource wait for.
create index webhook_deliveries_first on svc.webhook_deliveries
  (organization_id, webhook_id, resource_id, replay, sequence) where status = 'PENDING' and attempts < 3;
create index webhook_deliveries_failed on svc.webhook_deliveries (organization_id, webhook_id, event_id, replay)
  where status = 'FAILED';
grant select, insert, update (status, attempts, schedule_from, due_at) on svc.webhook_deliveries to svc_app;

-- The outcome of each attempt. Never changed, and deleted after SVC_WEBHOOK_ATTEMPTS_DAYS, or when the organization has
-- more than SVC_WEBHOOK_ATTEMPTS_PER_ORGANIZATION.
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
  -- The first 2 KB of the receiver's response. It may repeat the request, so it is sealed with the key of the event's customer; where the
  -- event holds no personal data, with the webhook's own key.
  sealed_response bytea,
  is_response_cut boolean not null default false,
  data_key_id uuid,
  primary key (organization_id, delivery_id, attempt),
  check (num_nonnulls(sealed_response, data_key_id) in (0, 2))
);
create index webhook_attempts_by_time on svc.webhook_attempts (attempted_at);
-- The oldest of an organization are dropped first.
create index webhook_attempts_oldest on svc.webhook_attempts (organization_id, attempted_at);
grant select, insert on svc.webhook_attempts to svc_app;

-- The counted attempts of an organization that are kept. Only svc.count_webhook_attempts and
-- svc.expire_webhook_attempts change it. See docs/decisions/0128.
create table svc.webhook_attempt_totals (
  organization_id uuid primary key,
  attempts bigint not null
);
grant select on svc.webhook_attempt_totals to svc_app;
