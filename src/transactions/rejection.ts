import type { Queryable } from '../db/database.ts'
import type { LedgerService } from '../ledger/service.ts'
import { lockTransaction, recordStep, type TransactionKey } from './change-store.ts'
import { type PayoutRow, payoutMoves } from './payouts/payout.ts'
import { withdrawPayouts } from './payouts/store.ts'
import { failAfterRefusal, failWithRefund } from './refund.ts'
import { isTurnedAway } from './screening/eligibility.ts'
import { readStandings } from './screening/eligibility-store.ts'

const failureReason = 'compliance_rejected'

/**
 * A person decided that a transaction must not go on: what came in goes back to where it came from. Possible while it is
 * frozen, or its payout waits; false when the money has left, or somebody else was first.
 */
export async function rejectTransaction(
  { ledger }: { ledger: LedgerService },
  transaction: Queryable,
  { organizationId, transactionId }: TransactionKey,
): Promise<boolean> {
  const key = { organizationId, transactionId }
  // The payout is changed first and the transaction second, by everybody.
  const [withdrawn] = await withdrawPayouts(transaction, key, payoutMoves.withdraw, ['PAYOUT'], failureReason)
  const row = await lockTransaction(transaction, key)
  if (row?.status !== 'PROCESSING') return false
  if (withdrawn) {
    await recordStep(transaction, row, 'PAYOUT_WITHDRAWN')
    await failAfterRefusal({ ledger }, transaction, row, failureReason)
    return true
  }
  if (row.step !== 'FROZEN') return false
  await failWithRefund({ ledger }, transaction, row, { failureReason })
  return true
}

/** What was promised to whom a person has decided against. What goes back to them waits: a person lets it leave. */
export async function findTurnedAway<Payout extends Pick<PayoutRow, 'purpose' | 'customerId'>>(
  transaction: Queryable,
  organizationId: string,
  payouts: readonly Payout[],
): Promise<Payout[]> {
  const promised = payouts.filter(({ purpose }) => purpose === 'PAYOUT')
  const customerIds = promised.map(({ customerId }) => customerId)
  const standings = await readStandings(transaction, organizationId, customerIds)
  return promised.filter(({ customerId }) => {
    const standing = standings.get(customerId)
    return standing !== undefined && isTurnedAway(standing)
  })
}
