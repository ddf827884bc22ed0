-- Approvals: keys decide about a transaction that a rule of the organization's policy holds.

create table svc.approvals (
  organization_id uuid not null,
  approval_id uuid not null,
  transaction_id uuid not null,
  -- The rules that demand it: [{"organizationId", "owner", "ruleId", "approvals", "approvers"}]. The first three name a
  -- rule: a child is bound by rules of its own, by the platform's, and by the platform's for its parent. Without approvers
  -- any key may decide.
  rules jsonb not null,
  -- The key that made the transaction; null when none did.
  maker_api_key_id uuid,
  -- CANCELLED: the transaction ended before the decision.
  status text not null check (status in ('OPEN', 'APPROVED', 'REFUSED', 'EXPIRED', 'CANCELLED')),
  -- Counts the changes that have an event.
  version integer not null default 1,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  decided_at timestamptz,
  -- Work: a worker expires it. No due time once it is decided.
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  primary key (organization_id, approval_id),
  check ((status = 'OPEN') = (decided_at is null)),
  check ((status = 'OPEN') = (due_at is not null))
);
-- A transaction waits for one approval at a time.
create unique index approvals_open_once on svc.approvals (organization_id, transaction_id) where status = 'OPEN';
create index approvals_of_transaction on svc.approvals (organization_id, transaction_id);
create index approvals_by_status on svc.approvals (organization_id, status, approval_id);
create index approvals_due on svc.approvals (due_at) where due_at is not null;
create index approvals_due_by_organization on svc.approvals (organization_id, due_at) where due_at is not null;
-- No process changes what was demanded, by whom it was made, or when it ends.
grant select, insert, update (status, version, decided_at, due_at, lease_until, fence) on svc.approvals to svc_app;

-- One decision per key. The key belongs to the organization, or to its parent.
create table svc.approval_decisions (
  organization_id uuid not null,
  approval_id uuid not null,
  api_key_id uuid not null,
  key_organization_id uuid not null,
  decision text not null check (decision in ('APPROVE', 'REFUSE')),
  decided_at timestamptz not null,
  constraint approval_decisions_once primary key (organization_id, approval_id, api_key_id),
  foreign key (organization_id, approval_id) references svc.approvals
);
grant select, insert on svc.approval_decisions to svc_app;
