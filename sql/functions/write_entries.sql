-- Writes the entries of postings, with the sequence and balance of accounts that keep one, and queues the postings for
-- svc.fold_entries.
create or replace function svc.write_entries(
  p_organization_ids uuid[], p_posting_ids uuid[], p_entry_places integer[], p_account_ids uuid[], p_amounts numeric[],
  p_kept_ids uuid[], p_kept_posted numeric[], p_kept_counts bigint[])
returns void language plpgsql as $$
begin
  with written as (
    insert into svc.entries (organization_id, posting_id, entry_number, account_id, amount, account_sequence, balance)
    select p_organization_ids[place], p_posting_ids[place], row_number() over (partition by place order by number),
           account_id, amount,
           entry_count + row_number() over (partition by account_id order by number),
           posted + sum(amount) over (partition by account_id order by number)
      from unnest(p_entry_places, p_account_ids, p_amounts)
           with ordinality as entry (place, account_id, amount, number)
      left join unnest(p_kept_ids, p_kept_posted, p_kept_counts) as kept (account_id, posted, entry_count)
                using (account_id)
    returning organization_id, posting_id, account_sequence)
  insert into svc.unfolded_postings (organization_id, posting_id)
  select distinct organization_id, posting_id from written where account_sequence is null;
end $$;

revoke execute on function svc.write_entries from public;
