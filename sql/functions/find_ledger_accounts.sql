-- Finds the account of each entry, in their order. The first posting to an account opens it.
create or replace function svc.find_ledger_accounts(
  p_organization_ids uuid[], p_entry_places integer[], p_kinds text[], p_holders text[], p_assets text[])
returns uuid[] language plpgsql as $$
#variable_conflict use_column
declare
  account_ids uuid[];
begin
  for attempt in 1..2 loop
    select array_agg((select account_id from svc.ledger_accounts as account
                       where account.organization_id = p_organization_ids[entry.place] and account.kind = entry.kind
                         and account.holder = entry.holder and account.asset = entry.asset) order by number)
      into account_ids
      from unnest(p_entry_places, p_kinds, p_holders, p_assets)
           with ordinality as entry (place, kind, holder, asset, number);
    exit when array_position(account_ids, null) is null;
    perform svc.open_ledger_accounts(
      (select array_agg(p_organization_ids[place] order by number)
         from unnest(p_entry_places) with ordinality as entry (place, number)),
      p_kinds, p_holders, p_assets);
  end loop;
  return account_ids;
end $$;

revoke execute on function svc.find_ledger_accounts from public;
