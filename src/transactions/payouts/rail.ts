import type { Asset } from '../../catalog/currencies.ts'
import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { BankDetails } from '../../payment-accounts/payment-account.ts'

/** Where the money of a payout arrives. */
export type PayoutDestination = { type: 'BANK'; details: BankDetails } | { type: 'ADDRESS'; address: string }

export type PayoutOrder = {
  /** The id of the obligation, for ever: whoever is asked to pay it again pays nothing. */
  reference: string
  method: PaymentMethod
  asset: Asset
  /** In smallest units. */
  amount: bigint
  destination: PayoutDestination
  /** The address that tokens leave from, a key of svc.wallets; absent when our own bank account or treasury pays. */
  fromWalletId?: string
  /** What the receiver reads. */
  memo: string
}

/** UNKNOWN is no failure: the request or its answer was lost, and only the rail can tell whether money moves. */
export type SendOutcome =
  | { outcome: 'ACCEPTED' }
  | { outcome: 'REFUSED'; reason: string }
  | { outcome: 'UNKNOWN'; why: string }

/**
 * NOT_KNOWN: the rail has never heard of it and will pay it only if it is sent again. RETURNED: it arrived, or seemed
 * to, and came back; fees of banks may be missing from the amount.
 */
export type PayoutState =
  | { state: 'NOT_KNOWN' | 'PENDING' }
  | { state: 'CONFIRMED'; externalReference: string }
  | { state: 'REFUSED'; reason: string }
  | { state: 'RETURNED'; externalReference: string; reason: string; amount: bigint }

/** A bank or a chain that pays for us. Answers come late, not at all, or twice; our reference is what holds it together. */
export type PayoutRail = {
  send(order: PayoutOrder): Promise<SendOutcome>
  poll(order: Pick<PayoutOrder, 'reference' | 'method'>): Promise<PayoutState>
}
