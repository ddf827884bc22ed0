import { randomUUID } from 'node:crypto'
import { fillAddressPool } from '../../test/support/money/wallets.ts'
import type { AnswerTo } from '../../test/support/runner/answers.ts'
import type { BenchDatabase } from './database.ts'

export type Calls = {
  headers: Record<string, string>
  send<Method extends string, Path extends string>(
    method: Method,
    path: Path,
    body: object,
    isKeyed?: boolean,
  ): Promise<AnswerTo<Method, Path>>
}

export function makeCalls(baseUrl: string, apiKey: string): Calls {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  return {
    headers,
    send: async (method, path, body, isKeyed = false) => {
      const key = isKeyed ? { 'x-idempotency-key': randomUUID() } : {}
      const answer = await fetch(baseUrl + path, {
        method,
        headers: { ...headers, ...key },
        body: JSON.stringify(body),
      })
      const read = await answer.json()
      if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(read)}`)
      return read as never
    },
  }
}

/** Creates an ACTIVE customer with a bank account and a service wallet. */
export async function makeCustomer({ send }: Calls) {
  const address = { countryCode: 'US', streetLine1: '1 Main Street', city: 'Springfield' }
  const customer = await send('POST', '/customers', { customerType: 'INDIVIDUAL', email: 'ada@example.com' })
  const { customerId, organizationId } = customer
  await send('PATCH', `/customers/${customerId}`, { kycData: { legalFirstName: 'Ada', address } })
  await send('POST', `/sandbox/customers/${customerId}/verification`, { outcome: 'APPROVE' })
  const bank = await send('POST', '/payment-accounts', {
    customerId,
    paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
    externalBankAccount: {
      bankAccountPaymentMethod: 'ACH',
      routingNumber: '021000021',
      accountNumber: '000123456789',
      bankAccountOwner: { type: 'INDIVIDUAL', firstName: 'Ada', lastName: 'Example' },
    },
  })
  const wallet = await send('POST', '/payment-accounts', {
    customerId,
    paymentAccountType: 'SVC_CRYPTO_WALLET',
    svcCryptoWallet: { cryptoWalletType: 'EVM' },
  })
  return { organizationId, customerId, bank: bank.paymentAccountId, wallet: wallet.paymentAccountId }
}

/** Creates a customer with a quote that sends a dollar's worth of tokens from a service wallet to a bank. */
export async function makeWalletQuote(database: BenchDatabase, calls: Calls) {
  await fillAddressPool(database, 5)
  const customer = await makeCustomer(calls)
  const { customerId, bank, wallet } = customer
  const source = { sourcePaymentAccountId: wallet, sourceCurrency: 'USDC', sourcePaymentMethod: 'BASE' }
  const destination = {
    destinationPaymentAccountId: bank,
    destinationCurrency: 'USD',
    destinationPaymentMethod: 'ACH',
  }
  const body = { customerId, source: { ...source, sourceAmount: '1' }, destination }
  const { quoteId } = await calls.send('POST', '/quotes', body)
  return { ...customer, quoteId }
}
