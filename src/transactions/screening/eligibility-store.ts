import type { Queryable } from '../../db/database.ts'
import type { CustomerEligibility } from './eligibility.ts'

type CustomerKey = { organizationId: string; customerId: string }

export async function readEligibilities(
  database: Queryable,
  organizationId: string,
  customerIds: readonly string[],
): Promise<Map<string, CustomerEligibility>> {
  if (customerIds.length === 0) return new Map()
  const rows = await database.query<CustomerEligibility & { customerId: string }>({
    name: 'read customer eligibilities',
    text: `select customer.customer_id as "customerId", customer.status,
                  coalesce(bool_or(review.status = 'OPEN'), false) as "hasOpenMatch",
                  coalesce(bool_or(review.decision = 'REJECT'), false) as "isMatchConfirmed",
                  exists (select from svc.deposit_reversals as reversal
                           where reversal.organization_id = $1 and reversal.customer_id = customer.customer_id
                             and reversal.status = 'OPEN') as "owesReversal"
             from svc.customers as customer
             left join svc.reviews as review on review.organization_id = customer.organization_id
              and review.customer_id = customer.customer_id and review.reason = 'WATCH_LIST_HIT'
            where customer.organization_id = $1 and customer.customer_id = any($2)
            group by customer.customer_id, customer.status`,
    values: [organizationId, customerIds],
  })
  return new Map(rows.map(({ customerId, ...eligibility }) => [customerId, eligibility]))
}

export async function readEligibility(
  database: Queryable,
  { organizationId, customerId }: CustomerKey,
): Promise<CustomerEligibility> {
  const eligibility = (await readEligibilities(database, organizationId, [customerId])).get(customerId)
  if (!eligibility) throw new Error(`customer ${customerId} does not exist`)
  return eligibility
}
