-- Locks everything that a batch of postings will lock. svc.post calls it when one of them is refused and it writes them
-- one by one: each posting alone keeps the lock order, but one after the other they would break it. The order is that
-- of svc.post_together: references, reserves, accounts, each sorted. Inserting and deleting a row locks a reference: a
-- second caller with the same reference waits until this database transaction ends.
create or replace function svc.lock_for_postings(
  p_organization_ids uuid[], p_posting_ids uuid[], p_references text[], p_captures text[], p_entry_places integer[],
  p_kinds text[], p_holders text[], p_assets text[])
returns void language plpgsql as $$
#variable_conflict use_column
declare
  claimed uuid[];
begin
  with inserted as (
    insert into svc.postings (organization_id, posting_id, reference, fact, content_hash, created_at)
    select organization_id, posting_id, reference, '', '', svc.now()
      from unnest(p_organization_ids, p_posting_ids, p_references) as wanted (organization_id, posting_id, reference)
     order by organization_id, reference
        on conflict (organization_id, reference) do nothing
    returning posting_id)
  select array_agg(posting_id) into claimed from inserted;
  delete from svc.postings where organization_id = any(p_organization_ids) and posting_id = any(claimed);
  perform svc.open_ledger_accounts(
    (select array_agg(p_organization_ids[place] order by number)
       from unnest(p_entry_places) with ordinality as entry (place, number)),
    p_kinds, p_holders, p_assets);
  perform from (select organization_id, reference from unnest(p_organization_ids, p_captures)
                       as wanted (organization_id, reference)
                 where reference is not null order by organization_id, reference) as wanted
    cross join lateral (
          select from svc.reserves as reserve
           where reserve.organization_id = wanted.organization_id and reserve.reference = wanted.reference
             for update) as locked;
  perform svc.lock_balances(
    (select array_agg(p_organization_ids[place] order by number)
       from unnest(p_entry_places) with ordinality as entry (place, number)),
    p_kinds, p_holders, p_assets);
end $$;

revoke execute on function svc.lock_for_postings from public;
