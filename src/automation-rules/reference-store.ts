import type { Queryable } from '../db/database.ts'
import type { RuleAccount, RuleCustomer } from './references.ts'

export async function findCustomer(
  database: Queryable,
  organizationIds: readonly string[],
  customerId: string,
): Promise<RuleCustomer | undefined> {
  const [found] = await database.query<RuleCustomer>({
    name: 'find customer of automation rule',
    text: `select organization_id as "organizationId", customer_id as "customerId", status,
                  allowed_methods as "allowedMethods", allowed_by as "allowedBy"
             from svc.customers where organization_id = any($1) and customer_id = $2`,
    values: [organizationIds, customerId],
  })
  return found
}

/** Accounts of the customer. Held, none of them can be deleted before the transaction ends. */
export function findAccounts(
  queryable: Queryable,
  { organizationId, customerId }: Pick<RuleCustomer, 'organizationId' | 'customerId'>,
  paymentAccountIds: readonly string[],
  how: 'look' | 'hold',
): Promise<RuleAccount[]> {
  return queryable.query<RuleAccount>({
    name: `${how} at accounts of automation rule`,
    text: `select payment_account_id as "paymentAccountId", payment_account_type as "paymentAccountType", status,
                  currency, payment_method as "paymentMethod", wallet_type as "walletType"
             from svc.payment_accounts
            where organization_id = $1 and customer_id = $2 and payment_account_id = any($3)
            order by payment_account_id ${how === 'hold' ? 'for share' : ''}`,
    values: [organizationId, customerId, paymentAccountIds],
  })
}
