import type { Queryable } from '../../db/database.ts'

/** An external account as refunds see it. */
export type RefundAccount = { customerId: string; status: string; type: string; currency: string; method: string }

export async function findRefundAccount(
  database: Queryable,
  organizationId: string,
  paymentAccountId: string,
): Promise<RefundAccount | undefined> {
  const [found] = await database.query<RefundAccount>({
    name: 'find account for a refund',
    text: `select customer_id as "customerId", status, payment_account_type as type, currency, payment_method as method
             from svc.payment_accounts where organization_id = $1 and payment_account_id = $2 for share`,
    values: [organizationId, paymentAccountId],
  })
  return found
}
