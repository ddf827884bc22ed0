import type { FieldProblem } from '../lib/refusal.ts'
import { type Leg, misfitsOf, type RoutedAccount } from './account-fit.ts'
import { networksOf } from './payment-account.ts'

/** Lists why an account cannot receive a currency over a rail or network, for automation rules and auto fiat accounts. */
export function destinationProblems(account: RoutedAccount, leg: Leg): FieldProblem[] {
  const { walletType, paymentMethod, currency } = account
  const [misfit] = misfitsOf(account, leg)
  switch (misfit) {
    case 'account':
      return [{ field: 'destinationPaymentAccountId', message: 'must not be an auto fiat account' }]
    case 'method': {
      const expected = walletType
        ? `one of ${networksOf(walletType).join(', ')}`
        : `${paymentMethod}, as for the account`
      return [{ field: 'destinationPaymentMethod', message: `must be ${expected}` }]
    }
    case 'currency': {
      const expected = walletType ? `a currency on ${leg.paymentMethod}` : `${currency}, as for the account`
      return [{ field: 'destinationCurrency', message: `must be ${expected}` }]
    }
    default:
      return []
  }
}
