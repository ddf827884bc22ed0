import type { BankCoordinates, WalletType } from './payment-account.ts'

/** Hands out addresses whose keys the signer has, each once. `Transaction` is the database's, which a port need not know. */
export type WalletAddresses<Transaction> = {
  /** In the transaction that stores the account; undefined while none is ready. */
  take(
    transaction: Transaction,
    wallet: { organizationId: string; customerId: string; paymentAccountId: string; kind: WalletType },
  ): Promise<{ address: string } | undefined>
  /** Whether an address is one of ours, handed out already or not, the treasury's included. */
  isOurs(database: Transaction, address: string): Promise<boolean>
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
export type AccountUse<Transaction> = (
  transaction: Transaction,
  account: { organizationId: string; paymentAccountId: string },
) => Promise<string | undefined>

export type AccountBalance = { asset: string; posted: bigint; available: bigint }

/** What an amount is worth in dollars at the newest rate, as a decimal string; undefined when no rate is known. */
export type UsdValue = (asset: string, units: bigint) => string | undefined
