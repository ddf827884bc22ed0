import { expect } from 'vitest'
import type { BodyOf } from '../runner/answers.ts'
import type { CallOptions, TestApi } from '../runner/api.ts'

export type PaymentAccount = BodyOf<'POST /payment-accounts'>

const owner = { type: 'INDIVIDUAL', firstName: 'Ada', lastName: 'Example', email: 'owner@example.com' }

/** A valid account of each rail; a test overrides single fields. */
export const bankAccounts = {
  ACH: (more: object = {}) => ({
    bankAccountPaymentMethod: 'ACH',
    routingNumber: '021000021',
    accountNumber: '000123456789',
    bankName: 'First Example Bank',
    bankAccountOwner: owner,
    ...more,
  }),
  WIRE: (more: object = {}) => ({
    bankAccountPaymentMethod: 'WIRE',
    routingNumber: '026009593',
    accountNumber: '4417123456',
    bicSwift: 'BOFAUS3N',
    bankAccountOwner: owner,
    ...more,
  }),
  SEPA: (more: object = {}) => ({
    bankAccountPaymentMethod: 'SEPA',
    iban: 'DE89 3704 0044 0532 0130 00',
    bicSwift: 'COBADEFFXXX',
    bankAccountOwner: owner,
    ...more,
  }),
  CA_INTERAC: (more: object = {}) => ({
    bankAccountPaymentMethod: 'CA_INTERAC',
    institutionNumber: '003',
    transitNumber: '12345',
    accountNumber: '1234567',
    bankAccountOwner: owner,
    ...more,
  }),
  IN_NEFT_RTGS_IMPS: (more: object = {}) => ({
    bankAccountPaymentMethod: 'IN_NEFT_RTGS_IMPS',
    ifscCode: 'HDFC0000123',
    accountNumber: '50100123456789',
    bankAccountOwner: owner,
    ...more,
  }),
}

export function postAccount(api: TestApi, body: object, options: CallOptions = {}) {
  return api.post('/payment-accounts', body, options)
}

/** Creates an account and expects it to work. */
export async function createAccount(api: TestApi, body: object, options: CallOptions = {}): Promise<PaymentAccount> {
  const answer = await postAccount(api, body, options)
  expect([answer.status, answer.body]).toEqual([201, expect.anything()])
  return answer.body
}

export const bankAccountOf = (customerId: string, externalBankAccount: object, more: object = {}) => ({
  customerId,
  paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
  externalBankAccount,
  ...more,
})

export const serviceWalletOf = (customerId: string, cryptoWalletType: 'EVM' | 'SOLANA' = 'EVM', more: object = {}) => ({
  customerId,
  paymentAccountType: 'SVC_CRYPTO_WALLET',
  svcCryptoWallet: { cryptoWalletType },
  ...more,
})

export const externalWalletOf = (customerId: string, externalCryptoWallet: object, more: object = {}) => ({
  customerId,
  paymentAccountType: 'EXTERNAL_CRYPTO_WALLET',
  externalCryptoWallet,
  ...more,
})

/** An account whose deposits become USDC on BASE. */
export const autoFiatAccountOf = (customerId: string, currency: string, destinationPaymentAccountId: string) => ({
  customerId,
  paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT',
  svcAutoFiatAccount: {
    currency,
    destinationPaymentAccountId,
    destinationCurrency: 'USDC',
    destinationPaymentMethod: 'BASE',
  },
})

/** The types of an account's events with the status each shows, oldest first. */
export async function accountEvents(api: TestApi, id: string): Promise<string[]> {
  const { events } = (await api.get(`/events?resourceId=${id}&pageSize=100`)).body
  return events
    .map(({ type, data }) => `${type} ${'paymentAccountStatus' in data && data.paymentAccountStatus}`)
    .reverse()
}
