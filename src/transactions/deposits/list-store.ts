import type { Queryable } from '../../db/database.ts'
import {
  amountIn,
  between,
  equalTo,
  type Listed,
  listParts,
  pageOrder,
  pageSortKey,
} from '../../db/lists/list-statement.ts'
import type { PageSlice } from '../../lib/pages.ts'
import { type AmountRange, type MoneyFilter, orderOf } from '../../lib/resources/filters.ts'
import type { Deposit, DepositStatus } from './deposit.ts'
import { columns } from './store.ts'

export type FullDepositFilter = MoneyFilter & { status?: DepositStatus }

/** Lists deposits by any of the filters. */
export function findDeposits(
  database: Queryable,
  organizationIds: readonly string[],
  filter: FullDepositFilter,
  amounts: AmountRange | undefined,
  slice: PageSlice,
): Promise<Listed<Deposit>[]> {
  const listed = { as: 'deposit', id: 'deposit_id', order: orderOf(filter) }
  const { at, order, conditions, values } = listParts(listed, organizationIds, slice, (bind) => [
    ...equalTo(bind, {
      'deposit.status': filter.status,
      'deposit.customer_id': filter.customerId,
      'deposit.payment_account_id': filter.paymentAccountId,
      'deposit.transaction_id': filter.transactionId,
      'coalesce(deposit.rail, deposit.method)': filter.rail,
    }),
    ...between(bind, 'deposit.created_at', filter.createdFrom, filter.createdTo),
    ...between(bind, 'deposit.updated_at', filter.updatedFrom, filter.updatedTo),
    ...amountIn(bind, 'deposit.asset', 'deposit.amount', amounts),
  ])
  return database.query<Listed<Deposit>>({
    text: `select ${columns}, ${pageSortKey}
             from (select mine.organization_id, found.id, found.at
                     from unnest($1::uuid[]) as mine (organization_id)
                    cross join lateral (
                          select deposit.deposit_id as id, ${at} as at from svc.deposits as deposit
                           where deposit.organization_id = mine.organization_id ${conditions}
                           order by ${order} limit $2) as found
                    order by ${pageOrder} limit $2) as page
             join svc.deposits as deposit
               on deposit.organization_id = page.organization_id and deposit.deposit_id = page.id
            order by ${pageOrder}`,
    values,
  })
}
