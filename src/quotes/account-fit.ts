import { type Asset, chainOf, labelOf } from '../catalog/currencies.ts'
import type { PaymentMethod } from '../catalog/payment-methods.ts'

/** The fields of a payment account that decide whether a route can use it. */
export type RouteAccount = {
  paymentAccountType: string
  status: string
  currency: string | null
  paymentMethod: string | null
  walletType: string | null
}

/** Finds the part of a route that does not fit an account; undefined if all of it fits. */
export function misfitOf(
  account: RouteAccount,
  asset: Asset,
  method: PaymentMethod,
): 'account' | 'currency' | 'method' | undefined {
  if (account.paymentAccountType === 'SVC_CRYPTO_WALLET') {
    const walletType = walletTypeOf(asset)
    if (!walletType) return 'currency'
    return account.walletType === walletType ? undefined : 'method'
  }
  // Deposits to an auto fiat account are quoted by the service itself (quoteDeposit), never by a caller.
  if (account.paymentAccountType === 'SVC_AUTO_FIAT_ACCOUNT') return 'account'
  if (account.currency !== labelOf(asset)) return 'currency'
  return account.paymentMethod === method ? undefined : 'method'
}

/** Returns the type of service wallet that can hold an asset; undefined for fiat. */
export function walletTypeOf(asset: Asset): 'EVM' | 'SOLANA' | undefined {
  const chain = chainOf(asset)
  return chain && (chain === 'SOLANA' ? 'SOLANA' : 'EVM')
}
