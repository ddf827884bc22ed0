-- What every deployment has, whoever its tenants are. The schema itself and svc.migrations: see src/db/migrate.ts.

-- One row: which kind of deployment this database belongs to. A sandbox database can never become a production one.
create table svc.deployment (
  only_row boolean primary key default true check (only_row),
  environment text not null check (environment in ('sandbox', 'production')),
  created_at timestamptz not null default clock_timestamp()
);
grant select, insert on svc.deployment to svc_app;

-- One row: business time. Production keeps both at their defaults; the sandbox moves them.
create table svc.clock (
  only_row boolean primary key default true check (only_row),
  ahead interval not null default '0',
  frozen_at timestamptz
);
insert into svc.clock default values;
grant select, update on svc.clock to svc_app;

-- Business time: quotes, transactions, rules, schedules and document dates live by it.
-- Leases, locks and credentials do not: they use clock_timestamp().
create function svc.now() returns timestamptz
  language sql stable parallel safe
  return (select coalesce(clock.frozen_at, now() + clock.ahead) from svc.clock);

-- What one worker of the whole deployment does again and again. Claimed with a lease and a fence, see src/db/work.ts.
create table svc.duties (
  duty text primary key,
  due_at timestamptz not null default clock_timestamp(),
  lease_until timestamptz,
  fence bigint not null default 0,
  finished_at timestamptz,
  outcome jsonb
);
grant select, insert, update on svc.duties to svc_app;
