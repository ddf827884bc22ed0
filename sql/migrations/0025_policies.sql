-- Policies for money that leaves: what organizations and the platform have set, and what was counted against it.

-- The policy as it was set last, by its owner: the organization itself, or the platform, whose policy binds in addition.
-- The audit log has the earlier ones.
create table svc.policies (
  organization_id uuid not null,
  owner text not null check (owner in ('ORGANIZATION', 'PLATFORM')),
  version integer not null,
  -- The rules, as their author wrote them.
  document json not null,
  updated_at timestamptz not null,
  primary key (organization_id, owner)
);
grant select, insert, update (version, document, updated_at) on svc.policies to svc_app;

-- The rules of the policies in the form that is evaluated, one row each, so that no payment parses a document. Amounts
-- are in cents of USD. What a kind does not have is null.
create table svc.policy_rules (
  organization_id uuid not null,
  owner text not null check (owner in ('ORGANIZATION', 'PLATFORM')),
  rule_id text not null,
  -- The place in its policy.
  position integer not null,
  kind text not null check (kind in ('LIMIT', 'DESTINATIONS', 'APPROVAL', 'QUIET_HOURS', 'KILL_SWITCH')),
  -- The payments that it applies to; null means any.
  api_key_ids uuid[],
  customer_ids uuid[],
  destination_ids uuid[],
  methods text[],
  -- LIMIT: whose payments are added up, and the maxima.
  per text check (per in ('ORGANIZATION', 'API_KEY', 'CUSTOMER', 'DESTINATION')),
  transaction_max numeric(38, 0),
  hour_max numeric(38, 0),
  day_max numeric(38, 0),
  month_max numeric(38, 0),
  -- Names its counters. A rule keeps it while its kind and `per` stay; one that is removed and set anew gets another.
  counter_id uuid not null,
  -- DESTINATIONS: the allowed accounts, and since when each has been listed without a gap.
  allowed_ids uuid[],
  listed_at timestamptz[],
  cooling interval,
  -- APPROVAL
  approval_above numeric(38, 0),
  approvals_needed integer,
  approver_ids uuid[],
  approval_lifetime interval,
  -- QUIET_HOURS: local times, and the days on which the hours begin (1 is Monday).
  quiet_from time,
  quiet_to time,
  time_zone text,
  quiet_days integer[],
  -- When it was removed from its policy; one that is set anew under the same id begins anew.
  ended_at timestamptz,
  primary key (organization_id, owner, rule_id),
  check ((kind = 'LIMIT') = (per is not null)),
  check ((kind = 'DESTINATIONS') = (allowed_ids is not null)),
  check (cardinality(allowed_ids) = cardinality(listed_at)),
  check ((kind = 'APPROVAL') = (approval_above is not null)),
  check ((kind = 'QUIET_HOURS') = (quiet_from is not null))
);
create index policy_rules_ended on svc.policy_rules (ended_at) where ended_at is not null;
grant select, insert, update on svc.policy_rules to svc_app;

-- The sums of a rule and a subject (the organization, key or customer; svc.subject_of_destination; all zeros for a payment
-- without a key) in the current hour, day and month of UTC.
create table svc.policy_counters (
  organization_id uuid not null,
  counter_id uuid not null,
  subject uuid not null,
  hour_start timestamptz not null,
  hour_used numeric(38, 0) not null,
  day_start timestamptz not null,
  day_used numeric(38, 0) not null,
  month_start timestamptz not null,
  month_used numeric(38, 0) not null,
  primary key (organization_id, counter_id, subject),
  -- One check: PostgreSQL reads the text of each for every statement.
  check (least(hour_used, day_used, month_used) >= 0)
) with (fillfactor = 50);
-- Changes once a month.
create index policy_counters_spent on svc.policy_counters (month_start);
grant select, insert, update (hour_start, hour_used, day_start, day_used, month_start, month_used) on svc.policy_counters
  to svc_app;

-- The verdicts of rules on the requests of one call that are not GO, sorted by request.
-- `counters` names the organization, counter and subject of each that counts; `remaining` is kept up to date at the first
-- of a name.
create type svc.weighed_rules as (
  places integer[],
  verdicts text[],
  -- The owner, kind and id of the rule.
  names text[],
  counter_ids uuid[],
  subjects uuid[],
  counters text[],
  remaining numeric[],
  -- The rules that demand an approval, as svc.approvals keeps them.
  demands jsonb[],
  approval_lifetimes interval[]
);
