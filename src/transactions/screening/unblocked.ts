import type { Queryable } from '../../db/database.ts'
import type { Screener } from './screening.ts'

/** Leaves those out whose customers are blocked by a review. */
export async function findUnblocked<Row extends { organizationId: string; customerId: string }>(
  screening: Pick<Screener<Queryable>, 'findBlocked'>,
  database: Queryable,
  rows: readonly Row[],
): Promise<Row[]> {
  const unblocked: Row[] = []
  for (const [organizationId, own] of Map.groupBy(rows, (row) => row.organizationId)) {
    const customerIds = [...new Set(own.map(({ customerId }) => customerId))]
    const blocked = await screening.findBlocked(database, organizationId, customerIds)
    unblocked.push(...own.filter(({ customerId }) => !blocked.has(customerId)))
  }
  return unblocked
}
