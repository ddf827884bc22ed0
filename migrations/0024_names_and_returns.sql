-- Money that comes in and money that came back.

-- A bank's name of an entry is unique within one account there, and no further: the book is whose names these are. Nothing
-- where a name is unique by itself, as on a chain; in the sandbox the organization, so that tenants choose names freely.
alter table svc.sightings add book text not null default '';
alter table svc.sightings drop constraint sightings_pkey;
alter table svc.sightings add primary key (method, book, external_id);
alter table svc.deposits add book text not null default '';
alter table svc.deposits drop constraint deposits_once;
alter table svc.deposits add constraint deposits_once unique (organization_id, method, book, external_id);

-- What a bank gave back can be paid again, as an obligation of its own; and it may be less than what had left.
alter table svc.payouts drop constraint payouts_purpose_check;
alter table svc.payouts add constraint payouts_purpose_check
  check (purpose in ('PAYOUT', 'REFUND', 'RETURN', 'REPAYMENT'));
alter table svc.payouts add returned_amount numeric(38, 0) check (returned_amount between 1 and amount);
update svc.payouts as payout set returned_amount = (
    select (attempt.details ->> 'amount')::numeric from svc.payout_attempts as attempt
     where attempt.organization_id = payout.organization_id and attempt.payout_id = payout.payout_id
       and attempt.outcome = 'RETURNED')
 where payout.status = 'RETURNED';
alter table svc.payouts add check ((status = 'RETURNED') = (returned_amount is not null));

-- One obligation of a purpose for one transaction, for ever. Only what a rail has refused can be owed anew, and what was
-- paid again as often as it comes back.
drop index svc.payouts_once_per_transaction;
create unique index payouts_once_per_transaction on svc.payouts (organization_id, transaction_id, purpose)
  where deposit_id is null and status <> 'REFUSED' and not (purpose = 'REPAYMENT' and status = 'RETURNED');

-- What came back of a transaction and where it is: {"status", "amount", "asset", "referenceId"}, as in svc.payouts.
alter table svc.transactions add repayment jsonb;
update svc.transactions as transaction
   set repayment = jsonb_build_object('status', 'WAITING_FOR_OPERATOR', 'amount', payout.returned_amount::text,
                                      'asset', payout.asset, 'referenceId', '')
  from svc.payouts as payout
 where payout.organization_id = transaction.organization_id and payout.transaction_id = transaction.transaction_id
   and payout.deposit_id is null and payout.status = 'RETURNED';
create index transactions_repayment_waiting on svc.transactions (organization_id)
  where repayment ->> 'status' = 'WAITING_FOR_OPERATOR';
