import type { Asset } from '../../catalog/currencies.ts'

/** Returned funds of one cause: the transaction, deposit or returned disbursement that they belong to. */
export type ReturnedFunds = {
  cause: 'TRANSACTION' | 'DEPOSIT' | 'DISBURSEMENT'
  causeId: string
  /** The transaction of the cause; null for a deposit without one. */
  transactionId: string | null
  /** The ledger account that keeps them. */
  accountId: string
  asset: Asset
  /** The holding that keeps them: a bank account of ours, the treasury, or `CUSTODY` for an address of its own. */
  heldAt: string
  /** The key of svc.wallets whose address holds the tokens; null for money at our bank or treasury. */
  walletId: string | null
  /** The remainder in smallest units: posted, and not taken by a repayment or disbursement on its way. */
  amount: string
}
