-- Hashes the content of each posting, in their order, and tells whether one of them is unbalanced: it has no entries,
-- has a zero or fractional amount, or does not sum to zero in each asset.
create or replace function svc.hash_postings(
  p_organization_ids uuid[], p_references text[], p_facts text[], p_captures text[],
  p_entry_places integer[], p_kinds text[], p_holders text[], p_assets text[], p_amounts numeric[],
  out hashes bytea[], out is_unbalanced boolean)
language plpgsql stable as $$
begin
  select array_agg(svc.hash_posting(p_organization_ids[place], p_references[place], p_facts[place], p_captures[place],
                                    entries) order by place),
         count(*) < cardinality(p_references) or bool_or(is_wrong) or exists (
           select from unnest(p_entry_places, p_assets, p_amounts) as entry (place, asset, amount)
            group by place, asset having sum(amount) <> 0)
    into hashes, is_unbalanced
    from (select place, string_agg(concat_ws(' ', kind, holder, asset, amount), e'\n' order by number) as entries,
                 bool_or(amount = 0 or amount <> trunc(amount)) as is_wrong
            from unnest(p_entry_places, p_kinds, p_holders, p_assets, p_amounts)
                 with ordinality as entry (place, kind, holder, asset, amount, number)
           group by place) as contents;
end $$;

revoke execute on function svc.hash_postings from public;
