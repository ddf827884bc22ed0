import type { Queryable } from '../../db/database.ts'
import type { Standing } from './eligibility.ts'

type CustomerKey = { organizationId: string; customerId: string }

export async function readStandings(
  transaction: Queryable,
  organizationId: string,
  customerIds: readonly string[],
): Promise<Map<string, Standing>> {
  if (customerIds.length === 0) return new Map()
  const rows = await transaction.query<Standing & { customerId: string }>({
    name: 'read standings of customers',
    text: `select customer.customer_id as "customerId", customer.status,
                  coalesce(bool_or(review.status = 'OPEN'), false) as "hasOpenHit",
                  coalesce(bool_or(review.decision = 'REJECT'), false) as "isHitConfirmed"
             from svc.customers as customer
             left join svc.reviews as review on review.organization_id = customer.organization_id
              and review.customer_id = customer.customer_id and review.reason = 'WATCH_LIST_HIT'
            where customer.organization_id = $1 and customer.customer_id = any($2)
            group by customer.customer_id, customer.status`,
    values: [organizationId, customerIds],
  })
  return new Map(rows.map(({ customerId, ...standing }) => [customerId, standing]))
}

export async function readStanding(
  transaction: Queryable,
  { organizationId, customerId }: CustomerKey,
): Promise<Standing> {
  const standing = (await readStandings(transaction, organizationId, [customerId])).get(customerId)
  if (!standing) throw new Error(`there is no customer ${customerId}`)
  return standing
}
