import type { Queryable } from '../db/database.ts'

/** Finds the customers among these with a watch-list match that is open or confirmed. */
export async function findBlocked(
  database: Queryable,
  organizationId: string,
  customerIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const blocked = await database.query<{ customerId: string }>({
    name: 'find blocked customers',
    text: `select distinct customer_id as "customerId" from svc.reviews
            where organization_id = $1 and customer_id = any($2) and reason = 'WATCH_LIST_HIT'
              and (status = 'OPEN' or decision = 'REJECT')`,
    values: [organizationId, customerIds],
  })
  return new Set(blocked.map(({ customerId }) => customerId))
}
