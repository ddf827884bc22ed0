import createClient from 'openapi-fetch'
import type { paths } from './generated/openapi-typescript.js'
import { bankAccount, customer, payment, resident, untilCompleted } from './payment.js'

/** A whole payment through openapi-fetch, typed by openapi-typescript. */
const client = createClient<paths>({
  baseUrl: process.env.SVC_BASE_URL!,
  headers: { authorization: `Bearer ${process.env.SVC_API_KEY}` },
})

const { data: created, error } = await client.POST('/customers', { body: { ...customer, kycData: resident } })
if (!created) throw new Error(`${error.error}: ${error.message}`)
const { customerId } = created
await client.POST('/sandbox/customers/{customerId}/verification', {
  params: { path: { customerId } },
  body: { outcome: 'APPROVE' },
})
const from = await openAccount('ACH')
const to = await openAccount('WIRE')
const { data: quote } = await client.POST('/quotes', { body: payment(customerId, from, to) })
const { data: transaction } = await client.POST('/transactions', {
  params: { header: { 'x-idempotency-key': `payment of ${customerId}` } },
  body: { quoteId: quote!.quoteId, correlationId: 'openapi-typescript' },
})
const { transactionId, transferInstructions: instructions } = transaction!
if (instructions?.type !== 'fiat') throw new Error('the transaction shows no bank transfer')
await client.POST('/sandbox/payment-accounts/{paymentAccountId}/deposits', {
  params: { path: { paymentAccountId: from } },
  body: { amount: '100.00', currency: 'USD', rail: 'ACH', reference: instructions.transferMessage },
})
await client.POST('/sandbox/transactions/{transactionId}/advance', { params: { path: { transactionId } } })
await untilCompleted(async () => {
  const { data } = await client.GET('/transactions/{transactionId}', { params: { path: { transactionId } } })
  return data?.transactionStatus
})
console.log(JSON.stringify({ transactionId }))

async function openAccount(bankAccountPaymentMethod: 'ACH' | 'WIRE'): Promise<string> {
  const { data } = await client.POST('/payment-accounts', {
    body: {
      customerId,
      paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
      externalBankAccount: { ...bankAccount, bankAccountPaymentMethod },
    },
  })
  return data!.paymentAccountId
}
