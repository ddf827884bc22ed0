import type { NetworkKind } from '../catalog/network-kinds.ts'
import type { BankCoordinates } from './payment-account.ts'

/** Hands out addresses whose keys the signer has, each once. `Tx` is the database's, which a port need not know. */
export type WalletAddresses<Tx> = {
  /** In the transaction that stores the account; undefined while none is ready. */
  take(
    tx: Tx,
    wallet: { organizationId: string; customerId: string; paymentAccountId: string; kind: NetworkKind },
  ): Promise<{ address: string } | undefined>
  /** Whether an address is one of ours, of whichever organization, handed out already or not, the treasury's included. */
  isOwnAddress(kind: NetworkKind, address: string): Promise<boolean>
}

/**
 * A bank that opens virtual accounts. Asked before the transaction, and with our own id and number: asking twice opens
 * one account, and one that is never stored has no money.
 */
export type VirtualAccounts = {
  open(request: { paymentAccountId: string; currency: string; number: bigint }): Promise<VirtualAccount>
}
export type VirtualAccount = { bankName: string; coordinates: BankCoordinates }

/** Why an account cannot be deleted yet, in the words of a refusal; asked while the account's row is locked. */
export type AccountUse<Tx> = (
  tx: Tx,
  account: { organizationId: string; paymentAccountId: string },
) => Promise<string | undefined>

/** What an amount is worth in dollars at the newest rate, as a decimal string; undefined when no rate is known. */
export type UsdValue = (asset: string, units: bigint) => string | undefined
