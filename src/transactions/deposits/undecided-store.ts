import type { Queryable } from '../../db/database.ts'
import type { PageSlice } from '../../lib/pages.ts'
import { type Deposit, undecidedStatuses } from './deposit.ts'
import { columns, type DepositFilter } from './store.ts'

/**
 * Lists deposits that wait for a decision, newest first. Each organization and status is read by its index: an
 * organization has many deposits, and few that wait.
 */
export function listUndecided(
  database: Queryable,
  organizationIds: readonly string[],
  { status, customerId, paymentAccountId, transactionId }: DepositFilter,
  slice: PageSlice,
): Promise<Deposit[]> {
  const statuses = undecidedStatuses.filter((each) => status === undefined || each === status)
  return database.query<Deposit>({
    name: 'list undecided deposits',
    text: `
    select ${columns}
      from (select mine.organization_id, ids.deposit_id from unnest($1::uuid[]) as mine (organization_id)
             cross join unnest($2::text[]) as wanted (status)
             cross join lateral (
               select undecided.deposit_id from svc.deposits as undecided
                where undecided.organization_id = mine.organization_id and undecided.status = wanted.status
                  and undecided.deposit_id < coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
                  and ($5::uuid is null or undecided.customer_id = $5)
                  and ($6::uuid is null or undecided.payment_account_id = $6)
                  and ($7::uuid is null or undecided.transaction_id = $7)
                order by undecided.deposit_id desc limit $4) as ids order by ids.deposit_id desc limit $4) as page
      join svc.deposits as deposit
        on deposit.organization_id = page.organization_id and deposit.deposit_id = page.deposit_id
     order by deposit.deposit_id desc`,
    values: [
      organizationIds,
      statuses,
      slice.after ?? null,
      slice.limit,
      customerId ?? null,
      paymentAccountId ?? null,
      transactionId ?? null,
    ],
  })
}
