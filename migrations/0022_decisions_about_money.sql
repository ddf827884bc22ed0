-- What people decide about money that stopped, and one time in which everything about a transaction is told.

-- A person who reviews customers has said that this may leave although its customer stays blocked.
alter table svc.payouts add is_released boolean not null default false;

-- ASSIGNED: nobody's deposit, of which the operator found out whose it is; that organization has it from then on.
alter table svc.deposits drop constraint deposits_status_check;
alter table svc.deposits add constraint deposits_status_check check
  (status in ('CREDITED', 'APPLIED', 'HELD', 'UNMATCHED', 'RETURNING', 'RETURNED', 'ASSIGNED'));

-- What waits for a person is counted without reading what does not.
create index deposits_unmatched on svc.deposits (organization_id) where status = 'UNMATCHED';
create index transactions_refund_waiting on svc.transactions (organization_id)
  where refund ->> 'status' = 'WAITING_FOR_OPERATOR';

-- How business time ran: what is known by real time alone, such as the audit log, is told in business time through this.
create table svc.clock_moves (
  move_id bigint generated always as identity primary key,
  moved_at timestamptz not null default clock_timestamp(),
  ahead interval not null,
  frozen_at timestamptz
);
grant select, insert on svc.clock_moves to svc_app;
-- Earlier moves were not written down.
insert into svc.clock_moves (moved_at, ahead, frozen_at) select '-infinity', ahead, frozen_at from svc.clock;

-- What business time was at a moment of real time.
create function svc.business_time(p_real timestamptz) returns timestamptz
  language sql stable parallel safe
  return (select coalesce(frozen_at, p_real + ahead) from svc.clock_moves
           where moved_at <= p_real order by move_id desc limit 1);

-- Tries at banks and chains are told in business time as everything else is; when they were written orders them while
-- business time stands still.
alter table svc.payout_attempts add written_at timestamptz;
update svc.payout_attempts set written_at = at;
alter table svc.payout_attempts alter written_at set default clock_timestamp(), alter written_at set not null,
  alter at set default svc.now();
