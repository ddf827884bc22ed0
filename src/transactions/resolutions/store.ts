import type { Tx } from '../../db/database.ts'
import type { Payout } from '../payouts/payout.ts'
import { columns } from '../payouts/store.ts'

type CustomerKey = { organizationId: string; customerId: string }
type TransactionKey = { organizationId: string; transactionId: string }

/** A refused refund or return about which an operator decides. */
export type UndecidedRefund = Payout & {
  paymentAccountId: string
  customerId: string
  depositStatus: string | null
  /** The part that is still owed. It may be less than the refused amount. */
  owedAmount: string
  /** The resource that the operator resolves: a deposit that is UNMATCHED again, else the transaction. */
  decidedBy: 'TRANSACTION' | 'DEPOSIT'
}

/**
 * Reads the undecided refunds of a transaction that the caller has locked. Locks their deposits first: a concurrent
 * decision about a deposit comes before this one, and is seen, or waits for it.
 */
export async function readUndecidedRefunds(
  tx: Tx,
  { organizationId, transactionId }: TransactionKey,
): Promise<UndecidedRefund[]> {
  const values = [organizationId, transactionId]
  await tx.query({
    name: 'lock deposits of refunds',
    text: `select deposit_id from svc.deposits
            where organization_id = $1 and deposit_id in (
                  select payout.deposit_id from svc.payouts as payout
                   where payout.organization_id = $1 and payout.transaction_id = $2 and payout.purpose = 'RETURN')
            order by deposit_id for no key update`,
    values,
  })
  return tx.query<UndecidedRefund>({
    name: 'read undecided refunds of a transaction',
    text: `select ${columns}, refund.deposit_status as "depositStatus", refund.amount as "owedAmount",
                  refund.decided_by as "decidedBy"
             from svc.open_refunds($1, $2) as refund
             join svc.payouts as payout on payout.organization_id = $1 and payout.payout_id = refund.payout_id
            where refund.organization_id = $1 and refund.decided_by is not null order by refund.deposit_id`,
    values,
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
    text: `with stopped as materialized (
             select payout_id from svc.payouts
              where organization_id = $1 and customer_id = $2 and status = 'WAITING'
              order by payout_id for no key update)
           update svc.payouts as payout set due_at = svc.now(), lease_until = null, fence = fence + 1
             from stopped where payout.organization_id = $1 and payout.payout_id = stopped.payout_id
        returning transaction_id as "transactionId"`,
    values,
  })
  const transactions = await tx.query<{ transactionId: string; isFrozen: boolean }>({
    name: 'wake frozen transactions of a customer',
    text: `with stopped as materialized (
             select transaction_id from svc.transactions
              where organization_id = $1 and customer_id = $2 and status in ('CREATED', 'PROCESSING')
                and step in ('SCREEN', 'FROZEN')
              order by transaction_id for no key update)
           update svc.transactions as transaction set due_at = svc.now(), lease_until = null, fence = fence + 1
             from stopped
            where transaction.organization_id = $1 and transaction.transaction_id = stopped.transaction_id
        returning transaction.transaction_id as "transactionId", step = 'FROZEN' as "isFrozen"`,
    values,
  })
  await tx.query({
    name: 'wake held deposits of a customer',
    text: `with held as materialized (
             select deposit_id from svc.deposits
              where organization_id = $1 and customer_id = $2 and status = 'HELD' and not is_sender_blocked
              order by deposit_id for no key update)
           update svc.deposits as deposit set due_at = svc.now(), lease_until = null, fence = fence + 1
             from held where deposit.organization_id = $1 and deposit.deposit_id = held.deposit_id`,
    values,
  })
  const stopped = [...payouts, ...transactions.filter(({ isFrozen }) => isFrozen)]
  return [...new Set(stopped.flatMap(({ transactionId }) => transactionId ?? []))]
}
