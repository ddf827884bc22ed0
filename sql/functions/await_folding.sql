-- Waits for the workers that fold postings at this moment: svc.fold_entries passes over what another one has taken. No
-- folding waits for this, so the two cannot wait for each other.
create or replace function svc.await_folding() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from svc.unfolded_postings for key share;
end $$;

revoke execute on function svc.await_folding from public;
grant execute on function svc.await_folding to svc_app;
