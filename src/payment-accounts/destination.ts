import { assetOf, isNetwork, isTokenAsset } from '../catalog/currencies.ts'
import type { FieldProblem } from '../lib/refusal.ts'
import { networksOf, type PaymentAccount } from './payment-account.ts'

/** Whether an account can receive a currency over a rail or network: the rule of quotes, rules and auto fiat accounts. */
export function destinationProblems(
  account: Pick<PaymentAccount, 'paymentAccountType' | 'currency' | 'paymentMethod' | 'walletType'>,
  { currency, paymentMethod }: { currency: string; paymentMethod: string },
): FieldProblem[] {
  if (account.paymentAccountType === 'SVC_AUTO_FIAT_ACCOUNT') {
    return [{ field: 'destinationPaymentAccountId', message: 'must not be an auto fiat account' }]
  }
  const methodProblem = whyNotMethod(account, paymentMethod)
  if (methodProblem) return [{ field: 'destinationPaymentMethod', message: methodProblem }]
  const asset = assetOf(currency, paymentMethod)
  const isHeld = account.walletType ? asset !== undefined && isTokenAsset(asset) : currency === account.currency
  if (asset && isHeld) return []
  const right = account.walletType ? `a currency on ${paymentMethod}` : `${account.currency}, as the account's`
  return [{ field: 'destinationCurrency', message: `must be ${right}` }]
}

function whyNotMethod(
  { walletType, paymentMethod }: Pick<PaymentAccount, 'walletType' | 'paymentMethod'>,
  wanted: string,
): string | undefined {
  if (walletType) {
    const networks = networksOf(walletType)
    return isNetwork(wanted) && networks.includes(wanted) ? undefined : `must be one of ${networks.join(', ')}`
  }
  return wanted === paymentMethod ? undefined : `must be ${paymentMethod}, as the account's`
}
