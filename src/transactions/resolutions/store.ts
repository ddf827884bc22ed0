import type { Queryable } from '../../db/database.ts'
import type { Move } from '../../lib/transitions.ts'
import type { PayoutPurpose, PayoutRow, PayoutStatus } from '../payouts/payout.ts'
import { columns } from '../payouts/store.ts'
import type { Standing } from '../screening/eligibility.ts'

type CustomerKey = { organizationId: string; customerId: string }
type TransactionKey = { organizationId: string; transactionId: string }

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

/** What was owed and nobody outside has heard of is owed no more. Whoever holds it as work loses it. */
export function withdrawPayouts(
  transaction: Queryable,
  { organizationId, transactionId }: TransactionKey,
  { from, to }: Move<PayoutStatus>,
  purposes: readonly PayoutPurpose[],
  reason: string,
): Promise<PayoutRow[]> {
  return transaction.query<PayoutRow>({
    name: 'withdraw payouts',
    text: `update svc.payouts as payout
              set status = $4, reason = $6, due_at = null, lease_until = null, fence = fence + 1, resolved_at = svc.now()
            where organization_id = $1 and transaction_id = $2 and status = any($3) and purpose = any($5)
              and not is_released
        returning ${columns}`,
    values: [organizationId, transactionId, from, to, purposes, reason],
  })
}

/** What was to go back, newest for each cause, with the deposit that it is of. */
export type Refund = PayoutRow & { depositStatus: string | null }

export function readRefunds(
  transaction: Queryable,
  { organizationId, transactionId }: TransactionKey,
): Promise<Refund[]> {
  return transaction.query<Refund>({
    name: 'read refunds of a transaction',
    text: `select distinct on (payout.deposit_id) ${columns}, deposit.status as "depositStatus"
             from svc.payouts as payout
             left join svc.deposits as deposit
               on deposit.organization_id = payout.organization_id and deposit.deposit_id = payout.deposit_id
            where payout.organization_id = $1 and payout.transaction_id = $2
              and payout.purpose in ('REFUND', 'RETURN')
            order by payout.deposit_id, payout.payout_id desc`,
    values: [organizationId, transactionId],
  })
}

/** An external account as refunds see it. */
export type RefundAccount = { customerId: string; status: string; type: string; currency: string; method: string }

export async function findRefundAccount(
  transaction: Queryable,
  organizationId: string,
  paymentAccountId: string,
): Promise<RefundAccount | undefined> {
  const [found] = await transaction.query<RefundAccount>({
    name: 'find account for a refund',
    text: `select customer_id as "customerId", status, payment_account_type as type, currency, payment_method as method
             from svc.payment_accounts where organization_id = $1 and payment_account_id = $2 for share`,
    values: [organizationId, paymentAccountId],
  })
  return found
}

/**
 * A person has decided about the customer, or it is ACTIVE again: what had stopped because of it is looked at now.
 * Whoever is looking at one of these transactions loses it, because it may have looked before. Payouts before
 * transactions, and those before deposits, as everybody does. Answers the transactions that had stopped.
 */
export async function wakeStopped(
  transaction: Queryable,
  { organizationId, customerId }: CustomerKey,
): Promise<string[]> {
  const values = [organizationId, customerId]
  const owed = await transaction.query<{ transactionId: string | null }>({
    name: 'wake payouts of a customer',
    text: `update svc.payouts set due_at = svc.now()
            where organization_id = $1 and customer_id = $2 and status = 'WAITING'
        returning transaction_id as "transactionId"`,
    values,
  })
  const looked = await transaction.query<{ transactionId: string; isFrozen: boolean }>({
    name: 'wake frozen transactions of a customer',
    text: `update svc.transactions set due_at = svc.now(), lease_until = null, fence = fence + 1
            where organization_id = $1 and customer_id = $2 and status in ('CREATED', 'PROCESSING')
              and step in ('SCREEN', 'FROZEN')
        returning transaction_id as "transactionId", step = 'FROZEN' as "isFrozen"`,
    values,
  })
  await transaction.query({
    name: 'wake held deposits of a customer',
    text: `update svc.deposits set due_at = svc.now()
            where organization_id = $1 and customer_id = $2 and status = 'HELD'`,
    values,
  })
  const stopped = [...owed, ...looked.filter(({ isFrozen }) => isFrozen)]
  return [...new Set(stopped.flatMap(({ transactionId }) => transactionId ?? []))]
}
