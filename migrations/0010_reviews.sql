-- What a person has to decide: submissions that the checks leave open, and customers who turn out to resemble somebody on
-- a watch list while they are served.

create table svc.reviews (
  organization_id uuid not null,
  customer_id uuid not null,
  review_id uuid not null,
  -- Grows with each review of a customer, and when findings are added to an open one: what was looked at has one number.
  version integer not null,
  reason text not null check (reason in ('MANUAL_SUBMISSION', 'WATCH_LIST_HIT')),
  -- The submission it is about: a decision never reaches a newer one.
  submission integer not null,
  status text not null default 'OPEN' check (status in ('OPEN', 'DECIDED')),
  -- Codes, fields and entries of public lists, never what the customer wrote.
  findings jsonb not null,
  opened_at timestamptz not null,
  -- Real time: who looks at it, and until when nobody else may decide.
  claimed_by text,
  claimed_until timestamptz,
  decision text check (decision in ('APPROVE', 'NEEDS_INFO', 'REJECT')),
  issues jsonb not null default '[]',
  decided_at timestamptz,
  decided_by text,
  primary key (organization_id, review_id),
  constraint reviews_version unique (organization_id, customer_id, version),
  check (num_nonnulls(claimed_by, claimed_until) in (0, 2)),
  check (num_nonnulls(decision, decided_at, decided_by) = case status when 'DECIDED' then 3 else 0 end)
);
create unique index reviews_one_open on svc.reviews (organization_id, customer_id) where status = 'OPEN';
create index reviews_by_status on svc.reviews (organization_id, status, review_id);
create index reviews_waiting on svc.reviews (opened_at) where status = 'OPEN';
grant select, insert,
  update (version, status, findings, claimed_by, claimed_until, decision, issues, decided_at, decided_by)
  on svc.reviews to svc_app;

-- Whoever waits for a person already. The id is made as ours are, from the time, because reviews are listed by it.
insert into svc.reviews (organization_id, customer_id, review_id, version, reason, submission, findings, opened_at)
select submission.organization_id, submission.customer_id,
       (lpad(to_hex((extract(epoch from submission.submitted_at) * 1000)::bigint), 12, '0') || '7' ||
        substr(random.hex, 1, 3) || '8' || substr(random.hex, 4, 15))::uuid,
       1, 'MANUAL_SUBMISSION', submission.submission, submission.findings, submission.submitted_at
  from svc.submissions as submission
  join svc.customers as customer on customer.organization_id = submission.organization_id
   and customer.customer_id = submission.customer_id and customer.submission = submission.submission
 cross join lateral (select md5(submission.customer_id::text || submission.submission) as hex) as random
 where submission.state = 'MANUAL' and customer.status = 'UNDER_REVIEW';

-- Everybody who is served or was, with the watch list they were last compared with. Work, claimed by whoever has a newer
-- list; a row that is done needs no due time, because the number of the list says it.
create table svc.screenings (
  organization_id uuid not null,
  customer_id uuid not null,
  -- 0: with none yet.
  screened_version integer not null default 0,
  lease_until timestamptz,
  fence bigint not null default 0,
  primary key (organization_id, customer_id)
);
create index screenings_by_version on svc.screenings (screened_version);
grant select, insert, update (screened_version, lease_until, fence) on svc.screenings to svc_app;

insert into svc.screenings (organization_id, customer_id)
select organization_id, customer_id from svc.customers where status in ('ACTIVE', 'DEACTIVATED');

-- Why somebody acted on a customer, in their own words. The words go with the customer's key; the audit row stays.
create table svc.customer_notes (
  organization_id uuid not null,
  -- Of the act.
  audit_id uuid not null,
  customer_id uuid not null,
  act text not null,
  sealed_text bytea not null,
  written_at timestamptz not null default clock_timestamp(),
  primary key (organization_id, audit_id)
);
create index customer_notes_by_customer on svc.customer_notes (organization_id, customer_id, audit_id);
grant select, insert on svc.customer_notes to svc_app;
