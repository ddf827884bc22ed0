-- Decisions of reviewers: submissions that the checks leave open, and active customers who match a watch list.

create table svc.reviews (
  organization_id uuid not null,
  customer_id uuid not null,
  review_id uuid not null,
  -- Grows with each review of a customer, and when findings are added to an open one: a decision names the state it
  -- saw.
  version integer not null,
  reason text not null check (reason in ('MANUAL_SUBMISSION', 'WATCH_LIST_HIT')),
  -- The submission under review: a decision never reaches a newer one.
  submission integer not null,
  status text not null default 'OPEN' check (status in ('OPEN', 'DECIDED')),
  -- Codes, fields and entries of public lists, never the customer's data.
  findings jsonb not null,
  -- Whether it is about a match: then the persons who clear matches decide, also about the customer's money.
  has_match boolean not null generated always as (reason = 'WATCH_LIST_HIT'
    or findings @? '$[*] ? (@.code starts with "AML_" || exists(@.watchList))') stored,
  opened_at timestamptz not null,
  -- Real time: the reviewer who has claimed it, and until when no other reviewer may decide.
  claimed_by text,
  claimed_until timestamptz,
  decision text check (decision in ('APPROVE', 'NEEDS_INFO', 'REJECT')),
  issues jsonb not null default '[]',
  -- Keyed hashes of the doubts that the reviewer saw and did not ask about, each with the data that it is about.
  accepted bytea[] not null default '{}',
  -- Codes that the reviewer asked about and that the checks cannot judge: a reviewer judges the answer.
  questions text[] not null default '{}',
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
  update (version, status, findings, claimed_by, claimed_until, decision, issues, accepted, questions,
    decided_at, decided_by)
  on svc.reviews to svc_app;

-- Every customer who is or was active, with the watch-list version they were last screened against. Work: claimed by a
-- worker with a newer list. A finished row needs no due time, because the version tells it.
create table svc.screenings (
  organization_id uuid not null,
  customer_id uuid not null,
  -- 0: never screened.
  screened_version integer not null default 0,
  lease_until timestamptz,
  fence bigint not null default 0,
  primary key (organization_id, customer_id)
);
create index screenings_by_version on svc.screenings (screened_version);
grant select, insert, update (screened_version, lease_until, fence) on svc.screenings to svc_app;
