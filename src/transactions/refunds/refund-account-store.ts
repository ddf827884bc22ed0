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

/** Tells whether money in one of these assets waits to go back to a customer, or rests for it. */
export async function hasMoneyBack(
  database: Queryable,
  { organizationId, customerId }: { organizationId: string; customerId: string },
  assets: readonly string[],
): Promise<boolean> {
  const [found] = await database.query<{ isThere: boolean }>({
    name: 'find money that goes back to a customer',
    text: `select exists (
                    select from svc.deposits where organization_id = $1 and customer_id = $2 and asset = any($3)
                       and status in ('HELD', 'UNMATCHED', 'RETURNING'))
                  or exists (
                    select from svc.transactions where organization_id = $1 and customer_id = $2
                       and source_asset = any($3) and refund ->> 'status' = 'WAITING_FOR_OPERATOR')
                  or exists (
                    select from svc.ledger_accounts where organization_id = $1 and kind = 'RETURNED_FUNDS'
                       and holder = $2::text and asset = any($3) and posted > 0) as "isThere"`,
    values: [organizationId, customerId, assets],
  })
  return found?.isThere ?? false
}
