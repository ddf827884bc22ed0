-- Which places of a worker a webhook takes: those that answer quickly never wait for those that do not. See
-- docs/decisions/0031-slow-webhooks-wait-for-each-other.md.
alter table svc.webhooks add column is_slow boolean not null default false;
alter table svc.webhooks add column lane text not null
  generated always as (case when circuit = 'OPEN' then 'FAILING' when is_slow then 'SLOW' else 'QUICK' end) stored;

-- Replays by time read what happened then, and not everything before it. Entered when an event gets its number, so no change
-- of a resource takes longer for it.
create index events_by_time on svc.events (organization_id, created_at, sequence) where sequence is not null;
