import type { Queryable, Tx } from '../db/database.ts'
import { between, equalTo, type Listed, listParts, pageOrder, pageSortKey } from '../db/lists/list-statement.ts'
import type { PageSlice } from '../lib/pages.ts'
import type { CreatedRange } from '../lib/resources/filters.ts'
import { type Customer, type CustomerStatus, type CustomerType, statusesOpenToData } from './customer.ts'
import { columns, findCustomer } from './store.ts'

/** The filters of the list that the database answers in the clear. */
export type CustomerFilter = CreatedRange & { status?: CustomerStatus; type?: CustomerType; externalId?: string }

/** Only customers who can submit data come with their identity, from which their requirements are computed. */
const openStatuses = statusesOpenToData.map((status) => `'${status}'`).join(', ')
const listedColumns = columns.replace(
  'customer.sealed_identity as',
  `case when customer.status in (${openStatuses}) then customer.sealed_identity end as`,
)

/** Lists customers by any of the filters. A customer must have all of the hashes of its organization. */
export function findByFilter(
  database: Queryable,
  organizationIds: readonly string[],
  filter: CustomerFilter,
  searched: readonly { organizationId: string; hashes: readonly Buffer[] }[],
  slice: PageSlice,
): Promise<Listed<Customer>[]> {
  const isSearch = searched.some(({ hashes }) => hashes.length > 0)
  const isRange = filter.createdFrom !== undefined || filter.createdTo !== undefined
  const sortedBy = isRange && !isSearch && filter.externalId === undefined ? 'created_at' : undefined
  const listed = { as: 'customer', id: 'customer_id', order: sortedBy } as const
  const { at, order, conditions, values } = listParts(listed, organizationIds, slice, (bind) => [
    ...equalTo(bind, {
      'customer.status': filter.status,
      'customer.customer_type': filter.type,
      'customer.external_id': filter.externalId,
    }),
    ...between(bind, 'customer.created_at', filter.createdFrom, filter.createdTo),
    // Each organization has hashes of its own; a foreign one matches no row.
    ...Array.from({ length: searched[0]?.hashes.length ?? 0 }, (_, at) => {
      const wanted = bind(searched.map(({ hashes }) => hashes[at]))
      return `customer.customer_id in (
                select search.customer_id from svc.customer_search as search
                 where search.organization_id = mine.organization_id
                   and search.search_hash = (${wanted}::bytea[])[array_position($1::uuid[], mine.organization_id)])`
    }),
  ])
  return database.query<Listed<Customer>>({
    text: `select ${listedColumns}, ${pageSortKey}
             from (select mine.organization_id, found.id, found.at
                     from unnest($1::uuid[]) as mine (organization_id)
                    cross join lateral (
                          select customer.customer_id as id, ${at} as at from svc.customers as customer
                           where customer.organization_id = mine.organization_id ${conditions}
                           order by ${order} limit $2) as found
                    order by ${pageOrder} limit $2) as page
             join svc.customers as customer
               on customer.organization_id = page.organization_id and customer.customer_id = page.id
            order by ${pageOrder}`,
    values,
  })
}

/** Replaces the hashes by which a customer is found; without any, the customer is found by its id alone. */
export async function writeSearchHashes(
  tx: Tx,
  { organizationId, customerId }: Pick<Customer, 'organizationId' | 'customerId'>,
  hashes: readonly Buffer[],
): Promise<void> {
  await tx.query({
    name: 'write search hashes of a customer',
    text: 'select from svc.write_customer_search($1, $2, $3)',
    values: [organizationId, customerId, hashes],
  })
}

export type WantedCustomer = { organizationIds: readonly string[]; customerId: string }

/**
 * Finds the customer of each request, in order, in one statement. Customers who cannot submit data come without their
 * identity.
 */
export async function findEachCustomer(
  database: Queryable,
  wanted: readonly WantedCustomer[],
): Promise<(Customer | undefined)[]> {
  const [only, ...others] = wanted
  if (only && others.length === 0) return [await findCustomer(database, only.organizationIds, only.customerId)]
  // Most requests come from few callers, and a caller may have many organizations.
  const reaches = wanted.map(({ organizationIds }) => `{${organizationIds.join()}}`)
  const reachSets = [...new Set(reaches)]
  const found = await database.query<Customer & { place: number }>({
    name: 'find each customer',
    text: `select place::integer, ${listedColumns}
             from unnest($1::integer[], $2::uuid[]) with ordinality as wanted (reach, wanted_id, place)
             join svc.customers as customer on customer.organization_id = any(($3::text[])[wanted.reach]::uuid[])
              and customer.customer_id = wanted.wanted_id`,
    values: [
      reaches.map((reach) => reachSets.indexOf(reach) + 1),
      wanted.map(({ customerId }) => customerId),
      reachSets,
    ],
  })
  const byPlace = new Map(found.map((customer) => [customer.place, customer]))
  return wanted.map((_each, at) => byPlace.get(at + 1))
}
