-- What happened to an organization's resources: written in the transaction of the change, numbered after its commit.

-- No foreign keys: this table is written with every change of every resource.
create table svc.events (
  organization_id uuid not null,
  event_id uuid not null,
  type text not null,
  resource_id text not null,
  resource_version integer not null check (resource_version > 0),
  api_version text not null,
  -- The resource as its GET showed it at that moment: as JSON text that is passed through as it is, or, where it holds
  -- personal data, sealed with a key of svc.data_keys.
  data text,
  sealed_data bytea,
  data_key_id uuid,
  -- Business time.
  created_at timestamptz not null,
  -- Order of insertion, only to sort the events that have no number yet. A resource's events are inserted under the lock
  -- of its row, so their positions follow its versions. Never a cursor: a lower position may commit after a higher one.
  position bigint generated always as identity,
  -- Gapless from 1 in each organization, in the order in which commits became visible. Null until src/db/outbox/events.ts stamps
  -- it; nobody is shown an event before that. So whoever has read up to a sequence has missed nothing below it.
  sequence bigint check (sequence > 0),
  primary key (organization_id, event_id),
  -- A version is told once. Ids of resources are UUIDs, so resources of different kinds never share one.
  constraint events_once_per_version unique (organization_id, resource_id, resource_version),
  constraint events_plain_or_sealed check (
    (data is null) = (sealed_data is not null) and (sealed_data is null) = (data_key_id is null)
  )
);
create unique index events_by_sequence on svc.events (organization_id, sequence) where sequence is not null;
create index events_by_type on svc.events (organization_id, type, sequence) where sequence is not null;
create index events_unstamped on svc.events (position) where sequence is null;
-- An event is never changed. The one column that may be written later is its number, once.
grant select, insert, update (sequence) on svc.events to svc_app;

-- The last number given in each organization.
create table svc.event_sequences (
  organization_id uuid primary key,
  last_sequence bigint not null check (last_sequence > 0)
);
grant select, insert, update (last_sequence) on svc.event_sequences to svc_app;
