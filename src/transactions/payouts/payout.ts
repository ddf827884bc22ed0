import type { Asset } from '../../catalog/currencies.ts'
import { isFiat } from '../../catalog/currencies.ts'
import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { Transitions } from '../../lib/transitions.ts'

export type PayoutStatus = 'WAITING' | 'SENDING' | 'SENT' | 'CONFIRMED' | 'REFUSED' | 'RETURNED'

/** The whole life of an obligation to pay. SENDING is also what it is while nobody knows whether the rail heard us. */
export const payoutMoves = {
  /** Liquidity is promised, and the next thing is to ask the rail. */
  start: { from: ['WAITING'], to: 'SENDING' },
  /** A person decided otherwise before anybody outside had heard of it. */
  withdraw: { from: ['WAITING'], to: 'REFUSED' },
  /** The rail has never heard of it: the same obligation, once more. */
  retry: { from: ['SENDING'], to: 'SENDING' },
  accept: { from: ['SENDING'], to: 'SENT' },
  confirm: { from: ['SENDING', 'SENT'], to: 'CONFIRMED' },
  refuse: { from: ['SENDING', 'SENT'], to: 'REFUSED' },
  return: { from: ['CONFIRMED'], to: 'RETURNED' },
} as const satisfies Transitions<PayoutStatus>

/**
 * PAYOUT: what was promised. REFUND: a transaction came to nothing. RETURN: a deposit, or what is too much of it.
 * REPAYMENT: a bank gave back one of the first two, and a person has it paid again.
 */
export type PayoutPurpose = 'PAYOUT' | 'REFUND' | 'RETURN' | 'REPAYMENT'

/** An obligation as it is stored. The amount is in smallest units. */
export type Payout = {
  organizationId: string
  payoutId: string
  transactionId: string | null
  depositId: string | null
  customerId: string
  purpose: PayoutPurpose
  method: PaymentMethod
  asset: Asset
  amount: string
  paymentAccountId: string
  fromWalletId: string | null
  status: PayoutStatus
  attempts: number
  asks: number
  externalReference: string
  /** A person let it leave although its customer stays blocked. */
  isReleased: boolean
}

const longestPauseSeconds = 300

/** At once, then after 1, 3, 7 … seconds, and every five minutes in the end. */
export function pollInSeconds(asks: number): number {
  return Math.min(2 ** Math.min(asks, 10) - 1, longestPauseSeconds)
}

/** Banks give money back for days after they took it. A network that has confirmed never does. */
export const returnsArePossibleForDays = 5

export function canBeReturned({ asset }: Pick<Payout, 'asset'>): boolean {
  return isFiat(asset)
}
