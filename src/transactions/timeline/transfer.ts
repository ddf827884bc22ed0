import type { Asset } from '../../catalog/currencies.ts'
import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { Refund, TransactionStatus } from '../transaction.ts'

/** The part of a transaction that its payer may see. Amounts are in smallest units of the source asset. */
export type Transfer = {
  transactionId: string
  status: TransactionStatus
  asset: Asset
  method: PaymentMethod
  amount: string
  /** Final deposits. */
  received: string
  /** Deposits that a reviewer has to release first. */
  held: string
  /** Transfers that a bank or chain has reported, and that are not final or not booked yet. */
  seen: string
  /** Blocks since the newest of these, its own included; null without one, and for banks. */
  confirmations: string | null
  /** The instructions, as JSON. */
  instructions: string
  refundStatus: Refund['status'] | null
  /** Business time. */
  expiresAt: Date
  now: Date
}
