import type { Asset } from '../../../catalog/currencies.ts'
import type { Transitions } from '../../../lib/transitions.ts'
import type { Deposit } from '../deposit.ts'

/** COVERED: the money was still in suspense. OPEN: the customer owes it. */
export type ReversalStatus = 'COVERED' | 'OPEN' | 'RECOVERED' | 'WRITTEN_OFF'

/** The decisions of the deployment's operator about a reversed deposit that the customer owes. */
export const reversalMoves = {
  /** The customer gave it back. */
  recover: { from: ['OPEN'], to: 'RECOVERED' },
  /** The customer will not give it back. */
  writeOff: { from: ['OPEN'], to: 'WRITTEN_OFF' },
} as const satisfies Transitions<ReversalStatus>

/** A deposit, or a part of it, that a bank or chain took back. */
export type Reversal = {
  organizationId: string
  reversalId: string
  depositId: string
  /** The bank's or chain's own id of the reversal. */
  externalId: string
  customerId: string | null
  asset: Asset
  amount: string
  owedAmount: string
  reason: string
  status: ReversalStatus
  recordedAt: Date
}

/** A reversal as the observer of a bank or chain reports it. */
export type ReversalReport = Pick<Deposit, 'method' | 'book' | 'externalId'> & {
  /** Identifies the reversal: the same id is the same reversal. */
  reversalId: string
  /** In smallest units; all that is left of the deposit when absent. */
  amount?: bigint
  /** A code, never personal data. */
  reason: string
}

/** A deposit under lock, with what decides where a reversal takes its money. */
export type ReversibleDeposit = Deposit & {
  returnedAmount: string
  /** A return that has not left. */
  hasWaitingReturn: boolean
  /** A return that may have left. */
  isBeingReturned: boolean
}

/**
 * Splits a reversal: what suspense still covers, and what the customer owes. Suspense covers a part only while the
 * deposit is undecided; otherwise the rest of it is promised already, and only a full reversal ends the promise.
 */
export function splitReversal(
  deposit: Pick<ReversibleDeposit, 'status' | 'amount' | 'appliedAmount' | 'returnedAmount' | 'coveredAmount'>,
  { amount, isFull }: { amount: bigint; isFull: boolean },
): { covered: bigint; owed: bigint } {
  const isUndecided = deposit.status === 'HELD' || deposit.status === 'UNMATCHED'
  const isInSuspense = isUndecided || (isFull && deposit.status !== 'CREDITED')
  const spent = BigInt(deposit.appliedAmount) + BigInt(deposit.returnedAmount) + BigInt(deposit.coveredAmount)
  const left = isInSuspense ? BigInt(deposit.amount) - spent : 0n
  const covered = left < amount ? left : amount
  return { covered, owed: amount - covered }
}
