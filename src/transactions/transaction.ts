import type { Asset } from '../catalog/currencies.ts'
import type { PaymentMethod } from '../catalog/payment-methods.ts'
import type { Transitions } from '../lib/transitions.ts'

export const transactionStatuses = [
  'AWAITING_TRANSFER',
  'PROCESSING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'CREATED',
  'EXPIRED',
] as const
export type TransactionStatus = (typeof transactionStatuses)[number]

/** The whole life of a transaction. A move that is not in this table cannot happen. */
export const transactionMoves = {
  /** The money is reserved; a worker takes it up. */
  take: { from: ['CREATED'], to: 'PROCESSING' },
  /** The customer's money is here, all of it, and final. */
  receive: { from: ['AWAITING_TRANSFER'], to: 'PROCESSING' },
  cancel: { from: ['CREATED', 'AWAITING_TRANSFER'], to: 'CANCELLED' },
  /** The time is over, and nothing was seen. */
  expire: { from: ['AWAITING_TRANSFER'], to: 'EXPIRED' },
  /** Too little came, a rail or chain said no, the price moved too far, or a person decided. */
  fail: { from: ['AWAITING_TRANSFER', 'CREATED', 'PROCESSING'], to: 'FAILED' },
  /** The rail or chain has confirmed the payout. */
  complete: { from: ['PROCESSING'], to: 'COMPLETED' },
  /** The rail gave the payout back, days later. */
  returned: { from: ['COMPLETED'], to: 'FAILED' },
} as const satisfies Transitions<TransactionStatus>

export type TransactionMove = keyof typeof transactionMoves

export const transactionLabels = ['UNDERPAID', 'OVERPAID', 'LATE'] as const
export type TransactionLabel = (typeof transactionLabels)[number]

/** Why a transaction FAILED, for programs. */
export const failureReasons = [
  'insufficient_funds_received',
  'price_moved',
  'destination_refused_funds',
  'destination_returned_funds',
  'compliance_rejected',
] as const
export type FailureReason = (typeof failureReasons)[number]

/** What a person can decide about a transaction that stopped, about what goes back of it, and about what came back. */
export const transactionResolutions = ['REJECT', 'REFUND', 'CREDIT', 'PAY_AGAIN'] as const

/**
 * What happens next. SCREEN: the parties are looked at, and if nothing is found the money is converted and promised.
 * FROZEN waits for a person, AWAIT for money or the end of the time, PAYOUT for the rail.
 */
export type TransactionStep = 'SCREEN' | 'FROZEN' | 'AWAIT' | 'PAYOUT' | 'DONE'

/** `writtenAt` is real time, and orders changes while business time stands still; nobody is shown it. */
export type StatusChange = { status: TransactionStatus; at: string; writtenAt?: string }

/**
 * What goes back to whoever paid, in smallest units of the source asset. RETURNED: their bank sent it back to us, and it is
 * kept for them among the returned funds.
 */
export const refundStatuses = ['PENDING', 'COMPLETED', 'RETURNED', 'WAITING_FOR_OPERATOR'] as const
export type Refund = { status: (typeof refundStatuses)[number]; amount: string; referenceId: string }

/**
 * What a bank gave back, of a payout or of a refund, in smallest units of what came back. It is among the customer's
 * returned funds, and waits for an operator, until it has been paid again.
 */
export const repaymentStatuses = ['PENDING', 'COMPLETED', 'WAITING_FOR_OPERATOR'] as const
export type Repayment = {
  status: (typeof repaymentStatuses)[number]
  amount: string
  asset: Asset
  referenceId: string
}

/** A transaction as it is stored. Amounts in smallest units. */
export type Transaction = {
  organizationId: string
  transactionId: string
  customerId: string
  quoteId: string
  status: TransactionStatus
  version: number
  correlationId: string | null
  sourcePaymentAccountId: string
  isFromWallet: boolean
  sourceAsset: Asset
  sourceMethod: PaymentMethod
  sourceAmount: string
  destinationPaymentAccountId: string
  isToWallet: boolean
  destinationAsset: Asset
  destinationMethod: PaymentMethod
  destinationAmount: string
  exchangeRate: string
  svcFee: string
  developerFee: string
  isGuaranteed: boolean
  quoteExpiresAt: Date
  parts: string
  transferInstructions: string | null
  transferMessage: string | null
  transferAddress: string | null
  sourceReferenceId: string
  destinationReferenceId: string
  failureReason: FailureReason | null
  labels: TransactionLabel[]
  statusHistory: StatusChange[]
  step: TransactionStep
  refund: Refund | null
  repayment: Repayment | null
  receivedAmount: string
  fundedAt: Date | null
  createdAt: Date
  updatedAt: Date
  expiresAt: Date | null
}

/** One of a list: JSON, open at its end for what goes back, whose amount is written by the scale of its currency. */
export type ListedTransaction = {
  transactionId: string
  shown: string
  sourceAsset: Asset
  refund: (Refund & { currency: object }) | null
  repayment: Repayment | null
}
