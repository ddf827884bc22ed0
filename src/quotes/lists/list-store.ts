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
import type { StoredQuote } from '../quote.ts'
import { columns } from '../store.ts'

/** Lists quotes, newest first. The amount is the source amount; the rail is that of either side. */
export function listQuotes(
  database: Queryable,
  organizationIds: readonly string[],
  filter: MoneyFilter,
  amounts: AmountRange | undefined,
  slice: PageSlice,
): Promise<Listed<StoredQuote>[]> {
  const listed = { as: 'quote', id: 'quote_id', order: orderOf(filter) }
  const { at, order, conditions, values } = listParts(listed, organizationIds, slice, (bind) => {
    const rail = filter.rail && bind(filter.rail)
    return [
      ...equalTo(bind, { 'quote.customer_id': filter.customerId, 'quote.external_id': filter.externalId }),
      ...(rail ? [`(quote.source_method = ${rail} or quote.destination_method = ${rail})`] : []),
      ...between(bind, 'quote.created_at', filter.createdFrom, filter.createdTo),
      ...amountIn(bind, 'quote.source_asset', 'quote.source_amount', amounts),
    ]
  })
  return database.query<Listed<StoredQuote>>({
    text: `select ${columns}, ${pageSortKey}
             from (select mine.organization_id, found.id, found.at
                     from unnest($1::uuid[]) as mine (organization_id)
                    cross join lateral (
                          select quote.quote_id as id, ${at} as at from svc.quotes as quote
                           where quote.organization_id = mine.organization_id ${conditions}
                           order by ${order} limit $2) as found
                    order by ${pageOrder} limit $2) as page
             join svc.quotes as quote
               on quote.organization_id = page.organization_id and quote.quote_id = page.id
            order by ${pageOrder}`,
    values,
  })
}
