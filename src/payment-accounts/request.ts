import type { FieldProblem } from '../lib/refusal.ts'
import type { NewOwnData } from '../lib/resources/own-data.ts'
import { type PaymentAccountType, paymentAccountTypes } from './payment-account.ts'

/** The body of a POST. In a body that did not validate, any part may be missing or of another type. */
export type NewAccountRequest = NewOwnData & {
  customerId: string
  paymentAccountType: PaymentAccountType
  nickname?: string
  isThirdParty?: boolean
  externalBankAccount?: object
  externalCryptoWallet?: object
  svcCryptoWallet?: { cryptoWalletType?: string }
  svcAutoFiatAccount?: {
    currency?: string
    destinationPaymentAccountId?: string
    destinationCurrency?: string
    destinationPaymentMethod?: string
  }
}

/** The object of each account type in a request. */
export const requestObjectNames = {
  EXTERNAL_BANK_ACCOUNT: 'externalBankAccount',
  SVC_AUTO_FIAT_ACCOUNT: 'svcAutoFiatAccount',
  EXTERNAL_CRYPTO_WALLET: 'externalCryptoWallet',
  SVC_CRYPTO_WALLET: 'svcCryptoWallet',
} as const satisfies Record<PaymentAccountType, keyof NewAccountRequest>

/** Checks that a request has the object of its type and no other. Only a bank account may come without one. */
export function kindProblems(request: NewAccountRequest): FieldProblem[] {
  const { paymentAccountType: type } = request
  if (!paymentAccountTypes.includes(type)) return []
  const isMissing = type !== 'EXTERNAL_BANK_ACCOUNT' && request[requestObjectNames[type]] === undefined
  const isServiceAccount = type === 'SVC_AUTO_FIAT_ACCOUNT' || type === 'SVC_CRYPTO_WALLET'
  return [
    ...(isMissing ? [{ field: requestObjectNames[type], message: `is required for ${type}` }] : []),
    ...paymentAccountTypes
      .filter((other) => other !== type && request[requestObjectNames[other]] !== undefined)
      .map((other) => ({ field: requestObjectNames[other], message: `must be left out for ${type}` })),
    ...(isServiceAccount && request.isThirdParty === true
      ? [{ field: 'isThirdParty', message: `must be false for ${type}, which belongs to the customer` }]
      : []),
  ]
}

export function prefixFields(field: string, problems: readonly FieldProblem[]): FieldProblem[] {
  return problems.map((problem) => ({ ...problem, field: `${field}.${problem.field}` }))
}
