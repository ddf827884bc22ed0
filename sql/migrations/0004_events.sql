-- Changes of an organization's resources: written in the database transaction of the change, sequenced after its
-- commit.

-- No foreign keys: every change of every resource writes this table.
create table svc.events (
  organization_id uuid not null,
  event_id uuid not null,
  type text not null,
  resource_id text not null,
  resource_version integer not null check (resource_version > 0),
  api_version text not null,
  -- The resource as its GET showed it at that moment: JSON text that is passed through unchanged, or, where it holds
  -- personal data, sealed with a key of svc.data_keys.
  data text,
  sealed_data bytea,
  data_key_id uuid,
  -- Business time.
  created_at timestamptz not null,
  -- Order of insertion, only to sort events without a sequence. A resource's events are inserted under the lock of its
  -- row, so their positions follow its versions. Never a cursor: a lower position may commit after a higher one.
  position bigint generated always as identity,
  -- Gapless from 1 in each organization, in the order in which commits became visible. Null until the sequencer
  -- (src/db/outbox/sequencer.ts) sets it. Readers see sequenced events only, so a reader at a sequence has missed none
  -- below it.
  sequence bigint check (sequence > 0),
  primary key (organization_id, event_id),
  -- One event per version. Resource ids are UUIDs, so resources of different kinds never share one.
  constraint events_once_per_version unique (organization_id, resource_id, resource_version),
  constraint events_plain_or_sealed check (
    (data is null) = (sealed_data is not null) and (sealed_data is null) = (data_key_id is null)
  )
);
create unique index events_by_sequence on svc.events (organization_id, sequence) where sequence is not null;
create index events_by_type on svc.events (organization_id, type, sequence) where sequence is not null;
create index events_unsequenced on svc.events (position) where sequence is null;
-- A replay by time reads the events of that time only. An event enters this index when it is sequenced, so this index
-- does not slow down a change of a resource.
create index events_by_time on svc.events (organization_id, created_at, sequence) where sequence is not null;
-- An event is never changed. Only its sequence is written later, once.
grant select, insert, update (sequence) on svc.events to svc_app;

-- The last sequence of each organization.
create table svc.event_sequences (
  organization_id uuid primary key,
  last_sequence bigint not null check (last_sequence > 0)
);
grant select, insert, update (last_sequence) on svc.event_sequences to svc_app;
