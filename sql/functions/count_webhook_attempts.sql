-- Adds the uncounted attempts of a webhook to the total of its organization, and deletes the oldest attempts of the
-- organization beyond p_most, at most p_limit of them. Answers how many. Processes cannot delete rows themselves. The row
-- of the total is locked: one session at a time deletes the attempts of an organization.
create or replace function svc.count_webhook_attempts(p_organization_id uuid, p_webhook_id uuid, p_most bigint,
  p_limit integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_uncounted integer;
  v_total bigint;
  v_deleted integer := 0;
begin
  select attempts_uncounted into v_uncounted from svc.webhooks
   where organization_id = p_organization_id and webhook_id = p_webhook_id for no key update;
  update svc.webhooks set attempts_uncounted = 0
   where organization_id = p_organization_id and webhook_id = p_webhook_id and attempts_uncounted > 0;
  insert into svc.webhook_attempt_totals as total (organization_id, attempts)
  values (p_organization_id, coalesce(v_uncounted, 0))
      on conflict (organization_id) do update set attempts = total.attempts + excluded.attempts
  returning attempts into v_total;
  if v_total > p_most then
    delete from svc.webhook_attempts as attempt
     using (select organization_id, delivery_id, attempt from svc.webhook_attempts
             where organization_id = p_organization_id
             order by attempted_at limit least(v_total - p_most, p_limit)) as oldest
     where attempt.organization_id = oldest.organization_id and attempt.delivery_id = oldest.delivery_id
       and attempt.attempt = oldest.attempt;
    get diagnostics v_deleted = row_count;
    update svc.webhook_attempt_totals set attempts = attempts - v_deleted where organization_id = p_organization_id;
  end if;
  -- A power failure that loses this commit has lost the count as a whole: the next one makes it good.
  perform set_config('synchronous_commit', 'off', true);
  return v_deleted;
end $$;

revoke execute on function svc.count_webhook_attempts from public;
grant execute on function svc.count_webhook_attempts to svc_app;
