-- Tells why tokens are not ours to move to an address of ours; null when they are. COLLECT: the source of a transaction
-- that was paid, converted and never collected. SWEEP: fees of the wallet's direct transfers. REBALANCE: tokens of our
-- treasury, for our reserve.
create or replace function svc.why_not_collected(payout svc.payouts) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  transaction record;
begin
  if payout.purpose = 'REBALANCE' then
    return case when payout.pays_from is distinct from 'TREASURY' or payout.customer_id is not null
                then 'it is not a movement of our treasury'
                when payout.asset not like '%/' || payout.method then 'its asset is on another network'
                when not exists (
                     select from svc.reserve_addresses
                      where kind = case payout.method when 'SOLANA' then 'SOLANA' else 'EVM' end and retired_at is null)
                then 'no reserve address is registered on its network' end;
  elsif payout.from_wallet_id is null or not exists (
        select from svc.wallets
         where organization_id = payout.organization_id and payment_account_id = payout.from_wallet_id
           and customer_id = payout.customer_id) then
    return 'the wallet that pays does not belong to its customer';
  elsif payout.asset not like '%/' || payout.method then
    return 'its asset is on another network';
  elsif payout.purpose = 'SWEEP' then
    return case when -svc.sum_fees(payout.organization_id, payout.from_wallet_id::text, payout.asset,
                       'UNCOLLECTED_FEES') < payout.amount - payout.developer_fees
                  or -svc.sum_fees(payout.organization_id, payout.from_wallet_id::text, payout.asset,
                       'UNCOLLECTED_DEVELOPER_FEES') < payout.developer_fees
                then 'the ledger has less fees at its wallet' end;
  end if;

  select customer_id, source_payment_account_id, is_from_wallet, source_asset, source_method, source_amount,
         destination_asset
    into transaction from svc.transactions
   where organization_id = payout.organization_id and transaction_id = payout.transaction_id;
  if transaction.customer_id is distinct from payout.customer_id then
    return 'its transaction does not belong to its customer';
  elsif (payout.asset, payout.method, payout.amount) is distinct from
        (transaction.source_asset, transaction.source_method, transaction.source_amount) then
    return 'its transaction has another source';
  elsif payout.from_wallet_id <> (case when transaction.is_from_wallet then transaction.source_payment_account_id
                                       else payout.transaction_id end) then
    return 'its tokens lie at another address';
  elsif transaction.is_from_wallet and transaction.source_asset = transaction.destination_asset then
    return 'its transaction was not converted';
  elsif not exists (
        select from svc.payouts as paid
         where paid.organization_id = payout.organization_id and paid.transaction_id = payout.transaction_id
           and paid.purpose = 'PAYOUT' and paid.status in ('CONFIRMED', 'RETURNED')) then
    return 'its transaction was not paid';
  elsif not exists (
        select from svc.postings where organization_id = payout.organization_id
           and reference = format('transaction:%s:payout', payout.transaction_id)) then
    return 'the ledger has no payout of its transaction';
  elsif exists (
        select from svc.postings where organization_id = payout.organization_id
           and reference = format('transaction:%s:collect', payout.transaction_id)) then
    return 'it was collected before';
  end if;
  return null;
end $$;

revoke execute on function svc.why_not_collected from public;
grant execute on function svc.why_not_collected to svc_signer;
