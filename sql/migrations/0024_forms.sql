-- The hosted forms: the answers that a customer has typed and not submitted yet, at most one draft per customer. Sealed
-- with the customer's key. A draft is emptied when it is submitted, on erasure, and 30 days after its last change.

create table svc.form_drafts (
  organization_id uuid not null,
  customer_id uuid not null,
  -- The submission that the draft continues: after a newer one, the draft no longer counts.
  submission integer not null,
  -- Counts the changes, so that two devices do not overwrite each other without noticing.
  revision bigint not null default 1,
  data_key_id uuid not null,
  sealed_draft bytea,
  -- Files that only the draft refers to.
  blob_ids uuid[] not null default '{}',
  updated_at timestamptz not null default clock_timestamp(),
  primary key (organization_id, customer_id)
);
create index form_drafts_by_age on svc.form_drafts (updated_at) where sealed_draft is not null;
grant select, insert, update on svc.form_drafts to svc_app;
