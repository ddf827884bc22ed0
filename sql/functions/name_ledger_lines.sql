-- Names the lines of a bank account in the ledger as the bank would know them: a payout by the reference that its file
-- carried, a deposit by the bank's reference. A line that no message of a bank can name is OWN: what an operator recorded.
-- Lists those after a place, in the order of days and postings, up to a day, and at most so many unless the limit is null;
-- all lines, or those that are still open.
create or replace function svc.name_ledger_lines(p_account text, p_from date, p_after uuid, p_after_entry smallint,
  p_to date, p_limit integer, p_only_open boolean)
returns table (kind text, reference text, day date, amount numeric, organization_id uuid, posting_id uuid,
  entry_number smallint, posting_reference text, fact text, payout_id uuid)
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
begin
  return query
  with line as (
    (select organization_id, posting_id, entry_number, day, amount, fact, reference
       from svc.ledger_lines
      where not p_only_open and holder = p_account and day <= p_to
        and (day, posting_id, entry_number) > (p_from, p_after, p_after_entry)
        -- The sandbox lends money that no bank has.
        and not starts_with(reference, 'operator:sandbox-liquidity:')
      order by day, posting_id, entry_number limit p_limit)
     union all
    select open.organization_id, open.posting_id, open.entry_number, open.day, line.amount, line.fact, line.reference
      from (select organization_id, posting_id, entry_number, day from svc.open_lines
             where p_only_open and bank_account_id = p_account and day <= p_to
               and (day, posting_id, entry_number) > (p_from, p_after, p_after_entry)
             order by day, posting_id, entry_number limit p_limit) as open
      cross join lateral (
           select amount, fact, reference from svc.ledger_lines
            where organization_id = open.organization_id and posting_id = open.posting_id
              and entry_number = open.entry_number offset 0) as line),
  split as (
    select line.organization_id, line.posting_id, line.entry_number, line.day, -line.amount as amount, line.fact,
           line.reference as posting_reference,
           split_part(line.reference, ':', 1) as subject, split_part(line.reference, ':', 3) as step,
           case when not starts_with(line.reference, 'operator:') then split_part(line.reference, ':', 2)::uuid end as subject_id,
           case when split_part(line.reference, ':', 3) in ('repayment', 'repayment-back', 'reversal')
                then split_part(line.reference, ':', 4)::uuid end as step_id
      from line),
  paid as (
    select split.*, case
             when subject in ('disbursement', 'payout') then subject_id
             when subject = 'transaction' and step in ('repayment', 'repayment-back') then step_id
             when subject = 'transaction' and step in ('payout', 'return', 'refund', 'refund-back')
               or subject = 'deposit' and step in ('return', 'return-back')
             then (select payout.payout_id from svc.payouts as payout
                    where payout.organization_id = split.organization_id and payout.status in ('CONFIRMED', 'RETURNED')
                      and ((subject = 'transaction' and payout.transaction_id = subject_id and payout.deposit_id is null
                            and payout.purpose = case when step in ('payout', 'return') then 'PAYOUT' else 'REFUND' end)
                        or (subject = 'deposit' and payout.deposit_id = subject_id and payout.purpose = 'RETURN'))
                    limit 1)
           end as payout_id
      from split),
  named as (
    select paid.*, deposit.external_id as deposit_name, reversal.external_id as reversal_name,
           (select item.reference from svc.bank_file_items as item where item.payout_id = paid.payout_id limit 1) as item_name
      from paid
      left join svc.deposits as deposit on deposit.organization_id = paid.organization_id
       and deposit.deposit_id = paid.subject_id and paid.subject = 'deposit'
       and paid.step in ('received', 'excess', 'resolution')
      left join svc.deposit_reversals as reversal on reversal.organization_id = paid.organization_id
       and reversal.reversal_id = paid.step_id and paid.subject = 'deposit' and paid.step = 'reversal')
  select case
           when payout_id is not null and (step in ('refund-back', 'repayment-back', 'return-back', 'payout-back')
             or subject = 'transaction' and step = 'return') then 'RETURN'
           when payout_id is not null then 'PAYOUT'
           when deposit_name is not null then 'DEPOSIT'
           when reversal_name is not null then 'REVERSAL'
           else 'OWN'
         end,
         coalesce(item_name, payout_id::text, deposit_name, reversal_name, posting_reference), day, amount,
         organization_id, posting_id, entry_number, posting_reference, fact, payout_id
    from named order by day, posting_id, entry_number;
end $$;

revoke execute on function svc.name_ledger_lines from public;
grant execute on function svc.name_ledger_lines to svc_app;
