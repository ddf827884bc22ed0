import type { FieldProblem } from '../lib/refusal.ts'
import { type PaymentAccountType, paymentAccountTypes } from './payment-account.ts'

/** What a POST may say; of a body that did not validate any part may be missing or of another type. */
export type NewAccountRequest = {
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

/** The object that belongs to each type. */
export const objectNames = {
  EXTERNAL_BANK_ACCOUNT: 'externalBankAccount',
  SVC_AUTO_FIAT_ACCOUNT: 'svcAutoFiatAccount',
  EXTERNAL_CRYPTO_WALLET: 'externalCryptoWallet',
  SVC_CRYPTO_WALLET: 'svcCryptoWallet',
} as const satisfies Record<PaymentAccountType, keyof NewAccountRequest>

/** A request has the object of its type and no other; a bank account may come without, and then waits for its form. */
export function kindProblems(request: NewAccountRequest): FieldProblem[] {
  const { paymentAccountType: type } = request
  if (!paymentAccountTypes.includes(type)) return []
  const isMissing = type !== 'EXTERNAL_BANK_ACCOUNT' && request[objectNames[type]] === undefined
  const isOurs = type === 'SVC_AUTO_FIAT_ACCOUNT' || type === 'SVC_CRYPTO_WALLET'
  return [
    ...(isMissing ? [{ field: objectNames[type], message: `is required for ${type}` }] : []),
    ...paymentAccountTypes
      .filter((other) => other !== type && request[objectNames[other]] !== undefined)
      .map((other) => ({ field: objectNames[other], message: `is for ${other}` })),
    ...(isOurs && request.isThirdParty === true
      ? [{ field: 'isThirdParty', message: `must be false for ${type}: it is the customer's own` }]
      : []),
  ]
}

export function underField(field: string, problems: readonly FieldProblem[]): FieldProblem[] {
  return problems.map((problem) => ({ ...problem, field: `${field}.${problem.field}` }))
}
