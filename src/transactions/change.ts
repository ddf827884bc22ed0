import type { Tx } from '../db/database.ts'
import { appendEvents } from '../db/outbox/events.ts'
import type { PostOutcome } from '../ledger/posting.ts'
import { cancelApproval } from './approvals/change.ts'
import * as store from './change-store.ts'
import { type ShownTransaction, type TransactionMove, transactionMoves } from './transaction.ts'

/** Moves after which the money has not left: policies no longer count it. A payout that was returned had left. */
const movesWithoutPayment: readonly TransactionMove[] = ['cancel', 'expire', 'fail']

/**
 * Moves a transaction by the state table and appends its event; undefined when a concurrent change came first. The end
 * of a transaction cancels its open approval.
 */
export async function moveTransaction(
  tx: Tx,
  key: store.TransactionKey,
  move: TransactionMove,
  change: store.TransactionChange,
): Promise<ShownTransaction | undefined> {
  const changed = await store.changeTransaction(tx, key, transactionMoves[move], change)
  if (!changed) return undefined
  await emitTransactions(tx, [changed])
  if (change.step === 'DONE' && changed.approvalId !== null) await cancelApproval(tx, changed, changed.approvalId)
  // Before ledger accounts are locked: a creation locks counters first, too.
  if (changed.isCounted && movesWithoutPayment.includes(move)) await store.uncountPayment(tx, changed)
  return changed
}

/** Changes public details within the current status, and appends the event. */
export async function changeDetails(
  tx: Tx,
  key: store.TransactionKey,
  details: store.TransactionDetails = {},
): Promise<ShownTransaction> {
  const changed = await store.changeDetails(tx, key, details)
  if (!changed) throw new Error(`transaction ${key.transactionId} does not exist`)
  await emitTransactions(tx, [changed])
  return changed
}

/** Appends the current states as events, in the database transaction of the changes. They hold no personal data. */
export async function emitTransactions(tx: Tx, transactions: readonly ShownTransaction[]): Promise<void> {
  const events = transactions.map((transaction) => ({
    organizationId: transaction.organizationId,
    type: 'transaction.updated' as const,
    resourceId: transaction.transactionId,
    resourceVersion: transaction.version,
    json: transaction.shown,
  }))
  await appendEvents(tx, events)
}

/** Throws when the ledger refused a posting. The caller has checked its conditions, so this is a fault: roll back. */
export function requirePosted(outcomes: readonly PostOutcome[]): void {
  const refused = outcomes.find(({ outcome }) => outcome !== 'POSTED' && outcome !== 'REPLAYED')
  if (refused) throw new Error(`the ledger refused a posting: ${refused.outcome}`)
}
