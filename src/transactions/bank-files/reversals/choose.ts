import type { Tx } from '../../../db/database.ts'
import { amountOf, requireAmount, show } from './amount.ts'
import { findFit, startReversing } from './reversal-store.ts'

/** The deposit that an operator has found for a debit, and how much of it the debit takes, if the operator tells it. */
export type WantedReversal = { depositId: string; amount?: string }

/**
 * Lets a debit that matches nothing take a deposit of its account back, and answers how much of it. Undefined when the two
 * do not fit.
 */
export async function chooseReversed(
  tx: Tx,
  bankEntryId: string,
  { depositId, amount: told }: WantedReversal,
): Promise<string | undefined> {
  const fit = await findFit(tx, bankEntryId, depositId)
  if (!fit) return undefined
  const amount = told === undefined ? amountOf(fit) : requireAmount(fit, told)
  await startReversing(tx, bankEntryId, fit, amount)
  return show(fit, amount)
}
