-- Automation rules: payments that the service makes by itself, their triggers, and the outcome of each run.

create table svc.automation_rules (
  organization_id uuid not null,
  rule_id uuid not null,
  customer_id uuid not null,
  name text not null check (name <> ''),
  source_payment_account_id uuid not null,
  source_asset text not null,
  source_method text not null,
  destination_payment_account_id uuid not null,
  destination_asset text not null,
  destination_method text not null,
  amount_type text not null check (amount_type in ('FLAT', 'PCT')),
  -- As the caller wrote it, and exactly: smallest units of the source asset, or ten-thousandths of a percent.
  amount_text text not null,
  amount_units numeric(38, 0) not null,
  developer_fee_type text check (developer_fee_type in ('USD', 'SOURCE_CURRENCY')),
  -- As the caller wrote it: each quote parses it again.
  developer_fee_text text,
  trigger_type text not null check (trigger_type in ('TIME_BASED', 'THRESHOLD_BASED')),
  cron_schedule text,
  threshold_text text,
  threshold_units numeric(38, 0) check (threshold_units > 0),
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'PAUSED')),
  -- The key that wrote the terms or resumed it last, or its successor: policies count the payments of the rule as that
  -- key's, and it is paused when that key is revoked.
  api_key_id uuid,
  -- Raised by every change, so that no money moves on outdated terms.
  version integer not null default 1,
  -- The minute (business time) of the next run: null while the rule is paused, deleted or waits for a balance.
  next_run_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  -- The caller's own data. Metadata is emptied when the customer is erased.
  external_id text,
  metadata json,
  primary key (organization_id, rule_id),
  check (case amount_type when 'PCT' then amount_units between 0 and 1000000 else amount_units > 0 end),
  check ((developer_fee_type is null) = (developer_fee_text is null)),
  check ((trigger_type = 'TIME_BASED') = (cron_schedule is not null)),
  check ((trigger_type = 'THRESHOLD_BASED') = (threshold_text is not null)),
  check ((threshold_text is null) = (threshold_units is null)),
  check (next_run_at is null or (trigger_type = 'TIME_BASED' and status = 'ACTIVE' and deleted_at is null))
);
-- The search for due rules reads no others. No further indexes: every run of a rule writes all of them.
create index automation_rules_due on svc.automation_rules (next_run_at, rule_id) where next_run_at is not null;
create index automation_rules_by_customer on svc.automation_rules (organization_id, customer_id, rule_id)
  where deleted_at is null;
create index automation_rules_by_source on svc.automation_rules (organization_id, source_payment_account_id, rule_id)
  where deleted_at is null;
-- Few rows: a rule without an id of the caller writes nothing here.
create unique index automation_rules_external_id on svc.automation_rules (organization_id, external_id)
  where external_id is not null and deleted_at is null;
grant select, insert, update on svc.automation_rules to svc_app;

-- One row for each time a rule fires.
create table svc.rule_runs (
  organization_id uuid not null,
  run_id uuid not null,
  rule_id uuid not null,
  trigger_type text not null check (trigger_type in ('TIME_BASED', 'THRESHOLD_BASED')),
  -- The minute of the schedule, or the moment at which the balance was seen to be enough.
  scheduled_for timestamptz not null,
  status text not null default 'PENDING' check (status in ('PENDING', 'EXECUTED', 'SKIPPED', 'FAILED')),
  -- Why no money moved; for a run that is retried, why the last try failed.
  reason text,
  -- Smallest units of the rule's source asset.
  amount numeric(38, 0),
  quote_id uuid,
  transaction_id uuid,
  tries integer not null default 0,
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  created_at timestamptz not null,
  finished_at timestamptz,
  -- Real time: shows a run that no worker claims.
  opened_at timestamptz not null default clock_timestamp(),
  primary key (organization_id, rule_id, run_id),
  check ((status = 'EXECUTED') = (transaction_id is not null)),
  check ((status = 'EXECUTED') = (quote_id is not null and amount is not null)),
  check (status not in ('SKIPPED', 'FAILED') or reason is not null),
  check ((status = 'PENDING') = (finished_at is null)),
  check ((status = 'PENDING') = (due_at is not null))
) with (fillfactor = 70); -- room for the claim on the same page
-- One run for each minute of a rule's schedule, however many workers find the rule due.
create unique index rule_runs_once_a_minute on svc.rule_runs (organization_id, rule_id, scheduled_for)
  where trigger_type = 'TIME_BASED';
create unique index rule_runs_one_in_flight on svc.rule_runs (organization_id, rule_id)
  where trigger_type = 'THRESHOLD_BASED' and status = 'PENDING';
-- At most one run per transaction.
create unique index rule_runs_by_transaction on svc.rule_runs (organization_id, transaction_id)
  where transaction_id is not null;
create index rule_runs_due on svc.rule_runs (due_at, rule_id) where due_at is not null;
grant select, insert, update on svc.rule_runs to svc_app;

-- One row for each rule that waits for a balance. A posting that raises the balance of a wallet makes the wallet's rows
-- due in its own database transaction, and a worker compares afterwards. A wallet without rules costs one index lookup.
create table svc.threshold_watches (
  organization_id uuid not null,
  rule_id uuid not null,
  customer_id uuid not null,
  payment_account_id uuid not null,
  asset text not null,
  -- The run in flight: the worker compares again only after it has ended.
  run_id uuid,
  -- The balance was raised while a run was in flight.
  is_raised boolean not null default false,
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  -- Postings that began before this row was committed may have missed it.
  known_from xid8,
  -- The time its rule was deleted.
  ended_at timestamptz,
  primary key (organization_id, rule_id),
  check (run_id is null or due_at is null)
);
create index threshold_watches_of_wallet on svc.threshold_watches (organization_id, payment_account_id, asset, rule_id)
  where ended_at is null;
create index threshold_watches_of_customer on svc.threshold_watches (organization_id, customer_id, rule_id)
  where ended_at is null;
create index threshold_watches_due on svc.threshold_watches (due_at) where due_at is not null;
grant select, insert, update on svc.threshold_watches to svc_app;
