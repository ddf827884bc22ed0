-- The audit log: one row per privileged act, written in the act's own database transaction, never changed or removed.
-- Each row carries a MAC with a key that is not in the database, and a seal that chains it to the row before.

create table svc.audit (
  organization_id uuid not null,
  audit_id uuid not null,
  -- Real time, independent of the sandbox clock.
  at timestamptz not null,
  actor text not null,
  action text not null,
  subject_id text not null,
  -- The IP address of the request that an API key made; null for a command or a worker.
  source_address text,
  -- Never personal data: this outlives an erasure.
  details jsonb not null,
  -- Over every other column, see src/db/audit/mac.ts.
  mac bytea not null,
  primary key (organization_id, audit_id)
);
-- The acts on one resource, for its timeline.
create index audit_by_subject on svc.audit (organization_id, subject_id);
-- The newest acts of an organization, all or those of one actor or of one kind.
create index audit_by_time on svc.audit (organization_id, at, audit_id);
create index audit_by_actor on svc.audit (organization_id, actor, at, audit_id);
create index audit_by_action on svc.audit (organization_id, action, at, audit_id);
grant select, insert on svc.audit to svc_app;

-- Rows that wait for their seal. Written with the audit row; a table of its own, because the audit row may not be
-- updated.
create table svc.audit_queue (
  organization_id uuid not null,
  audit_id uuid not null,
  position bigint generated always as identity,
  sealed boolean not null default false,
  primary key (organization_id, audit_id)
);
create index audit_queue_unsealed on svc.audit_queue (position) where not sealed;
grant select, insert, update (sealed) on svc.audit_queue to svc_app;

-- The chain: gapless in each organization, each hash made of the one before and the row's MAC.
create table svc.audit_seals (
  organization_id uuid not null,
  sequence bigint not null check (sequence > 0),
  audit_id uuid not null,
  chain_hash bytea not null,
  primary key (organization_id, sequence),
  unique (organization_id, audit_id)
);
grant select, insert on svc.audit_seals to svc_app;

-- The end of each chain. Its own MAC prevents cutting the chain and moving its end back.
create table svc.audit_heads (
  organization_id uuid primary key,
  last_sequence bigint not null check (last_sequence > 0),
  last_hash bytea not null,
  mac bytea not null,
  -- How far the chain is known outside the database. The head's MAC does not cover it.
  anchored_sequence bigint not null default 0
);
create index audit_heads_unanchored on svc.audit_heads (organization_id) where last_sequence > anchored_sequence;
grant select, insert, update (last_sequence, last_hash, mac, anchored_sequence) on svc.audit_heads to svc_app;
