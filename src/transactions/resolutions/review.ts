import type { Tx } from '../../db/database.ts'
import { recordStep } from '../change-store.ts'
import { wakeStoppedWork } from './store.ts'

/** Wakes the work that a review of the customer had stopped, and records the decision in each timeline. */
export async function resumeWork(
  tx: Tx,
  customer: { organizationId: string; customerId: string },
  { actor, decision }: { actor: string; decision: string },
): Promise<void> {
  const { organizationId } = customer
  for (const transactionId of await wakeStoppedWork(tx, customer)) {
    const details = { action: 'review.decided', actor, decision }
    await recordStep(tx, { organizationId, transactionId }, 'OPERATOR', details)
  }
}
