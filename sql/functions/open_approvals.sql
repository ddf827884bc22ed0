-- Opens approvals of transactions that exist, with their events. Rows with the same approval are rules that demand it
-- together: it needs the approvals of each, and ends with the first of them. An approval's id is that of its event, too.
create or replace function svc.open_approvals(
  p_organization_ids uuid[], p_transaction_ids uuid[], p_approval_ids uuid[], p_demands jsonb[],
  p_expires_at timestamptz[], p_maker_key_ids uuid[], p_api_version text)
returns void language plpgsql as $$
#variable_conflict use_column
declare
  moment constant timestamptz := date_trunc('milliseconds', svc.now());
begin
  with opened as (
    insert into svc.approvals as approval (organization_id, approval_id, transaction_id, rules, maker_api_key_id, status,
           created_at, expires_at, due_at)
    select organization_id, approval_id, transaction_id, jsonb_agg(demand order by place), maker_key_id, 'OPEN', moment,
           min(expires_at), min(expires_at)
      from unnest(p_organization_ids, p_transaction_ids, p_approval_ids, p_demands, p_expires_at, p_maker_key_ids)
           with ordinality as wanted (organization_id, transaction_id, approval_id, demand, expires_at, maker_key_id, place)
     group by organization_id, transaction_id, approval_id, maker_key_id
    returning organization_id, approval_id, svc.show_approval(approval) as shown)
  insert into svc.events (organization_id, event_id, type, resource_id, resource_version, api_version, data, created_at)
  select organization_id, approval_id, 'approval.created', approval_id::text, 1, p_api_version, shown, moment
    from opened order by opened.approval_id;
end $$;

revoke execute on function svc.open_approvals from public;
grant execute on function svc.open_approvals to svc_app;
