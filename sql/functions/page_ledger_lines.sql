-- Lists lines of a bank account of one day after a place, with the bank's own references, for a statement of the ledger.
create or replace function svc.page_ledger_lines(p_account text, p_day date, p_after uuid, p_after_entry smallint,
  p_limit integer)
returns table (kind text, reference text, amount numeric, posting_id uuid, entry_number smallint, posting_reference text,
  fact text, bank_reference text, reason text, costs numeric)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select line.kind, line.reference, line.amount, line.posting_id, line.entry_number, line.posting_reference, line.fact,
         case line.kind
           when 'PAYOUT' then paid.external_reference
           when 'RETURN' then returned.bank_reference
           when 'DEPOSIT' then coalesce(part.bank_reference, line.reference)
           when 'REVERSAL' then line.reference
         end,
         returned.reason, case when line.fact <> 'NETWORK_COST' then paid.costs end
    from svc.name_ledger_lines(p_account, p_day, p_after, p_after_entry, p_day, p_limit, false) as line
    left join svc.bank_payments as paid on line.kind = 'PAYOUT' and paid.reference = line.reference
    left join lateral (
         select told.reason, entry.bank_reference from svc.bank_returns as told
           left join svc.bank_entries as entry using (bank_entry_id)
          where line.kind = 'RETURN' and told.reference = line.reference and told.amount = line.amount
          order by told.return_id limit 1) as returned on true
    left join lateral (
         select part.bank_reference from svc.bank_entries as entry join svc.bank_entry_parts as part using (bank_entry_id)
          where line.kind = 'DEPOSIT' and entry.bank_account_id = p_account and part.external_id = line.reference
            and entry.external_id in (line.reference, regexp_replace(line.reference, '/[0-9]+$', ''))
          limit 1) as part on true
   order by line.posting_id, line.entry_number
$$;

revoke execute on function svc.page_ledger_lines from public;
grant execute on function svc.page_ledger_lines to svc_app;
