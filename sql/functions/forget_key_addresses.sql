-- Forgets the addresses of an API key beyond the hundred that were seen last. Processes cannot delete rows themselves.
create or replace function svc.forget_key_addresses(p_organization_id uuid, p_api_key_id uuid) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from svc.api_key_addresses
   where organization_id = p_organization_id and api_key_id = p_api_key_id and address in (
         select address from svc.api_key_addresses
          where organization_id = p_organization_id and api_key_id = p_api_key_id
          order by last_seen_at desc offset 100)
$$;

revoke execute on function svc.forget_key_addresses from public;
grant execute on function svc.forget_key_addresses to svc_app;
