import type { Database } from '../../src/db/database.ts'
import { newId } from '../../src/lib/ids.ts'

const counterId = newId()

/**
 * Gives each customer the counter of an earlier payment, and names these counters in the limit per customer. A policy that
 * is set anew names new counters, so without this every payment after a change would be the first of its customer.
 */
export async function restoreCounters(owner: Database, organizationId: string): Promise<void> {
  await owner.query({
    text: `insert into svc.policy_counters (organization_id, counter_id, subject, hour_start, hour_used, day_start,
             day_used, month_start, month_used)
           select organization_id, $2, customer_id, date_trunc('hour', svc.now(), 'UTC'), 100,
                  date_trunc('day', svc.now(), 'UTC'), 100, date_trunc('month', svc.now(), 'UTC'), 100
             from svc.customers where organization_id = $1
               on conflict do nothing`,
    values: [organizationId, counterId],
  })
  await owner.query({
    text: `update svc.policy_rules set counter_id = $2
            where organization_id = $1 and per = 'CUSTOMER' and ended_at is null`,
    values: [organizationId, counterId],
  })
}
