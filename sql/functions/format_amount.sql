-- Writes smallest units as a decimal with all its decimals, as formatAmount in src/lib/money.ts does.
create or replace function svc.format_amount(p_units numeric, p_decimals text) returns text language sql stable as $$
  select (p_units::text || 'e-' || p_decimals)::numeric::text
$$;

revoke execute on function svc.format_amount from public;
grant execute on function svc.format_amount to svc_app;
