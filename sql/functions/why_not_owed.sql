-- Derives an obligation anew from its account, transaction, deposit and the ledger, and tells why it is not owed as it
-- stands; null when it is. The signer calls it before it seals the obligation.
create or replace function svc.why_not_owed(payout svc.payouts) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  account record;
  transaction record;
  deposit record;
begin
  if payout.purpose in ('COLLECT', 'SWEEP', 'REBALANCE') then
    return svc.why_not_collected(payout);
  end if;
  select customer_id, status, currency, payment_method, details_version into account from svc.payment_accounts
   where organization_id = payout.organization_id and payment_account_id = payout.payment_account_id;
  select customer_id, status, source_asset, source_method, received_amount into transaction from svc.transactions
   where organization_id = payout.organization_id and transaction_id = payout.transaction_id;

  if account.customer_id is distinct from payout.customer_id then
    return 'its account does not belong to its customer';
  elsif account.status <> 'ACTIVE' then
    return 'its account is not ACTIVE';
  elsif payout.method <> account.payment_method
        or payout.asset not in (account.currency, account.currency || '/' || account.payment_method) then
    return 'its account takes another asset, or is on another rail';
  elsif payout.details_version <> account.details_version and not exists (
        -- The correction may have begun before the payout was created, and be committed after it.
        select from svc.former_bank_details as former
         where former.organization_id = payout.organization_id and former.payment_account_id = payout.payment_account_id
           and former.details_version = payout.details_version
           and former.replaced_at >= payout.created_at - interval '10 minutes') then
    return 'the coordinates of its account were replaced before it was created';
  elsif payout.transaction_id is not null and transaction.customer_id is distinct from payout.customer_id then
    return 'its transaction does not belong to its customer';
  elsif payout.from_wallet_id is not null and not exists (
        select from svc.wallets
         where organization_id = payout.organization_id and payment_account_id = payout.from_wallet_id
           and customer_id = payout.customer_id) then
    return 'the wallet that pays does not belong to its customer';
  elsif payout.from_wallet_id is null
        and payout.pays_from is distinct from svc.holding_of(payout.asset, payout.method) then
    return 'another holding pays than that of its rail';
  end if;

  case payout.purpose
  when 'PAYOUT' then
    return svc.why_payout_not_owed(payout);
  when 'REFUND' then
    if transaction.status is distinct from 'FAILED' then
      return 'its transaction is not FAILED';
    elsif payout.asset <> transaction.source_asset or payout.amount > transaction.received_amount then
      return 'its transaction received less';
    elsif payout.held_at is distinct from
          (case when payout.from_wallet_id is not null then 'CUSTODY'
                else svc.holding_of(transaction.source_asset, transaction.source_method) end) then
      return 'its money is held elsewhere';
    elsif exists (
          select from svc.payouts as paid
           where paid.organization_id = payout.organization_id and paid.transaction_id = payout.transaction_id
             and paid.purpose = 'PAYOUT' and paid.status <> 'REFUSED') then
      return 'its transaction has a payout';
    elsif svc.sum_postings_of(payout.organization_id, array(
            select format('deposit:%s', deposit_id) from svc.deposits
             where organization_id = payout.organization_id and transaction_id = payout.transaction_id
               and customer_id = payout.customer_id) || format('transaction:%s', payout.transaction_id),
            'CLEARING', payout.asset) < payout.amount then
      return 'the ledger holds less for its transaction';
    end if;
  when 'RETURN' then
    select customer_id, status, asset, amount, applied_amount, held_at into deposit from svc.deposits
     where organization_id = payout.organization_id and deposit_id = payout.deposit_id;
    if deposit.customer_id is distinct from payout.customer_id then
      return 'its deposit does not belong to its customer';
    elsif deposit.status not in ('RETURNING', 'APPLIED') then
      return 'its deposit is not being returned';
    elsif payout.asset <> deposit.asset or payout.amount > deposit.amount - deposit.applied_amount then
      return 'its deposit has less to return';
    elsif payout.held_at is distinct from deposit.held_at then
      return 'its money is held elsewhere';
    elsif svc.sum_postings_of(payout.organization_id, array[format('deposit:%s', payout.deposit_id)], 'SUSPENSE',
            payout.asset) < payout.amount then
      return 'the ledger holds less for its deposit';
    end if;
  when 'REPAYMENT' then
    if not svc.is_reserved(payout.organization_id,
             format('transaction:%s:owed-again:%s', payout.transaction_id, payout.payout_id),
             'RETURNED_FUNDS', payout.customer_id::text, payout.asset, payout.amount) then
      return 'its money is not reserved';
    end if;
  else
    if not svc.is_reserved(payout.organization_id, format('disbursement:%s:reserve', payout.payout_id),
             'RETURNED_FUNDS', payout.customer_id::text, payout.asset, payout.amount)
       and not svc.is_reserved(payout.organization_id, format('disbursement:%s:reserve', payout.payout_id),
             'WALLET', payout.from_wallet_id::text, payout.asset, payout.amount) then
      return 'its money is not reserved';
    elsif exists (
          select from svc.postings where organization_id = payout.organization_id
             and reference = format('disbursement:%s:fees', payout.payout_id))
          and svc.sum_fees(payout.organization_id, '', payout.asset, 'DEVELOPER_FEES') < 0 then
      return 'the ledger has less developer fees';
    end if;
  end case;
  return null;
end $$;

revoke execute on function svc.why_not_owed from public;
grant execute on function svc.why_not_owed to svc_signer;
