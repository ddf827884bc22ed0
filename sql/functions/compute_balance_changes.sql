-- Computes the change of each balance, in the order of the account ids, as if the postings had come one after the
-- other: an account may never be below zero, not even in between. The refusal tells why the postings cannot be written.
create or replace function svc.compute_balance_changes(
  p_entry_places integer[], p_account_ids uuid[], p_kinds text[], p_holders text[], p_assets text[],
  p_amounts numeric[],
  p_kept_ids uuid[], p_kept_posted numeric[], p_kept_reserved numeric[],
  p_captured_places integer[], p_captured_accounts uuid[], p_captured_amounts numeric[],
  out changes numeric[], out freed numeric[], out lines bigint[], out raised_holders text[], out raised_assets text[],
  out refusal text)
language plpgsql stable as $$
#variable_conflict use_column
begin
  select array_agg(change order by account_id), array_agg(captured order by account_id),
         array_agg(entries order by account_id),
         coalesce(array_agg(holder order by account_id) filter (where is_raised), '{}'),
         coalesce(array_agg(asset order by account_id) filter (where is_raised), '{}'),
         case when bool_or(is_mismatch) or coalesce(sum(captures), 0) < cardinality(p_captured_places)
                then 'RESERVE_MISMATCH'
              when bool_or(lowest < 0) then 'INSUFFICIENT' end
    into changes, freed, lines, raised_holders, raised_assets, refusal
    from (select account_id, sum(change) as change, coalesce(sum(captured), 0) as captured, sum(entries) as entries,
                 count(captured) as captures, min(holder) as holder, min(asset) as asset, min(available) as lowest,
                 bool_or(captured is not null and (change >= 0 or change + captured < 0)) as is_mismatch,
                 bool_or(kind = 'WALLET' and change + coalesce(captured, 0) > 0) as is_raised
            from (select account_id, kind, holder, asset, change, captured, entries, posted - reserved
                         + sum(change + coalesce(captured, 0)) over (partition by account_id order by place)
                         as available
                    from (select place, account_id, min(kind) as kind, min(holder) as holder, min(asset) as asset,
                                 sum(amount) as change, count(*) as entries
                            from unnest(p_entry_places, p_account_ids, p_kinds, p_holders, p_assets, p_amounts)
                                 as entry (place, account_id, kind, holder, asset, amount)
                           where account_id = any(p_kept_ids) group by place, account_id) as effect
                    join unnest(p_kept_ids, p_kept_posted, p_kept_reserved) as kept (account_id, posted, reserved)
                         using (account_id)
                    left join unnest(p_captured_places, p_captured_accounts, p_captured_amounts)
                              as capture (place, account_id, captured) using (place, account_id)) as effects
           group by account_id) as accounts;
end $$;

revoke execute on function svc.compute_balance_changes from public;
