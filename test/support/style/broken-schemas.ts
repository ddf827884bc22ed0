/** Statements of an unwary migration that each rule about the database must catch. */
export const brokenSchemas: Record<string, readonly string[]> = {
  'a table is a tenant’s or the platform’s': [
    'create table svc.strays (stray_id uuid primary key)',
    'alter table svc.clock add organization_id uuid',
    'drop table svc.duties',
  ],
  'keys of tenant tables start with the organization': [
    'create table svc.strays (organization_id uuid not null)',
    'create table svc.strays (stray_id uuid primary key, organization_id uuid not null)',
    'create table svc.strays (stray_id uuid, organization_id uuid, primary key (stray_id, organization_id))',
    'alter table svc.api_keys add unique (api_key_id, organization_id)',
    'create unique index on svc.api_keys (key_hash) where revoked_at is null',
    'create unique index on svc.api_keys (lower(name), organization_id)',
  ],
  'tenant tables have no triggers': [
    `create function svc.act() returns trigger language plpgsql as 'begin return new; end';
     create trigger act before insert on svc.api_keys for each row execute function svc.act()`,
  ],
  'processes own nothing and cannot rewrite history': [
    'alter table svc.api_keys owner to svc_app',
    'alter function svc.now() owner to svc_app',
    'grant delete on svc.api_keys to svc_app',
    'grant truncate on svc.api_keys to public',
    'grant update (environment) on svc.deployment to svc_app',
    'alter role svc_app superuser',
    'alter role svc_app bypassrls',
    'grant pg_write_all_data to svc_app',
    'grant svc_signer to svc_app',
    'grant delete on svc.wallet_addresses to svc_signer',
    'grant update (act) on svc.custody_acts to svc_signer',
    'alter role svc_signer bypassrls',
  ],
  'every table and SQL function has one owner': [
    'create table svc.strays (organization_id uuid primary key)',
    `create function svc.stray() returns void language sql as ''`,
    'drop table svc.duties',
  ],
  // Functions of one name have one owner: svc.now is db's.
  'SQL functions use only tables and functions of their owner, or give a reason': [
    `create function svc.now(integer) returns void language sql as 'delete from svc.customers'`,
    `create function svc.now(integer) returns bigint language sql as 'select count(*) from svc.customers'`,
    `create function svc.now(integer) returns bigint language sql return (select count(*) from svc.customers)`,
    `create function svc.now(integer) returns void language plpgsql as 'begin perform svc.release($1); end'`,
  ],
}
