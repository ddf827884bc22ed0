-- Tells whether money goes back to the account that it came from: of a deposit, or of all deposits of a transaction. An
-- operator can apply a deposit to a transaction that names another source account, which has then paid nothing; and a
-- sender with another name than the owner of the account that a message names may not have that account.
create or replace function svc.is_to_payer(
  p_organization_id uuid, p_transaction_id uuid, p_deposit_id uuid, p_account_id uuid)
returns boolean language plpgsql stable as $$
begin
  if p_deposit_id is not null then
    return exists (select from svc.deposits as deposit
                    where deposit.organization_id = p_organization_id and deposit.deposit_id = p_deposit_id
                      and deposit.payment_account_id = p_account_id and not deposit.is_sender_mismatch);
  end if;
  return not exists (select from svc.deposits as deposit
                      where deposit.organization_id = p_organization_id and deposit.transaction_id = p_transaction_id
                        and deposit.applied_amount > 0
                        and (deposit.payment_account_id is distinct from p_account_id or deposit.is_sender_mismatch))
     and exists (select from svc.transactions as transaction
                  where transaction.organization_id = p_organization_id
                    and transaction.transaction_id = p_transaction_id
                    and (transaction.source_payment_account_id = p_account_id or transaction.received_amount > 0));
end $$;

revoke execute on function svc.is_to_payer from public;
grant execute on function svc.is_to_payer to svc_app;
