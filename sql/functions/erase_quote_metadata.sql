-- Empties the metadata of a customer's quotes, for an erasure. Processes may not update quotes themselves, so a quoted
-- price never changes.
create or replace function svc.erase_quote_metadata(p_organization_id uuid, p_customer_id uuid) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update svc.quotes set metadata = null
   where organization_id = p_organization_id and customer_id = p_customer_id and metadata is not null
$$;

revoke execute on function svc.erase_quote_metadata from public;
grant execute on function svc.erase_quote_metadata to svc_app;
