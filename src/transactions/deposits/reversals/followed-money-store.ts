/**
 * The beginning of a query about all that money of deposits became, as `causes (cause_id)`. `start` selects the first
 * causes of the organization $1: deposits and their transactions. Each disbursement and conversion that takes money of a
 * cause is a cause of its own, because that money comes back to it.
 */
export const followMoney = (start: string) => `with recursive causes (cause_id) as (
  ${start}
  union
  select taking.taking_id from causes
   cross join lateral (
         select part.transaction_id as taking_id from svc.conversion_parts as part
          where part.organization_id = $1 and part.cause_id = causes.cause_id
          union all
         select part.disbursement_id from svc.disbursement_parts as part
          where part.organization_id = $1 and part.cause_id = causes.cause_id) as taking)`

/** Names a deposit and the transaction that it paid for as causes. One that was returned or waits paid for none. */
export const depositCauses = `cross join unnest(array[deposit.deposit_id,
  case when deposit.applied_amount > 0 then deposit.transaction_id end]) as cause (cause_id)`
