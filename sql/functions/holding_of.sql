-- Names the holding from which a rail or network pays our own money: the bank account that serves the rail, or the
-- treasury for tokens such as 'USDC/BASE'.
create or replace function svc.holding_of(p_asset text, p_method text) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
declare
  found text;
begin
  if p_asset like '%/%' then
    return 'TREASURY';
  end if;
  select bank_account_id into found from svc.bank_account_rails where rail = p_method;
  if found is null then
    raise exception 'no bank account of ours serves %: open one with "svc treasury open"', p_method;
  end if;
  return found;
end $$;

revoke execute on function svc.holding_of from public;
grant execute on function svc.holding_of to svc_app, svc_signer;
