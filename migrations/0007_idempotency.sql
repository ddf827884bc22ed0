-- The first answer to each idempotency key, written in the transaction of its effect. Keys are kept for ever.
create table svc.idempotency_keys (
  organization_id uuid not null,
  route text not null,
  idempotency_key text not null,
  fingerprint bytea not null,
  status smallint not null,
  answer text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (organization_id, route, idempotency_key)
);
grant select, insert on svc.idempotency_keys to svc_app;
