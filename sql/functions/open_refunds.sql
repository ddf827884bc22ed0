-- Lists what a transaction owes its payer: the newest refund, and the newest return of each of its deposits. The only
-- place of this rule: the refund that a transaction shows, REFUND and CREDIT by an operator, and the retried return
-- all read it.
--
-- A live obligation counts with its amount. A refused return counts while its deposit still belongs to the transaction,
-- and only with the part that is neither applied, credited, reversed nor returned otherwise: an operator may have decided about
-- the deposit since. decided_by names the resource that an operator resolves; null when nothing is to decide.
create or replace function svc.open_refunds(of_organization uuid, of_transaction uuid)
returns table (organization_id uuid, payout_id uuid, deposit_id uuid, deposit_status text, asset text, amount numeric,
  status text, external_reference text, decided_by text)
language sql stable as $$
  select of_organization, newest.payout_id, newest.deposit_id, deposit.status, newest.asset,
         case when newest.status <> 'REFUSED' or newest.deposit_id is null then newest.amount
              else deposit.amount - deposit.covered_amount - deposit.applied_amount - deposit.returned_amount end,
         newest.status, newest.external_reference,
         case when newest.status <> 'REFUSED' then null
              when deposit.status = 'UNMATCHED' then 'DEPOSIT' else 'TRANSACTION' end
    from (select distinct on (payout.deposit_id) payout.payout_id, payout.deposit_id, payout.asset, payout.amount,
                 payout.status, payout.external_reference
            from svc.payouts as payout
           where payout.organization_id = of_organization and payout.transaction_id = of_transaction
             and payout.purpose in ('REFUND', 'RETURN')
           order by payout.deposit_id, payout.payout_id desc) as newest
    left join svc.deposits as deposit
      on deposit.organization_id = of_organization and deposit.deposit_id = newest.deposit_id
   where newest.status <> 'REFUSED' or newest.deposit_id is null
      or deposit.transaction_id = of_transaction and deposit.status in ('UNMATCHED', 'APPLIED', 'RETURNING')
         and deposit.amount > deposit.covered_amount + deposit.applied_amount + deposit.returned_amount
$$;

revoke execute on function svc.open_refunds from public;
grant execute on function svc.open_refunds to svc_app;
