import type { Tx } from '../../../db/database.ts'
import type { RailReport } from '../../payouts/rail.ts'
import { bankFilesRail } from '../outgoing/rail.ts'
import { lockRecording } from '../recognition/lock-store.ts'
import { findPair, type Half } from './pairs.ts'
import * as store from './return-store.ts'

/**
 * Joins a report that an operator lets count for a payout with the other half of its return, if that counts already: a
 * message and an entry tell one return. False when it is a return of its own.
 */
export async function joinApplied(tx: Tx, payoutId: string, report: RailReport): Promise<boolean> {
  if (report.state !== 'RETURNED' || report.currency === undefined) return false
  const { returnId, amount, entryId } = report
  await lockRecording(tx)
  const reference = await store.findReference(tx, payoutId, report.currency)
  if (reference === undefined) return false
  await store.adoptRedirected(tx, bankFilesRail, reference)
  const half: Half = entryId === undefined ? 'message' : 'entry'
  const pair = findPair(await store.readKnownReturns(tx, reference), half, amount)
  if (!pair || pair.displaced) return false
  const { known } = pair
  const message =
    entryId === undefined
      ? { messageReturnId: returnId, messageAmount: amount }
      : { messageReturnId: known.messageReturnId ?? '', messageAmount: BigInt(known.messageAmount ?? 0) }
  const entry =
    entryId === undefined
      ? { bankEntryId: known.bankEntryId ?? '', creditedAmount: BigInt(known.creditedAmount ?? 0) }
      : { bankEntryId: entryId, creditedAmount: amount }
  await store.pairReturn(tx, reference, known.returnId, { message, entry })
  return true
}
