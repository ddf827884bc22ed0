import type { Queryable } from '../db/database.ts'
import { appendEvent } from '../db/outbox/events.ts'
import type { PostOutcome } from '../ledger/posting.ts'
import * as store from './change-store.ts'
import { type TransactionMove, type TransactionRow, transactionMoves } from './transaction.ts'
import { presentTransaction } from './wire.ts'

/** One move of the state table with its event, in the caller's transaction; undefined when somebody else came first. */
export async function moveTransaction(
  transaction: Queryable,
  key: store.TransactionKey,
  move: TransactionMove,
  change: store.Change,
): Promise<TransactionRow | undefined> {
  const changed = await store.changeTransaction(transaction, key, transactionMoves[move], change)
  if (changed) await emit(transaction, changed)
  return changed
}

/** Something else that is shown changed, with its event. */
export async function changeDetails(
  transaction: Queryable,
  key: store.TransactionKey,
  detail: store.Detail = {},
): Promise<TransactionRow> {
  const changed = await store.changeDetails(transaction, key, detail)
  if (!changed) throw new Error(`there is no transaction ${key.transactionId}`)
  await emit(transaction, changed)
  return changed
}

/** The event is the transaction as it is now, in the transaction of the change. Nothing in it names a person. */
async function emit(transaction: Queryable, row: TransactionRow): Promise<void> {
  const { organizationId, transactionId: resourceId, version: resourceVersion } = row
  const data = presentTransaction(row)
  await appendEvent(transaction, { organizationId, type: 'transaction.updated', resourceId, resourceVersion, data })
}

/** Whatever could refuse a posting was made sure of before: a refusal here is a fault, and undoes everything. */
export function requirePosted(outcomes: readonly PostOutcome[]): void {
  const refused = outcomes.find(({ outcome }) => outcome !== 'POSTED' && outcome !== 'REPLAYED')
  if (refused) throw new Error(`the ledger refused a posting: ${refused.outcome}`)
}
