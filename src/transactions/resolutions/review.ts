import type { Tx } from '../../db/database.ts'
import { recordStep } from '../change-store.ts'
import { wakeStopped } from './store.ts'

/** Whatever stopped because of a customer goes on, or comes to its end, once a person has decided about the customer. */
export async function followReview(
  tx: Tx,
  customer: { organizationId: string; customerId: string },
  { actor, decision }: { actor: string; decision: string },
): Promise<void> {
  const { organizationId } = customer
  for (const transactionId of await wakeStopped(tx, customer)) {
    const details = { action: 'review.decided', actor, decision }
    await recordStep(tx, { organizationId, transactionId }, 'OPERATOR', details)
  }
}
