import type { Tx } from '../../db/database.ts'
import type { ClaimedTransaction } from '../change-store.ts'
import type { ClaimedDeposit } from './store.ts'

/**
 * The pause before the next re-check of work that waits for a decision: as long as it has waited, at least a minute and
 * at most a day. What can release it wakes it, so the re-checks only make up for a wake-up that came too early.
 */
const pauseSince = (column: string) => `least(greatest(svc.now() - ${column}, interval '1 minute'), interval '1 day')`

/** Postpones the next re-check of a HELD deposit. */
export async function postponeHeld(tx: Tx, { organizationId, depositId, fence }: ClaimedDeposit): Promise<void> {
  await tx.query({
    name: 'postpone held deposit',
    text: `update svc.deposits set due_at = svc.now() + ${pauseSince('created_at')}, lease_until = null
            where organization_id = $1 and deposit_id = $2 and fence = $3 and status = 'HELD'`,
    values: [organizationId, depositId, fence],
  })
}

/**
 * Makes the held deposits of organizations due now that are no longer suspended. The new fence stops a worker that
 * claimed one of them under the suspension.
 */
export async function wakeHeld(tx: Tx, organizationIds: readonly string[]): Promise<void> {
  await tx.query({
    name: 'wake held deposits of organizations',
    text: `with held as materialized (
             select organization_id, deposit_id from svc.deposits
              where organization_id = any($1) and status = 'HELD' and not is_sender_blocked
              order by organization_id, deposit_id for no key update)
           update svc.deposits as deposit set due_at = svc.now(), lease_until = null, fence = fence + 1
             from held
            where deposit.organization_id = held.organization_id and deposit.deposit_id = held.deposit_id`,
    values: [organizationIds],
  })
}

/** Leaves a HELD deposit to a reviewer: its sender is on a watch list. */
export async function blockSender(tx: Tx, { organizationId, depositId, fence }: ClaimedDeposit): Promise<void> {
  await tx.query({
    name: 'block sender of held deposit',
    text: `update svc.deposits set is_sender_blocked = true, due_at = null, lease_until = null
            where organization_id = $1 and deposit_id = $2 and fence = $3 and status = 'HELD'`,
    values: [organizationId, depositId, fence],
  })
}

/** Postpones the end of a transaction whose time is over: money that was seen in time is not final or not decided. */
export async function postponeExpiry(
  tx: Tx,
  { organizationId, transactionId, fence }: ClaimedTransaction,
): Promise<void> {
  await tx.query({
    name: 'postpone expiry of transaction',
    text: `update svc.transactions set due_at = svc.now() + ${pauseSince('expires_at')}, lease_until = null
            where organization_id = $1 and transaction_id = $2 and fence = $3 and status = 'AWAITING_TRANSFER'`,
    values: [organizationId, transactionId, fence],
  })
}

/** Makes a transaction due whose time is over: a decision, or the end of a block, ended the wait for its money. */
export async function wakeExpired(
  tx: Tx,
  { organizationId, transactionId }: { organizationId: string; transactionId: string },
): Promise<void> {
  await tx.query({
    name: 'wake expired transaction',
    text: `update svc.transactions set due_at = svc.now(), lease_until = null, fence = fence + 1
            where organization_id = $1 and transaction_id = $2 and status = 'AWAITING_TRANSFER'
              and expires_at <= svc.now()`,
    values: [organizationId, transactionId],
  })
}
