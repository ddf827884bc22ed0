import { fillAddressPool } from '../../test/support/money/wallets.ts'
import type { BenchDatabase } from './database.ts'

export type Calls = {
  headers: Record<string, string>
  send(method: string, path: string, body: object): Promise<Record<string, string>>
}

export function makeCalls(baseUrl: string, apiKey: string): Calls {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  return {
    headers,
    send: async (method, path, body) => {
      const answer = await fetch(baseUrl + path, { method, headers, body: JSON.stringify(body) })
      const read = (await answer.json()) as Record<string, string>
      if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(read)}`)
      return read
    },
  }
}

/** An ACTIVE customer who may send a dollar's worth of tokens from a service wallet to a bank. */
export async function makeWalletQuote(database: BenchDatabase, { send }: Calls) {
  await fillAddressPool(database, 5)
  const address = { countryCode: 'US', streetLine1: '1 Main Street', city: 'Springfield' }
  const customer = await send('POST', '/customers', { customerType: 'INDIVIDUAL', email: 'ada@example.com' })
  const { customerId = '', organizationId = '' } = customer
  await send('PATCH', `/customers/${customerId}`, { kycData: { legalFirstName: 'Ada', address } })
  await send('POST', `/sandbox/customers/${customerId}/verification`, { outcome: 'APPROVE' })
  const bankAccountOwner = { type: 'INDIVIDUAL', firstName: 'Ada', lastName: 'Example' }
  const externalBankAccount = {
    bankAccountPaymentMethod: 'ACH',
    routingNumber: '021000021',
    accountNumber: '000123456789',
    bankAccountOwner,
  }
  const bank = await send('POST', '/payment-accounts', {
    customerId,
    paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
    externalBankAccount,
  })
  const account = await send('POST', '/payment-accounts', {
    customerId,
    paymentAccountType: 'SVC_CRYPTO_WALLET',
    svcCryptoWallet: { cryptoWalletType: 'EVM' },
  })
  const { paymentAccountId: wallet = '' } = account
  const source = { sourcePaymentAccountId: wallet, sourceCurrency: 'USDC', sourcePaymentMethod: 'BASE' }
  const destination = {
    destinationPaymentAccountId: bank.paymentAccountId,
    destinationCurrency: 'USD',
    destinationPaymentMethod: 'ACH',
  }
  const quote = await send('POST', '/quotes', { customerId, source: { ...source, sourceAmount: '1' }, destination })
  return { organizationId, customerId, wallet, bank: bank.paymentAccountId ?? '', quoteId: quote.quoteId ?? '' }
}
