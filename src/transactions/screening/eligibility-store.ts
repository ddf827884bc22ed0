import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { Queryable } from '../../db/database.ts'
import type { CustomerEligibility } from './eligibility.ts'

/** A reviewer who saw a match and asked for more has not cleared it, unless a later review approved the customer. */
const isUncleared = `review.decision = 'NEEDS_INFO' and customer.status <> 'ACTIVE'`

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
                  coalesce(bool_or(review.decision = 'REJECT' or ${isUncleared}), false) as "isMatchConfirmed",
                  exists (select from svc.deposit_reversals as reversal
                           where reversal.organization_id = $1 and reversal.customer_id = customer.customer_id
                             and reversal.status = 'OPEN') as "owesReversal"
             from svc.customers as customer
             left join svc.reviews as review on review.organization_id = customer.organization_id
              and review.customer_id = customer.customer_id and review.has_match
            where customer.organization_id = $1 and customer.customer_id = any($2)
            group by customer.customer_id, customer.status`,
    values: [organizationId, customerIds],
  })
  return new Map(rows.map(({ customerId, ...eligibility }) => [customerId, eligibility]))
}

/** Finds payouts of money that a bank wants back, and of developer fees that it or a bank's debit makes uncertain. */
export async function readRecalled(
  database: Queryable,
  payouts: readonly { organizationId: string; payoutId: string }[],
): Promise<ReadonlySet<string>> {
  if (payouts.length === 0) return new Set()
  const rows = await database.query<{ payoutId: string }>({
    name: 'read recalled payouts',
    text: `select payout_id as "payoutId" from svc.recalled_payouts($1, $2)
            where exists (select from svc.bank_recalls where status in ('OPEN', 'ACCEPTED'))
               or exists (select from svc.deposit_reversals as reversal
                           where reversal.organization_id = any ($1) and reversal.status = 'OPEN')`,
    values: [payouts.map(({ organizationId }) => organizationId), payouts.map(({ payoutId }) => payoutId)],
  })
  return new Set(rows.map(({ payoutId }) => payoutId))
}

export type SourceWallet = { paymentAccountId: string; method: PaymentMethod }

/** Finds the external wallets that pay for these transactions. */
export async function readSourceWallets(
  database: Queryable,
  organizationId: string,
  transactionIds: readonly string[],
): Promise<Map<string, SourceWallet>> {
  if (transactionIds.length === 0) return new Map()
  const rows = await database.query<SourceWallet & { transactionId: string }>({
    name: 'read source wallets',
    text: `select transaction_id as "transactionId", source_payment_account_id as "paymentAccountId",
                  source_method as method
             from svc.transactions
            where organization_id = $1 and transaction_id = any($2) and not is_from_wallet and source_asset like '%/%'`,
    values: [organizationId, transactionIds],
  })
  return new Map(rows.map(({ transactionId, ...wallet }) => [transactionId, wallet]))
}

export async function readEligibility(
  database: Queryable,
  { organizationId, customerId }: CustomerKey,
): Promise<CustomerEligibility> {
  const eligibility = (await readEligibilities(database, organizationId, [customerId])).get(customerId)
  if (!eligibility) throw new Error(`customer ${customerId} does not exist`)
  return eligibility
}
