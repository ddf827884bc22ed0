import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/outbox/events.ts'
import type { PostOutcome } from '../ledger/posting.ts'
import * as store from './change-store.ts'
import { type Transaction, type TransactionMove, transactionMoves } from './transaction.ts'
import { presentTransaction } from './wire.ts'

/** Moves a transaction by the state table and appends its event; undefined when a concurrent change came first. */
export async function moveTransaction(
  tx: Tx,
  key: store.TransactionKey,
  move: TransactionMove,
  change: store.TransactionChange,
): Promise<Transaction | undefined> {
  const changed = await store.changeTransaction(tx, key, transactionMoves[move], change)
  if (changed) await emit(tx, changed)
  return changed
}

/** Changes public details within the current status, and appends the event. */
export async function changeDetails(
  tx: Tx,
  key: store.TransactionKey,
  details: store.TransactionDetails = {},
): Promise<Transaction> {
  const changed = await store.changeDetails(tx, key, details)
  if (!changed) throw new Error(`transaction ${key.transactionId} does not exist`)
  await emit(tx, changed)
  return changed
}

/** Appends the current state as an event, in the database transaction of the change. It holds no personal data. */
async function emit(tx: Tx, transaction: Transaction): Promise<void> {
  const { organizationId, transactionId: resourceId, version: resourceVersion } = transaction
  const data = presentTransaction(transaction)
  await appendEvent(tx, { organizationId, type: 'transaction.updated', resourceId, resourceVersion, data })
}

/** Throws when the ledger refused a posting. The caller has checked its conditions, so this is a fault: roll back. */
export function requirePosted(outcomes: readonly PostOutcome[]): void {
  const refused = outcomes.find(({ outcome }) => outcome !== 'POSTED' && outcome !== 'REPLAYED')
  if (refused) throw new Error(`the ledger refused a posting: ${refused.outcome}`)
}
