-- Reserves the money of the transactions of these places that come from a wallet or from returned funds. This is the
-- last step of a creation, because from here on other callers wait for the rows of these accounts. Raises SV002 when one
-- lacks the money.
create or replace function svc.reserve_sources(
  p_places integer[], p_reserve_kinds text[], p_organization_ids uuid[], p_reserve_ids uuid[],
  p_transaction_ids uuid[], p_customer_ids uuid[], p_source_ids uuid[], p_source_assets text[], p_source_amounts numeric[])
returns void language plpgsql as $$
#variable_conflict use_column
declare
  wanted record;
begin
  select array_agg(p_organization_ids[place]) as organization_ids, array_agg(p_reserve_ids[place]) as reserve_ids,
         array_agg(format('transaction:%s:source', p_transaction_ids[place])) as names,
         array_agg(p_reserve_kinds[place]) as kinds,
         array_agg(case p_reserve_kinds[place] when 'WALLET' then p_source_ids[place] else p_customer_ids[place] end::text)
           as holders,
         array_agg(p_source_assets[place]) as assets, array_agg(p_source_amounts[place]) as amounts
    into wanted from unnest(p_places) as place where p_reserve_kinds[place] is not null;
  if wanted.names is null then return; end if;
  perform from svc.reserve(wanted.organization_ids, wanted.reserve_ids, wanted.names, wanted.kinds, wanted.holders,
                           wanted.assets, wanted.amounts) as reserve
    where reserve.outcome <> 'RESERVED';
  if found then
    raise exception using errcode = 'SV002', message = 'INSUFFICIENT';
  end if;
end $$;

revoke execute on function svc.reserve_sources from public;
grant execute on function svc.reserve_sources to svc_app;
