/**
 * The beginning of a query about all that money of deposits became, as `causes (cause_id)`. `start` selects the first
 * causes of the organization $1: deposits and their transactions. See sql/functions/follow_money.sql.
 */
export const followMoney = (start: string) =>
  `with causes (cause_id) as (select followed from svc.follow_money($1, array(${start})) as followed)`

/** Names a deposit and the transaction that it paid for as causes. One that was returned or waits paid for none. */
export const depositCauses = `cross join unnest(array[deposit.deposit_id,
  case when deposit.applied_amount > 0 then deposit.transaction_id end]) as cause (cause_id)`
