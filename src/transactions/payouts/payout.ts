import type { Asset } from '../../catalog/currencies.ts'
import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { Transitions } from '../../lib/transitions.ts'

export type PayoutStatus = 'WAITING' | 'SENDING' | 'SENT' | 'CONFIRMED' | 'REFUSED' | 'RETURNED'

/** The whole life of a payout obligation. It stays SENDING until the rail tells whether it received the payout. */
export const payoutMoves = {
  /** Liquidity is taken; the worker sends the payout next. */
  start: { from: ['WAITING'], to: 'SENDING' },
  /** The rail has paid what we believe has not left: the operator records it. */
  overtake: { from: ['WAITING'], to: 'SENDING' },
  /** The rail is closed, or too expensive now: nothing has left, and the liquidity is free again. */
  putBack: { from: ['SENDING'], to: 'WAITING' },
  /** An operator decided otherwise before the payout was sent. */
  withdraw: { from: ['WAITING'], to: 'REFUSED' },
  /** The rail has proven that no attempt can ever pay: the worker attempts the same obligation again. */
  retry: { from: ['SENDING', 'SENT'], to: 'SENDING' },
  accept: { from: ['SENDING'], to: 'SENT' },
  confirm: { from: ['SENDING', 'SENT'], to: 'CONFIRMED' },
  refuse: { from: ['SENDING', 'SENT'], to: 'REFUSED' },
  /** A bank may return a payout in several parts. */
  return: { from: ['CONFIRMED', 'RETURNED'], to: 'RETURNED' },
} as const satisfies Transitions<PayoutStatus>

/**
 * PAYOUT: the destination amount of a transaction. REFUND: the source of a failed transaction. RETURN: a deposit, or
 * its excess. REPAYMENT: returned funds of a transaction that an operator pays out. DISBURSEMENT: money that is kept for
 * a customer, and that an operator pays out: returned funds of any cause, or a wallet that the customer cannot use.
 * COLLECT and SWEEP bring tokens of ours from a customer's address to our treasury: the source of a paid transaction,
 * and the fees of direct transfers. REBALANCE sends tokens of our treasury to our reserve.
 */
export type PayoutPurpose = 'PAYOUT' | 'REFUND' | 'RETURN' | 'REPAYMENT' | 'DISBURSEMENT' | TreasuryPurpose
export type TreasuryPurpose = 'COLLECT' | 'SWEEP' | 'REBALANCE'

/** True for a movement between addresses of ours: no customer receives it. */
export function isOwnMovement({ purpose }: { purpose: string }): boolean {
  return purpose === 'COLLECT' || purpose === 'SWEEP' || purpose === 'REBALANCE'
}

/** A payout obligation. The amount is in smallest units. */
export type Payout = {
  organizationId: string
  payoutId: string
  shortReference: string
  transactionId: string | null
  depositId: string | null
  /** Null for a movement of our own money alone. */
  customerId: string | null
  purpose: PayoutPurpose
  method: PaymentMethod
  asset: Asset
  amount: string
  /** The receiver, a registered account of the customer; null when an address of ours receives. */
  paymentAccountId: string | null
  /** The version of the receiver's coordinates with which it was created. */
  detailsVersion: number
  fromWalletId: string | null
  /** The holding of ours that pays; null when a wallet's address pays. */
  paysFrom: string | null
  /** The holding that keeps the owed money; null for a PAYOUT. */
  heldAt: string | null
  /** For COLLECT and SWEEP: the part that belongs to the integrator. */
  developerFees: string | null
  /** It pays with our own money first. */
  needsLiquidity: boolean
  /** The watch list with which the destination was screened last; 0 without a list, null before the first time. */
  screenedVersion: number | null
  status: PayoutStatus
  attempts: number
  /** The bytes of the latest attempt are committed: they may have left. */
  isPrepared: boolean
  polls: number
  externalReference: string
  /** A reviewer released it although its customer stays blocked. */
  isReleased: boolean
  /** It was withdrawn before it was sent. No process can remove this record. */
  isWithdrawn: boolean
  /** The rail's word contradicts our record, and no operator has acknowledged it yet. */
  isContradicted: boolean
  /** Its chain has dropped the final block that paid it, and its rail has not told its fate yet. */
  isUnconfirmed: boolean
  /** The signer's seal over the obligation; null until the signer has sealed it. */
  seal: Buffer | null
}

/** The customer of a payout that is not a movement of our own money alone. */
export function customerOf({ payoutId, customerId }: Payout): string {
  if (customerId === null) throw new Error(`payout ${payoutId} has no customer`)
  return customerId
}

const maxPauseSeconds = 300

/** Computes the pause before the next poll: 0, 1, 3, 7 … seconds, at most five minutes. */
export function pollInSeconds(polls: number): number {
  return Math.min(2 ** Math.min(polls, 10) - 1, maxPauseSeconds)
}
