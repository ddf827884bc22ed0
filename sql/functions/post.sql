-- Posts to the ledger: the only way into svc.postings and svc.entries. Takes many postings at once; each gets its own
-- outcome, as if they had come one after the other:
--   POSTED            written now
--   REPLAYED          the reference was posted before, with the same content; the id is that of the first
--   CONFLICT          the reference was posted before, with other content
--   INSUFFICIENT      a customer's account would fall below its reserved amount
--   RESERVE_NOT_OPEN  the reserve that it captures is unknown, captured or released
--   RESERVE_MISMATCH  it does not debit the reserved account, or debits more than was reserved
--   UNBALANCED        it does not sum to zero in each asset: the caller's mistake
-- raised_*: the wallets whose available balance one of the postings raised, listed once for all of them.
create or replace function svc.post(
  p_organization_ids uuid[], p_posting_ids uuid[], p_references text[], p_facts text[], p_captures text[],
  p_entry_places integer[], p_kinds text[], p_holders text[], p_assets text[], p_amounts numeric[])
returns table (outcome text, posting_id uuid, raised_holders text[], raised_assets text[])
language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  first integer := 1;
  last integer;
begin
  if cardinality(p_posting_ids) > 1 then
    begin
      return query select outcome, posting_id, raised_holders, raised_assets
                     from svc.post_together(p_organization_ids, p_posting_ids, p_references, p_facts, p_captures,
                            p_entry_places, p_kinds, p_holders, p_assets, p_amounts);
      return;
    exception when sqlstate 'SV001' then null; -- one is refused: the loop below writes them one by one
    end;
    perform svc.lock_for_postings(p_organization_ids, p_posting_ids, p_references, p_captures, p_entry_places, p_kinds,
              p_holders, p_assets);
  end if;
  for place in 1..cardinality(p_posting_ids) loop
    last := first;
    while p_entry_places[last] = place loop last := last + 1; end loop;
    return query select outcome, posting_id, raised_holders, raised_assets
                   from svc.post_together(p_organization_ids[place:place], p_posting_ids[place:place],
                          p_references[place:place], p_facts[place:place], p_captures[place:place],
                          array_fill(1, array[last - first]), p_kinds[first:last - 1], p_holders[first:last - 1],
                          p_assets[first:last - 1], p_amounts[first:last - 1]);
    first := last;
  end loop;
end $$;

revoke execute on function svc.post from public;
grant execute on function svc.post to svc_app;
