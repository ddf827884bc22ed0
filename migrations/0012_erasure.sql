-- Forgetting a customer: the key is destroyed, what it sealed is emptied where it stands, and files are taken away.

-- Business time, like updated_at. Set once; nothing about the customer changes afterwards.
alter table svc.customers add column erased_at timestamptz;

-- Work: a file of an erased customer is removed when due, and the row stays to say so.
alter table svc.blobs
  add column due_at timestamptz,
  add column lease_until timestamptz,
  add column fence bigint not null default 0,
  add column removed_at timestamptz;
create index blobs_due on svc.blobs (due_at) where due_at is not null;
create index blobs_by_customer on svc.blobs (organization_id, customer_id);
grant update (due_at, lease_until, fence, removed_at) on svc.blobs to svc_app;

-- A mark of an erased customer is overwritten with chance: it matches nobody any more.
create index identity_marks_by_customer on svc.identity_marks (organization_id, customer_id);
grant update (identity_hash) on svc.identity_marks to svc_app;
