-- The first answer to each idempotency key, written in the transaction of its effect. Keys are kept for ever.
create table svc.idempotency_keys (
  organization_id uuid not null,
  route text not null,
  idempotency_key text not null,
  fingerprint bytea not null,
  status smallint not null,
  -- In plain text, or, when it tells who somebody is, sealed with that customer's key (of that customer's organization).
  answer text,
  sealed_answer bytea,
  data_key_id uuid,
  data_key_organization_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  primary key (organization_id, route, idempotency_key),
  check (num_nonnulls(answer, sealed_answer) = 1),
  check (num_nonnulls(sealed_answer, data_key_id, data_key_organization_id) in (0, 3))
);
grant select, insert on svc.idempotency_keys to svc_app;
