-- The end customers of an integrator. Each customer's identity is sealed with a key of its own. An erasure destroys
-- that key, empties the fields it sealed and removes the files.

create table svc.customers (
  organization_id uuid not null,
  customer_id uuid not null,
  customer_type text not null check (customer_type in ('INDIVIDUAL', 'BUSINESS')),
  status text not null,
  -- Counts the changes that have an event.
  version integer not null default 1,
  -- The number of the newest submission: the outcome of an older one changes nothing.
  submission integer not null default 0,
  data_key_id uuid not null,
  sealed_profile bytea not null,
  sealed_identity bytea,
  issues jsonb not null default '[]',
  -- Business time since which the newest submission waits for a reviewer.
  review_opened_at timestamptz,
  -- Raised to invalidate all links to a hosted form issued before.
  link_version integer not null default 1,
  -- The rails and networks the customer may use, by type and country alone, and the catalog edition they were computed
  -- with. In the clear, so that a quote needs no key.
  allowed_methods text[],
  allowed_by text,
  created_at timestamptz not null,
  -- Time of the last change of status.
  updated_at timestamptz not null,
  -- Business time, like updated_at. Set once; nothing about the customer changes afterwards.
  erased_at timestamptz,
  -- The caller's own id; emptied by an erasure. Metadata is part of the sealed profile.
  external_id text,
  primary key (organization_id, customer_id)
);
-- A link to a hosted form names the customer alone.
create index customers_by_id on svc.customers (customer_id);
-- The filters of the list. bench/list-indexes.ts tells what each costs.
create index customers_by_status on svc.customers (organization_id, status, customer_id);
create index customers_by_created on svc.customers (organization_id, created_at, customer_id);
create unique index customers_external_id on svc.customers (organization_id, external_id) where external_id is not null;
grant select, insert, update on svc.customers to svc_app;

-- Keyed hashes of the texts by which a customer is found: email, name, prefixes of the name. Removed by an erasure. See
-- docs/decisions/0120.
create table svc.customer_search (
  organization_id uuid not null,
  search_hash bytea not null,
  customer_id uuid not null,
  primary key (organization_id, search_hash, customer_id)
);
create index customer_search_by_customer on svc.customer_search (organization_id, customer_id);
-- Only svc.write_customer_search changes it.
grant select on svc.customer_search to svc_app;

-- The owner of each file in the blob store. A file without a row here is an orphan and is collected. Also work: the
-- file of an erased customer is removed when due, and the row stays as the record of it.
create table svc.blobs (
  organization_id uuid not null,
  blob_id uuid not null,
  customer_id uuid not null,
  -- The length of the file before it was sealed.
  bytes bigint not null check (bytes >= 0),
  created_at timestamptz not null default clock_timestamp(),
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  removed_at timestamptz,
  primary key (organization_id, blob_id)
);
create index blobs_by_id on svc.blobs (blob_id);
create index blobs_due on svc.blobs (due_at) where due_at is not null;
create index blobs_by_customer on svc.blobs (organization_id, customer_id);
grant select, insert, update (due_at, lease_until, fence, removed_at) on svc.blobs to svc_app;

-- The bytes of the files of an organization that are not removed. See docs/decisions/0128.
create table svc.blob_totals (
  organization_id uuid primary key,
  bytes bigint not null check (bytes >= 0)
);
grant select, insert, update (bytes) on svc.blob_totals to svc_app;

-- The reason of an act on a customer, in the actor's own words. The text is lost with the customer's key; the audit row
-- stays.
create table svc.customer_notes (
  organization_id uuid not null,
  -- The act's row in svc.audit.
  audit_id uuid not null,
  customer_id uuid not null,
  act text not null,
  sealed_text bytea not null,
  written_at timestamptz not null default clock_timestamp(),
  primary key (organization_id, audit_id)
);
create index customer_notes_by_customer on svc.customer_notes (organization_id, customer_id, audit_id);
grant select, insert on svc.customer_notes to svc_app;
