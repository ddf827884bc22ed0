-- Replaces the hashes by which a customer is found; none for an erased customer. Processes may not delete rows
-- themselves.
create or replace function svc.write_customer_search(p_organization_id uuid, p_customer_id uuid, p_hashes bytea[])
returns void language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from svc.customer_search
   where organization_id = p_organization_id and customer_id = p_customer_id and search_hash <> all(p_hashes);
  insert into svc.customer_search (organization_id, search_hash, customer_id)
  select p_organization_id, hash, p_customer_id from unnest(p_hashes) as hash
      on conflict (organization_id, search_hash, customer_id) do nothing
$$;

revoke execute on function svc.write_customer_search from public;
grant execute on function svc.write_customer_search to svc_app;
