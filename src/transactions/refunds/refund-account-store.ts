import type { Queryable } from '../../db/database.ts'

/** A payment account as the destination of a refund. */
export type RefundAccount = { customerId: string; status: string; type: string; currency: string; method: string }

export async function findRefundAccount(
  database: Queryable,
  organizationId: string,
  paymentAccountId: string,
): Promise<RefundAccount | undefined> {
  const [found] = await database.query<RefundAccount>({
    name: 'find refund account',
    text: `select customer_id as "customerId", status, payment_account_type as type, currency, payment_method as method
             from svc.payment_accounts where organization_id = $1 and payment_account_id = $2 for share`,
    values: [organizationId, paymentAccountId],
  })
  return found
}
