import type { Asset } from '../catalog/currencies.ts'
import type { PaymentMethod } from '../catalog/payment-methods.ts'
import type { Metadata } from '../lib/resources/own-data.ts'
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
  /** A worker starts a transaction whose amount is reserved. */
  start: { from: ['CREATED'], to: 'PROCESSING' },
  /** The whole source amount has arrived, with finality. */
  receive: { from: ['AWAITING_TRANSFER'], to: 'PROCESSING' },
  cancel: { from: ['CREATED', 'AWAITING_TRANSFER'], to: 'CANCELLED' },
  /** The time to pay is over, and no money arrived. */
  expire: { from: ['AWAITING_TRANSFER'], to: 'EXPIRED' },
  /** The customer paid too little, the rail refused the payout, the price moved too far, or a reviewer rejected it. */
  fail: { from: ['AWAITING_TRANSFER', 'CREATED', 'PROCESSING'], to: 'FAILED' },
  /** The rail or chain has confirmed the payout. */
  complete: { from: ['PROCESSING'], to: 'COMPLETED' },
  /** The rail returned the payout, days later. */
  return: { from: ['COMPLETED'], to: 'FAILED' },
} as const satisfies Transitions<TransactionStatus>

export type TransactionMove = keyof typeof transactionMoves

export const transactionLabels = ['UNDERPAID', 'OVERPAID', 'LATE'] as const
export type TransactionLabel = (typeof transactionLabels)[number]

/** Codes that tell why a transaction FAILED. */
export const failureReasons = [
  'insufficient_funds_received',
  'price_moved',
  'destination_refused_funds',
  'destination_returned_funds',
  'compliance_rejected',
  'policy_refused',
  'approval_refused',
  'approval_expired',
] as const
export type FailureReason = (typeof failureReasons)[number]

/** The resolutions of a stopped transaction, a refused refund and returned funds. */
export const transactionResolutions = ['REJECT', 'REFUND', 'CREDIT', 'PAY_AGAIN'] as const

/**
 * The next step of a transaction. SCREEN: a worker screens the customer and the counterparty, then converts the money
 * and creates the payout. FROZEN waits for a reviewer, AWAIT for money or expiry, PAYOUT for the rail.
 */
export type TransactionStep = 'SCREEN' | 'FROZEN' | 'AWAIT' | 'PAYOUT' | 'DONE'

export type StatusChange = { status: TransactionStatus; at: string }

/**
 * A refund to the payer, in smallest units of the source asset. RETURNED: the payer's bank returned it, and it is kept
 * among the customer's returned funds.
 */
export const refundStatuses = ['PENDING', 'COMPLETED', 'RETURNED', 'WAITING_FOR_OPERATOR'] as const
export type Refund = { status: (typeof refundStatuses)[number]; amount: string; referenceId: string }

/**
 * A repayment of a returned payout or refund, in smallest units of the returned asset. The money stays among the
 * customer's returned funds, and waits for an operator, until the repayment is confirmed.
 */
export const repaymentStatuses = ['PENDING', 'COMPLETED', 'WAITING_FOR_OPERATOR'] as const
export type Repayment = {
  status: (typeof repaymentStatuses)[number]
  amount: string
  asset: Asset
  referenceId: string
}

/** A transaction. Amounts are in smallest units. */
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
  /** It converts returned funds: the source account is the ledger account that keeps them. */
  isFromReturnedFunds: boolean
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
  /** The end of a guarantee; null without one, and for a service wallet. */
  guaranteedUntil: Date | null
  quoteExpiresAt: Date
  transferInstructions: string | null
  transferMessage: string | null
  transferAddress: string | null
  /** Raised to revoke the links of the pay page. */
  linkVersion: number
  sourceReferenceId: string
  destinationReferenceId: string
  /** Counters of policies count it. */
  isCounted: boolean
  failureReason: FailureReason | null
  labels: TransactionLabel[]
  statusHistory: StatusChange[]
  /** Real time of each change, which orders changes while business time stands still; null for the first. */
  statusWrittenAt: (Date | null)[]
  step: TransactionStep
  refund: Refund | null
  repayment: Repayment | null
  receivedAmount: string
  fundedAt: Date | null
  /** The key that made it, or its automation rule; null for a deposit to an auto fiat account. */
  apiKeyId: string | null
  /** The last approval that it waited for. */
  approvalId: string | null
  /** Only while that approval is open: no worker executes the transaction. */
  approvalExpiresAt: Date | null
  createdAt: Date
  updatedAt: Date
  expiresAt: Date | null
  metadata: Metadata | null
}

/** A transaction with its JSON, as answers and events show it. Writing it costs as much as the rest of the row. */
export type ShownTransaction = Transaction & { shown: string }

/** A transaction of a page: JSON that is passed through as text. */
export type ListedTransaction = Pick<ShownTransaction, 'transactionId' | 'shown' | 'linkVersion'> & {
  /** JSON text. */
  metadata: string | null
  /** Its place in the list; absent when that is the id. */
  sortKey?: string
}
