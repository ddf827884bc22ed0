import { type Asset, chainOf, labelOf } from '../catalog/currencies.ts'
import type { PaymentMethod } from '../catalog/payment-methods.ts'

/** What a route needs to know of a payment account. */
export type RouteAccount = {
  paymentAccountType: string
  status: string
  currency: string | null
  paymentMethod: string | null
  walletType: string | null
}

/** The part of a route that does not fit an account; undefined when all of it does. */
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
  // Money that comes to an auto fiat account moves on by itself; nobody asks for a price.
  if (account.paymentAccountType === 'SVC_AUTO_FIAT_ACCOUNT') return 'account'
  if (account.currency !== labelOf(asset)) return 'currency'
  return account.paymentMethod === method ? undefined : 'method'
}

/** The kind of service wallet that can hold an asset; none holds fiat. */
export function walletTypeOf(asset: Asset): 'EVM' | 'SOLANA' | undefined {
  const chain = chainOf(asset)
  return chain && (chain === 'SOLANA' ? 'SOLANA' : 'EVM')
}
