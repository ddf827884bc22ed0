import type { Tx } from '../../../db/database.ts'
import { type DepositPresentation, emitDeposit } from '../change.ts'
import { touchDeposits } from './store.ts'

/** Shows a new or decided recall on its deposit, with an event. Without a deposit its creation will show it. */
export async function noteRecall(
  presentation: DepositPresentation,
  tx: Tx,
  payment: { book: string; externalId: string },
): Promise<void> {
  for (const deposit of await touchDeposits(tx, payment)) await emitDeposit(presentation, tx, deposit)
}
