-- Deletes the requests of a deleted sandbox inbox. Processes cannot delete rows themselves.
create or replace function svc.empty_sandbox_inbox(p_organization_id uuid, p_inbox_id uuid) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from svc.sandbox_inbox_requests as request
   using svc.sandbox_inboxes as inbox
   where request.organization_id = p_organization_id and request.inbox_id = p_inbox_id
     and inbox.organization_id = p_organization_id and inbox.inbox_id = p_inbox_id and inbox.deleted_at is not null
$$;

revoke execute on function svc.empty_sandbox_inbox from public;
grant execute on function svc.empty_sandbox_inbox to svc_app;
