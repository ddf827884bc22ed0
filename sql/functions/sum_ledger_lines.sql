-- Sums the lines of a bank account up to the end of a day, as svc.name_ledger_lines lists them.
create or replace function svc.sum_ledger_lines(p_account text, p_to date) returns numeric
language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(-sum(amount), 0) from svc.ledger_lines
   where holder = p_account and day <= p_to and not starts_with(reference, 'operator:sandbox-liquidity:')
$$;

revoke execute on function svc.sum_ledger_lines from public;
grant execute on function svc.sum_ledger_lines to svc_app;
