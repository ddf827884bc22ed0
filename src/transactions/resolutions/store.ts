import type { Tx } from '../../db/database.ts'
import type { Payout } from '../payouts/payout.ts'
import { columns } from '../payouts/store.ts'

type CustomerKey = { organizationId: string; customerId: string }
type TransactionKey = { organizationId: string; transactionId: string }

/** What was to go back, newest for each cause, with the deposit that it is of. */
export type Refund = Payout & { depositStatus: string | null }

export function readRefunds(tx: Tx, { organizationId, transactionId }: TransactionKey): Promise<Refund[]> {
  return tx.query<Refund>({
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
 * A person has decided about the customer, or it is ACTIVE again: what had stopped because of it is looked at now.
 * A worker that holds one of them may have looked before the decision, so it loses it: it can neither start nor postpone
 * it.
 * Payouts before transactions, and those before deposits, as everybody does. Answers the transactions that had stopped.
 */
export async function wakeStopped(tx: Tx, { organizationId, customerId }: CustomerKey): Promise<string[]> {
  const values = [organizationId, customerId]
  const owed = await tx.query<{ transactionId: string | null }>({
    name: 'wake payouts of a customer',
    text: `update svc.payouts set due_at = svc.now(), lease_until = null, fence = fence + 1
            where organization_id = $1 and customer_id = $2 and status = 'WAITING'
        returning transaction_id as "transactionId"`,
    values,
  })
  const looked = await tx.query<{ transactionId: string; isFrozen: boolean }>({
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
  const stopped = [...owed, ...looked.filter(({ isFrozen }) => isFrozen)]
  return [...new Set(stopped.flatMap(({ transactionId }) => transactionId ?? []))]
}
