-- Tells why the payout of a transaction is not owed as it stands; null when it is. The ledger must have converted its
-- money, or hold a reserve of it when the tokens leave the customer's address directly.
create or replace function svc.why_payout_not_owed(payout svc.payouts) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  transaction record;
  conversion_id uuid;
  cleared numeric;
begin
  select status, source_payment_account_id, is_from_wallet, source_asset, source_amount,
         destination_payment_account_id, destination_asset, destination_method, destination_amount
    into transaction from svc.transactions
   where organization_id = payout.organization_id and transaction_id = payout.transaction_id;
  if transaction.status is distinct from 'PROCESSING' then
    return 'its transaction is not PROCESSING';
  elsif (payout.amount, payout.asset, payout.method, payout.payment_account_id) is distinct from
        (transaction.destination_amount, transaction.destination_asset, transaction.destination_method,
         transaction.destination_payment_account_id) then
    return 'its transaction owes something else';
  elsif transaction.is_from_wallet and transaction.source_asset = transaction.destination_asset then
    if payout.from_wallet_id is distinct from transaction.source_payment_account_id then
      return 'another wallet pays than that of its transaction';
    elsif not svc.is_reserved(payout.organization_id, format('transaction:%s:source', payout.transaction_id),
                'WALLET', payout.from_wallet_id::text, payout.asset, transaction.source_amount) then
      return 'its money is not reserved';
    end if;
    return null;
  elsif payout.from_wallet_id is not null then
    return 'a wallet pays for a converted transaction';
  end if;

  -- By its reference first, then by keys: an account has many entries.
  select posting_id into conversion_id from svc.postings
   where organization_id = payout.organization_id
     and reference = format('transaction:%s:conversion', payout.transaction_id);
  select sum(entry.amount) into cleared
    from svc.entries as entry
   cross join lateral (
         select kind, asset from svc.ledger_accounts as account
          where account.organization_id = payout.organization_id and account.account_id = entry.account_id
          limit 1) as account
   where entry.organization_id = payout.organization_id and entry.posting_id = conversion_id
     and account.kind = 'CLEARING' and account.asset = payout.asset;
  if cleared is distinct from (case when transaction.source_asset = payout.asset
                                    then payout.amount - transaction.source_amount else payout.amount end) then
    return 'the ledger has no conversion for it';
  elsif exists (
        select from svc.postings where organization_id = payout.organization_id
           and reference = format('transaction:%s:reversal', payout.transaction_id)) then
    return 'its conversion was reversed';
  end if;
  return null;
end $$;

revoke execute on function svc.why_payout_not_owed from public;
grant execute on function svc.why_payout_not_owed to svc_signer;
