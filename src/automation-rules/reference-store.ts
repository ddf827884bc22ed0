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

/** Finds accounts of the customer. In mode `lock`, none of them can be deleted before the tx ends. */
export function findAccounts(
  queryable: Queryable,
  { organizationId, customerId }: Pick<RuleCustomer, 'organizationId' | 'customerId'>,
  paymentAccountIds: readonly string[],
  mode: 'read' | 'lock',
): Promise<RuleAccount[]> {
  return queryable.query<RuleAccount>({
    name: `${mode} accounts of automation rule`,
    text: `select payment_account_id as "paymentAccountId", payment_account_type as "paymentAccountType", status,
                  currency, payment_method as "paymentMethod", wallet_type as "walletType"
             from svc.payment_accounts
            where organization_id = $1 and customer_id = $2 and payment_account_id = any($3)
            order by payment_account_id ${mode === 'lock' ? 'for share' : ''}`,
    values: [organizationId, customerId, paymentAccountIds],
  })
}
