import type { Tx } from '../../db/database.ts'
import type { Payout } from '../payouts/payout.ts'
import { columns } from '../payouts/store.ts'

type CustomerKey = { organizationId: string; customerId: string }
type TransactionKey = { organizationId: string; transactionId: string }

/** The newest refund or return of each cause, with the status of its deposit. */
export type RefundPayout = Payout & { depositStatus: string | null }

export function readRefunds(tx: Tx, { organizationId, transactionId }: TransactionKey): Promise<RefundPayout[]> {
  return tx.query<RefundPayout>({
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

/**
 * Makes the customer's stopped work due now, after a review decision or reactivation. The new fence stops a worker that
 * claimed some of it under the older decision. Lock order everywhere: payouts, transactions, deposits. Answers the ids
 * of the transactions that it woke.
 */
export async function wakeStoppedWork(tx: Tx, { organizationId, customerId }: CustomerKey): Promise<string[]> {
  const values = [organizationId, customerId]
  const payouts = await tx.query<{ transactionId: string | null }>({
    name: 'wake payouts of a customer',
    text: `update svc.payouts set due_at = svc.now(), lease_until = null, fence = fence + 1
            where organization_id = $1 and customer_id = $2 and status = 'WAITING'
        returning transaction_id as "transactionId"`,
    values,
  })
  const transactions = await tx.query<{ transactionId: string; isFrozen: boolean }>({
    name: 'wake frozen transactions of a customer',
    text: `update svc.transactions set due_at = svc.now(), lease_until = null, fence = fence + 1
            where organization_id = $1 and customer_id = $2 and status in ('CREATED', 'PROCESSING')
              and step in ('SCREEN', 'FROZEN')
        returning transaction_id as "transactionId", step = 'FROZEN' as "isFrozen"`,
    values,
  })
  await tx.query({
    name: 'wake held deposits of a customer',
    text: `update svc.deposits set due_at = svc.now(), lease_until = null, fence = fence + 1
            where organization_id = $1 and customer_id = $2 and status = 'HELD'`,
    values,
  })
  const stopped = [...payouts, ...transactions.filter(({ isFrozen }) => isFrozen)]
  return [...new Set(stopped.flatMap(({ transactionId }) => transactionId ?? []))]
}
