import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/outbox/events.ts'
import type { PostOutcome } from '../ledger/posting.ts'
import * as store from './change-store.ts'
import { type Transaction, type TransactionMove, transactionMoves } from './transaction.ts'
import { presentTransaction } from './wire.ts'

/** One move of the state table with its event, in the caller's transaction; undefined when somebody else came first. */
export async function moveTransaction(
  tx: Tx,
  key: store.TransactionKey,
  move: TransactionMove,
  change: store.Change,
): Promise<Transaction | undefined> {
  const changed = await store.changeTransaction(tx, key, transactionMoves[move], change)
  if (changed) await emit(tx, changed)
  return changed
}

/** Something else that is shown changed, with its event. */
export async function changeDetails(
  tx: Tx,
  key: store.TransactionKey,
  detail: store.Detail = {},
): Promise<Transaction> {
  const changed = await store.changeDetails(tx, key, detail)
  if (!changed) throw new Error(`there is no transaction ${key.transactionId}`)
  await emit(tx, changed)
  return changed
}

/** The event is the transaction as it is now, in the transaction of the change. Nothing in it names a person. */
async function emit(tx: Tx, transaction: Transaction): Promise<void> {
  const { organizationId, transactionId: resourceId, version: resourceVersion } = transaction
  const data = presentTransaction(transaction)
  await appendEvent(tx, { organizationId, type: 'transaction.updated', resourceId, resourceVersion, data })
}

/** Whatever could refuse a posting was made sure of before: a refusal here is a fault, and undoes everything. */
export function requirePosted(outcomes: readonly PostOutcome[]): void {
  const refused = outcomes.find(({ outcome }) => outcome !== 'POSTED' && outcome !== 'REPLAYED')
  if (refused) throw new Error(`the ledger refused a posting: ${refused.outcome}`)
}
