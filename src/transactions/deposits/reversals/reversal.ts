import type { Asset } from '../../../catalog/currencies.ts'
import type { Transitions } from '../../../lib/transitions.ts'
import type { Deposit } from '../deposit.ts'

/** COVERED: the money was still in suspense. OPEN: the customer owes it. */
export type ReversalStatus = 'COVERED' | 'OPEN' | 'RECOVERED' | 'WRITTEN_OFF'

/** The ends of a debt for a reversed deposit. The operator of the deployment decides about what is not covered. */
export const reversalMoves = {
  /** The customer gave it back. */
  recover: { from: ['OPEN'], to: 'RECOVERED' },
  /** The customer will not give it back. */
  writeOff: { from: ['OPEN'], to: 'WRITTEN_OFF' },
  /** A return of the deposit did not leave, and its money pays all that was owed. */
  cover: { from: ['OPEN'], to: 'COVERED' },
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

type SpentDeposit = Pick<ReversibleDeposit, 'status' | 'amount' | 'appliedAmount' | 'returnedAmount' | 'coveredAmount'>

/** The part of a deposit that is in suspense and promised to no one: no decision, transaction or live return has it. */
export function undecidedOf(deposit: SpentDeposit): bigint {
  const spent = BigInt(deposit.appliedAmount) + BigInt(deposit.returnedAmount) + BigInt(deposit.coveredAmount)
  const isGone = deposit.status === 'CREDITED' || deposit.status === 'REVERSED'
  return isGone ? 0n : BigInt(deposit.amount) - spent
}

/** Splits a reversal: what suspense still covers, and what the customer owes. */
export function splitReversal(deposit: SpentDeposit, amount: bigint): { covered: bigint; owed: bigint } {
  const left = undecidedOf(deposit)
  const covered = left < amount ? left : amount
  return { covered, owed: amount - covered }
}
