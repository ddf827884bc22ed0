import type { Asset } from '../../catalog/currencies.ts'
import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { BankDetails } from '../../payment-accounts/payment-account.ts'

/** The destination of a payout. */
export type PayoutDestination = { type: 'BANK'; details: BankDetails } | { type: 'ADDRESS'; address: string }

export type PayoutOrder = {
  /** The id of the obligation. It never changes, so a rail that receives it twice pays once. */
  reference: string
  method: PaymentMethod
  asset: Asset
  /** In smallest units. */
  amount: bigint
  destination: PayoutDestination
  /** The wallet that tokens leave from, a key of svc.wallets; absent when our bank account or treasury pays. */
  fromWalletId?: string
  /** The text that the receiver reads. */
  memo: string
}

/** UNKNOWN is not a failure: the request or its answer was lost, and only the rail knows whether money moves. */
export type SendOutcome =
  | { outcome: 'ACCEPTED' }
  | { outcome: 'REFUSED'; reason: string }
  | { outcome: 'UNKNOWN'; why: string }

/**
 * NOT_KNOWN: the rail does not know the reference and pays only after a retry. RETURNED: the bank returned a confirmed
 * payout; the amount may lack bank fees.
 */
export type PayoutState =
  | { state: 'NOT_KNOWN' | 'PENDING' }
  | { state: 'CONFIRMED'; externalReference: string }
  | { state: 'REFUSED'; reason: string }
  | { state: 'RETURNED'; externalReference: string; reason: string; amount: bigint }

/** A bank or chain that pays for us. Its answers may be late, lost or repeated; our reference identifies the payout. */
export type PayoutRail = {
  send(order: PayoutOrder): Promise<SendOutcome>
  poll(order: Pick<PayoutOrder, 'reference' | 'method'>): Promise<PayoutState>
}
