-- Finds the oldest payout that has lacked liquidity of this holding for ten minutes, after the given one.
create or replace function svc.find_first_in_line(p_organization_id uuid, p_holding text, p_asset text, p_after uuid)
returns uuid
language sql stable
set search_path = pg_catalog, pg_temp as $$
  select payout_id from svc.payouts
   where organization_id = p_organization_id and pays_from = p_holding and asset = p_asset
     and lacks_liquidity_since <= svc.now() - interval '10 minutes' and purpose = 'PAYOUT' and status = 'WAITING'
     and (p_after is null or payout_id > p_after)
   order by payout_id limit 1
$$;

revoke execute on function svc.find_first_in_line from public;
grant execute on function svc.find_first_in_line to svc_app;
