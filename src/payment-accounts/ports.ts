import type { NetworkKind } from '../catalog/network-kinds.ts'
import type { Finding } from '../verification/submission.ts'
import type { BankCoordinates } from './payment-account.ts'

/**
 * Assigns each wallet address once; only the signer has the keys. `Tx` is a parameter, so that the port does not depend
 * on the database.
 */
export type WalletAddresses<Tx> = {
  /** Assigns an address in the tx that stores the account; undefined while none is ready. */
  assignAddress(
    tx: Tx,
    wallet: { organizationId: string; customerId: string; paymentAccountId: string; kind: NetworkKind },
  ): Promise<{ address: string } | undefined>
  /** Tells whether an address belongs to the service, in any organization or the treasury, assigned or not. */
  isOwnAddress(kind: NetworkKind, address: string): Promise<boolean>
}

/**
 * A bank that opens virtual accounts. The service calls it before the tx, with its own id and number: a retry opens no
 * second account, and an account that is never stored receives no money.
 */
export type VirtualAccounts = {
  /** Lists the series of numbers for a currency, in the order of their use; empty when no bank opens accounts in it. */
  seriesOf(currency: string): Promise<readonly NumberSeries[]>
  /** Answers undefined when this number of the series gives no valid account: the next one may. */
  open(request: {
    paymentAccountId: string
    currency: string
    series: string
    number: bigint
  }): Promise<VirtualAccount | undefined>
}
/** True for coordinates of an account of ours, or of a range from which our banks issue accounts. */
export type IsOurAccount = (currency: string, coordinates: BankCoordinates) => Promise<boolean>
/** A series of account numbers, counted from 1 to its size. */
export type NumberSeries = { name: string; size: bigint }
export type VirtualAccount = { bankName: string; coordinates: BankCoordinates }

/** Tells whether money that one of these methods can return waits for the customer: a deposit, a refund, returned funds. */
export type AwaitsMoneyBack = (
  customer: { organizationId: string; customerId: string },
  methods: readonly string[],
) => Promise<boolean>

/** Tells why an account cannot be deleted, as the text of a refusal; called while the account is locked. */
export type AccountUse<Tx> = (
  tx: Tx,
  account: { organizationId: string; customerId: string; paymentAccountId: string },
) => Promise<string | undefined>

/** Screens the wallets that customers register. The answer to the caller is the same with a match: no tipping off. */
export type WalletScreening<Tx> = {
  /** Finds the watch-list matches of a wallet, outside the tx. */
  screen(wallet: { paymentAccountId: string; chain: string; address: string }): Promise<readonly Finding[]>
  /** Opens a review of the matches, which blocks the customer's payouts. */
  openReview(
    tx: Tx,
    customer: { organizationId: string; customerId: string; submission: number },
    matches: readonly Finding[],
  ): Promise<unknown>
}

/** Converts an amount to dollars, as a decimal string; undefined while there is no current price. */
export type UsdValue = (asset: string, units: bigint) => string | undefined
