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
import { listed as columns } from '../store.ts'
import type { ListedTransaction, TransactionStatus } from '../transaction.ts'

export type FullTransactionFilter = MoneyFilter & { status?: TransactionStatus }

/** Lists transactions by any of the filters. The amount is the source amount; the rail is that of either side. */
export function findTransactions(
  database: Queryable,
  organizationIds: readonly string[],
  filter: FullTransactionFilter,
  amounts: AmountRange | undefined,
  slice: PageSlice,
): Promise<Listed<ListedTransaction>[]> {
  const { rail, paymentAccountId: account } = filter
  const listed = { as: 'transaction', id: 'transaction_id', order: orderOf(filter) }
  let ofAccount = ['']
  const { at, order, conditions, values } = listParts(listed, organizationIds, slice, (bind) => {
    if (account !== undefined) ofAccount = eachSide(bind(account))
    return [
      ...equalTo(bind, {
        'transaction.status': filter.status,
        'transaction.customer_id': filter.customerId,
        'transaction.correlation_id': filter.correlationId,
        'transaction.external_id': filter.externalId,
      }),
      ...ofRail(bind, rail),
      ...between(bind, 'transaction.created_at', filter.createdFrom, filter.createdTo),
      ...between(bind, 'transaction.updated_at', filter.updatedFrom, filter.updatedTo),
      ...amountIn(bind, 'transaction.source_asset', 'transaction.source_amount', amounts),
    ]
  })
  const select = (side: string) => `
    (select transaction.transaction_id as id, ${at} as at from svc.transactions as transaction
      where transaction.organization_id = mine.organization_id ${conditions} ${side}
      order by ${order} limit $2)`
  return database.query<Listed<ListedTransaction>>({
    text: `select ${columns}, ${pageSortKey}
             from (select mine.organization_id, found.id, found.at
                     from unnest($1::uuid[]) as mine (organization_id)
                    cross join lateral (${ofAccount.map(select).join(' union ')}) as found
                    order by ${pageOrder} limit $2) as page
             join svc.transactions as transaction
               on transaction.organization_id = page.organization_id and transaction.transaction_id = page.id
            order by ${pageOrder}`,
    values,
  })
}

/** Each side of an account has its own index, which gives a page in order. A condition with `or` would use neither. */
function eachSide(account: string): string[] {
  return ['source', 'destination'].map((side) => `and transaction.${side}_payment_account_id = ${account}`)
}

function ofRail(bind: (value: unknown) => string, rail: string | undefined): string[] {
  if (rail === undefined) return []
  const wanted = bind(rail)
  return [`(transaction.source_method = ${wanted} or transaction.destination_method = ${wanted})`]
}
