import { assetOf, isNetwork, isTokenAsset } from '../catalog/currencies.ts'
import type { FieldProblem } from '../lib/refusal.ts'
import { networksOf, type PaymentAccount } from './payment-account.ts'

/** Lists why an account cannot receive a currency over a rail or network, for automation rules and auto fiat accounts. */
export function destinationProblems(
  account: Pick<PaymentAccount, 'paymentAccountType' | 'currency' | 'paymentMethod' | 'walletType'>,
  { currency, paymentMethod }: { currency: string; paymentMethod: string },
): FieldProblem[] {
  if (account.paymentAccountType === 'SVC_AUTO_FIAT_ACCOUNT') {
    return [{ field: 'destinationPaymentAccountId', message: 'must not be an auto fiat account' }]
  }
  const problem = methodProblem(account, paymentMethod)
  if (problem) return [{ field: 'destinationPaymentMethod', message: problem }]
  const asset = assetOf(currency, paymentMethod)
  const canHold = account.walletType ? asset !== undefined && isTokenAsset(asset) : currency === account.currency
  if (asset && canHold) return []
  const expected = account.walletType ? `a currency on ${paymentMethod}` : `${account.currency}, as for the account`
  return [{ field: 'destinationCurrency', message: `must be ${expected}` }]
}

function methodProblem(
  { walletType, paymentMethod }: Pick<PaymentAccount, 'walletType' | 'paymentMethod'>,
  requested: string,
): string | undefined {
  if (walletType) {
    const networks = networksOf(walletType)
    return isNetwork(requested) && networks.includes(requested) ? undefined : `must be one of ${networks.join(', ')}`
  }
  return requested === paymentMethod ? undefined : `must be ${paymentMethod}, as for the account`
}
