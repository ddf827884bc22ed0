-- Adds the entries of accounts without an exact balance to `posted`, and those of the kinds that svc.kind_totals has to
-- their total. Copies those of bank accounts to svc.ledger_lines, where they are open until reconciliation keeps their names.
-- Passes over postings that another process folds at that moment, or waits until it has folded them. Returns the number of
-- postings it folded.
create or replace function svc.fold_entries(p_limit integer, p_waits boolean) returns integer
language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  organization_ids uuid[];
  posting_ids uuid[];
begin
  -- All that wait do so in one order, and those that pass over rows hold none that they wait for.
  if p_waits then
    perform from svc.unfolded_postings order by organization_id, posting_id limit p_limit for update;
  end if;
  with taken as (
    delete from svc.unfolded_postings
     where (organization_id, posting_id) in (
             select organization_id, posting_id from svc.unfolded_postings
              order by organization_id, posting_id limit p_limit for update skip locked)
    returning organization_id, posting_id)
  select array_agg(organization_id), array_agg(posting_id) into organization_ids, posting_ids from taken;
  perform from (select distinct organization_id, account_id
                  from unnest(organization_ids, posting_ids) as taken (organization_id, posting_id)
                  join svc.entries as entry using (organization_id, posting_id)
                 where account_sequence is null) as touched
          join svc.ledger_accounts as account using (organization_id, account_id)
    order by account_id for no key update of account;
  with folded as (
    update svc.ledger_accounts as account
       set posted = posted + amount, entry_count = entry_count + entries
      from (select organization_id, account_id, sum(amount) as amount, count(*) as entries
              from unnest(organization_ids, posting_ids) as taken (organization_id, posting_id)
              join svc.entries as entry using (organization_id, posting_id)
             where account_sequence is null group by organization_id, account_id) as added
     where account.organization_id = added.organization_id and account.account_id = added.account_id
    returning account.organization_id, account.kind, account.asset, added.amount)
  insert into svc.kind_totals (organization_id, kind, asset, posted)
  select organization_id, kind, asset, sum(amount) from folded
   where kind in ('UNCOLLECTED_FEES', 'UNCOLLECTED_DEVELOPER_FEES')
   group by organization_id, kind, asset order by organization_id, kind, asset
      on conflict (organization_id, kind, asset) do update set posted = kind_totals.posted + excluded.posted;
  with written as (
    insert into svc.ledger_lines (organization_id, posting_id, entry_number, holder, asset, day, reference, fact, amount)
    select organization_id, posting_id, entry.entry_number, account.holder, account.asset,
           (posting.created_at at time zone 'UTC')::date, posting.reference, posting.fact, entry.amount
      from unnest(organization_ids, posting_ids) as taken (organization_id, posting_id)
      join svc.entries as entry using (organization_id, posting_id)
      join svc.ledger_accounts as account using (organization_id, account_id)
      join svc.postings as posting using (organization_id, posting_id)
     where account.kind = 'BANK'
    returning organization_id, posting_id, entry_number, holder, day, reference)
  insert into svc.open_lines (bank_account_id, day, posting_id, entry_number, organization_id)
  select holder, day, posting_id, entry_number, organization_id from written
   -- The sandbox lends money that no bank has.
   where not starts_with(reference, 'operator:sandbox-liquidity:');
  return coalesce(cardinality(posting_ids), 0);
end $$;

revoke execute on function svc.fold_entries from public;
grant execute on function svc.fold_entries to svc_app;
