import type { Asset } from '../../catalog/currencies.ts'
import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { Refund, TransactionStatus } from '../transaction.ts'

/** The part of a transaction that its payer may see. Amounts are in smallest units of the source asset. */
export type Transfer = {
  organizationId: string
  transactionId: string
  /** A link of another version was revoked. */
  linkVersion: number
  status: TransactionStatus
  asset: Asset
  method: PaymentMethod
  amount: string
  /** Final deposits. */
  received: string
  /**
   * Transfers that a bank or chain has reported in time, and that do not count yet: not final, not booked, or held. A
   * payer must not learn that money is held, so these are one amount.
   */
  seen: string
  /** Blocks since the newest that is not final, its own included; null without one, and for banks. */
  confirmations: string | null
  /** The instructions, as JSON. */
  instructions: string
  /** Money that goes back: too much, or all that was sent. CREDITED: an operator keeps it for the customer instead. */
  refundStatus: Refund['status'] | 'CREDITED' | null
  refundAmount: string | null
  /** Business time. */
  expiresAt: Date
  now: Date
}
