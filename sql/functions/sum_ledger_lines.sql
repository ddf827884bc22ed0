-- Sums the lines of a bank account up to the end of a day, as svc.name_ledger_lines lists them. In full it reads every line,
-- otherwise those that are still open, and what is kept of the others.
create or replace function svc.sum_ledger_lines(p_account text, p_to date, p_is_full boolean) returns numeric
language sql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
  select coalesce(sum(amount), 0) from (
    select -amount as amount from svc.ledger_lines
     where p_is_full and holder = p_account and day <= p_to and not starts_with(reference, 'operator:sandbox-liquidity:')
     union all
    select -line.amount
      from svc.open_lines as open cross join lateral (
           select amount from svc.ledger_lines
            where organization_id = open.organization_id and posting_id = open.posting_id
              and entry_number = open.entry_number offset 0) as line
     where not p_is_full and open.bank_account_id = p_account and open.day <= p_to
     union all
    select ledger from svc.kept_days where not p_is_full and bank_account_id = p_account and day <= p_to) as summed
$$;

revoke execute on function svc.sum_ledger_lines from public;
grant execute on function svc.sum_ledger_lines to svc_app;
