import { assetOf, isTokenAsset } from '../catalog/currencies.ts'
import { networksOf, type PaymentAccount } from './payment-account.ts'

/**
 * The fields that decide which money can go to or come from an account. The ledger account of a customer's returned
 * funds can be the source of a quote; its currency is an asset, and it is on every rail.
 */
export type RoutedAccount = Pick<PaymentAccount, 'currency' | 'paymentMethod' | 'walletType'> & {
  paymentAccountType: PaymentAccount['paymentAccountType'] | 'RETURNED_FUNDS'
}

/** A currency label, and the rail or network that the money takes. */
export type Leg = { currency: string; paymentMethod: string }

export type Misfit = 'account' | 'method' | 'currency'

/**
 * Lists why an account cannot be a side of a payment. Quotes, automation rules and auto fiat accounts share this rule;
 * svc.account_fits repeats it in SQL, and a test compares the two over all accounts and legs.
 */
export function misfitsOf(account: RoutedAccount, { currency, paymentMethod }: Leg): Misfit[] {
  // Svc converts deposits to an auto fiat account automatically, so no payment may name it.
  if (account.paymentAccountType === 'SVC_AUTO_FIAT_ACCOUNT') return ['account']
  const { walletType } = account
  const asset = assetOf(currency, paymentMethod)
  const methods: readonly (string | null)[] = walletType ? networksOf(walletType) : [account.paymentMethod]
  const hasCurrency = walletType ? asset !== undefined && isTokenAsset(asset) : currency === account.currency
  return [
    ...(methods.includes(paymentMethod) ? [] : (['method'] as const)),
    ...(asset && hasCurrency ? [] : (['currency'] as const)),
  ]
}
