import type { Tx } from '../../../db/database.ts'
import { type DepositPresentation, emitDeposit } from '../change.ts'
import { recallMoves } from './recall.ts'
import * as store from './store.ts'

/**
 * Changes recalls of a payment, and shows that on its deposit, with an event. Without a deposit its creation will show it.
 * The deposit is locked first, as at a reversal. A recall of money that is gone already is settled.
 */
export async function changeRecalls<Result>(
  presentation: DepositPresentation,
  tx: Tx,
  payment: store.RecalledPayment,
  change: () => Promise<Result>,
): Promise<Result> {
  await store.lockDeposits(tx, payment)
  const result = await change()
  await store.settleRecalls(tx, payment, 0n, recallMoves.settle)
  for (const deposit of await store.touchDeposits(tx, payment)) await emitDeposit(presentation, tx, deposit)
  return result
}
