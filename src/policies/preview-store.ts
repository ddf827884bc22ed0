import type { Queryable } from '../db/database.ts'
import type { WeighedRule } from './judge-payment.ts'

/** A payment to weigh. */
export type PreviewedPayment = {
  organizationId: string
  customerId: string
  destinationId: string
  method: string | null
  usdCents: string | null
  isToWallet: boolean
}

export async function findQuotedPayment(
  database: Queryable,
  organizationIds: readonly string[],
  quoteId: string,
): Promise<PreviewedPayment | undefined> {
  const [found] = await database.query<PreviewedPayment>({
    name: 'find quoted payment of a preview',
    text: `select quote.organization_id as "organizationId", quote.customer_id as "customerId",
                  quote.destination_payment_account_id as "destinationId", quote.destination_method as method,
                  quote.usd_cents as "usdCents", account.payment_account_type = 'SVC_CRYPTO_WALLET' as "isToWallet"
             from svc.quotes as quote
             join svc.payment_accounts as account on account.organization_id = quote.organization_id
              and account.payment_account_id = quote.destination_payment_account_id
            where quote.organization_id = any($1) and quote.quote_id = $2`,
    values: [organizationIds, quoteId],
  })
  return found
}

/** Tells whether a key belongs to one of the organizations, revoked or not. */
export async function isOwnKey(
  database: Queryable,
  organizationIds: readonly string[],
  apiKeyId: string,
): Promise<boolean> {
  const found = await database.query({
    name: 'find API key of a preview',
    text: 'select from svc.api_keys where organization_id = any($1) and api_key_id = $2',
    values: [organizationIds, apiKeyId],
  })
  return found.length > 0
}

export async function findDestination(
  database: Queryable,
  organizationIds: readonly string[],
  { customerId, paymentAccountId }: { customerId: string; paymentAccountId: string },
): Promise<Omit<PreviewedPayment, 'usdCents'> | undefined> {
  const [found] = await database.query<Omit<PreviewedPayment, 'usdCents'>>({
    name: 'find destination of a preview',
    text: `select organization_id as "organizationId", customer_id as "customerId",
                  payment_account_id as "destinationId", payment_method as method,
                  payment_account_type = 'SVC_CRYPTO_WALLET' as "isToWallet"
             from svc.payment_accounts
            where organization_id = any($1) and payment_account_id = $2 and customer_id = $3`,
    values: [organizationIds, paymentAccountId, customerId],
  })
  return found
}

export function weighPayment(
  database: Queryable,
  payment: PreviewedPayment & { apiKeyId: string; at: Date | null },
): Promise<WeighedRule[]> {
  return database.query<WeighedRule>({
    name: 'weigh payment of a preview',
    text: `select weighed.owner, weighed.rule_id as "ruleId", weighed.kind, weighed.verdict,
                  rule.transaction_max as "transactionMax", rule.hour_max as "hourMax", weighed.hour_used as "hourUsed",
                  rule.day_max as "dayMax", weighed.day_used as "dayUsed", rule.month_max as "monthMax",
                  weighed.month_used as "monthUsed"
             from svc.weigh_policies(array[$1::uuid], array[$2::uuid], array[$3::uuid], array[$4::uuid], array[$5],
                                     array[$6::numeric], coalesce($7, svc.now())) as weighed
             join svc.policy_rules as rule on rule.organization_id = weighed.rule_organization_id and rule.owner = weighed.owner
              and rule.rule_id = weighed.rule_id
            order by weighed.owner desc, rule.organization_id = $1, rule.position`,
    values: [
      payment.organizationId,
      payment.apiKeyId,
      payment.customerId,
      payment.destinationId,
      payment.method,
      payment.usdCents,
      payment.at,
    ],
  })
}
