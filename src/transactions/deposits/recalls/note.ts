import type { Tx } from '../../../db/database.ts'
import { type DepositPresentation, emitDeposit } from '../change.ts'
import { recallMoves } from './recall.ts'
import * as store from './store.ts'

/**
 * Changes recalls of payments, and shows that on their deposits, with an event. Without a deposit its creation will show it.
 * The deposits are locked first, as at a reversal. A recall of money that is gone already is settled.
 */
export async function changeRecalls<Result>(
  presentation: DepositPresentation,
  tx: Tx,
  payments: readonly store.RecalledPayment[],
  change: () => Promise<Result>,
): Promise<Result> {
  await store.lockDeposits(tx, payments)
  const result = await change()
  for (const payment of payments) await store.settleRecalls(tx, payment, 0n, recallMoves.settle)
  for (const deposit of await store.touchDeposits(tx, payments)) await emitDeposit(presentation, tx, deposit)
  return result
}
