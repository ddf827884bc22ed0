import type { Queryable, Tx } from '../db/database.ts'

export type ClosedReview = { decision: 'APPROVE' | 'NEEDS_INFO' | 'REJECT'; codes: readonly string[]; actor: string }

/** Whoever decides about a customer decides its open review, if there is one. */
export async function closeReview(
  tx: Tx,
  { organizationId, customerId }: { organizationId: string; customerId: string },
  { decision, codes, actor }: ClosedReview,
): Promise<void> {
  await tx.query({
    name: 'close review',
    text: `update svc.reviews
              set status = 'DECIDED', decision = $3, issues = $4, decided_by = $5, decided_at = svc.now(),
                  claimed_by = null, claimed_until = null
            where organization_id = $1 and customer_id = $2 and status = 'OPEN'`,
    values: [organizationId, customerId, decision, JSON.stringify(codes), actor],
  })
}

/** Which of these customers have a hit on a watch list that is open or was confirmed. */
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
  return new Set(blocked.map((row) => row.customerId))
}
