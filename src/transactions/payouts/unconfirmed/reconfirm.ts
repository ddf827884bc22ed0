import { changeDetails } from '../../change.ts'
import { recordStep } from '../../change-store.ts'
import type { SettlementDeps } from '../../settle.ts'
import type { Payment } from '../rail.ts'
import { paymentDetails } from '../settlement-store.ts'
import { type ClaimedPayout, recordAttempt } from '../store.ts'
import { reconfirmPayout } from './store.ts'

/** Records that a payout is in another final block now. The books do not change: they have counted it as paid. */
export function reconfirm(
  { database }: Pick<SettlementDeps, 'database'>,
  payout: ClaimedPayout,
  payment: Payment,
): Promise<void> {
  const { organizationId, transactionId, purpose } = payout
  const { externalReference, block } = payment
  return database.inTx(async (tx) => {
    await reconfirmPayout(tx, payout, externalReference)
    await recordAttempt(tx, payout, `CONFIRMED ${block?.hash ?? externalReference}`, paymentDetails(payment))
    if (transactionId === null || externalReference === payout.externalReference) return
    // A transaction of the relayer with another fee pays now.
    await recordStep(tx, { organizationId, transactionId }, `${purpose}_CONFIRMED`, { externalReference })
    const details = purpose === 'PAYOUT' ? { destinationReferenceId: externalReference } : {}
    await changeDetails(tx, { organizationId, transactionId }, details)
  })
}
