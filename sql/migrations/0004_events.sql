-- Changes of an organization's resources: written in the database transaction of the change, sequenced after its
-- commit.

-- Order of insertion. A database transaction has its number before it takes a position (see the default below), so once
-- all with a lower number have ended, no event can appear below a position that was taken before: src/db/outbox/horizon.ts.
create sequence svc.event_positions;
grant usage on sequence svc.event_positions to svc_app;

-- No foreign keys: every change of every resource writes this table.
create table svc.events (
  organization_id uuid not null,
  event_id uuid not null,
  type text not null,
  resource_id text not null,
  resource_version integer not null check (resource_version > 0),
  -- The resource that this one belongs to, by which its events are found as well: the rule of a run.
  parent_resource_id text,
  api_version text not null,
  -- The resource as its GET showed it at that moment: JSON text that is passed through unchanged, or, where it holds
  -- personal data, sealed with a key of svc.data_keys.
  data text,
  sealed_data bytea,
  data_key_id uuid,
  -- Business time.
  created_at timestamptz not null,
  -- Order of insertion, only to sort events without a sequence. A resource's events are inserted under the lock of its
  -- row, so their positions follow its versions. Never a cursor: a lower position may commit after a higher one. A case
  -- evaluates its condition first, which gives the database transaction its number.
  position bigint not null default case when pg_current_xact_id() is not null then nextval('svc.event_positions') end,
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
create index events_by_parent on svc.events (organization_id, parent_resource_id, sequence)
  where parent_resource_id is not null;
create index events_by_type on svc.events (organization_id, type, sequence) where sequence is not null;
create index events_unsequenced on svc.events (position) where sequence is null;
-- A replay by time reads the events of that time only. An event enters this index when it is sequenced, so this index
-- does not slow down a change of a resource.
create index events_by_time on svc.events (organization_id, created_at, sequence) where sequence is not null;
-- An event is never changed. Only its sequence is written later, once. Its position is always the default.
grant select, update (sequence),
      insert (organization_id, event_id, type, resource_id, resource_version, parent_resource_id, api_version, data,
              sealed_data, data_key_id, created_at)
  on svc.events to svc_app;

-- One row: every event up to this position is sequenced or was rolled back. The sequencer reads from here on, past the
-- index entries of sequenced events, which PostgreSQL keeps as long as any reader has an older snapshot.
create table svc.event_horizon (
  only_row boolean primary key default true check (only_row),
  position bigint not null default 0
);
insert into svc.event_horizon default values;
grant select, update (position) on svc.event_horizon to svc_app;

-- The last sequence of each organization.
create table svc.event_sequences (
  organization_id uuid primary key,
  last_sequence bigint not null check (last_sequence > 0),
  -- The batch of the sequencer that wrote it: one more than the highest before, and batches commit one after the other.
  batch bigint not null default 0
);
create index event_sequences_by_batch on svc.event_sequences (batch, organization_id);
grant select, insert, update (last_sequence, batch) on svc.event_sequences to svc_app;

-- A duty that reads the events of all organizations: those whose last batch is not above this one have nothing new for
-- it. See src/db/outbox/readers.ts.
create table svc.event_readers (
  reader text primary key,
  batch bigint not null default 0
);
insert into svc.event_readers (reader) values ('webhooks'), ('destination alerts');
grant select, update (batch) on svc.event_readers to svc_app;
