import { client } from './generated/hey-api/client.gen.js'
import {
  advanceSandboxTransaction,
  createCustomer,
  createPaymentAccount,
  createQuote,
  createTransaction,
  decideSandboxVerification,
  getTransaction,
  sendSandboxDeposit,
} from './generated/hey-api/index.js'
import { bankAccount, customer, payment, resident, untilCompleted } from './payment.js'

/** A whole payment through the client of hey-api, whose functions have the names of the operations. */
client.setConfig({ baseUrl: process.env.SVC_BASE_URL!, auth: () => process.env.SVC_API_KEY!, throwOnError: true })

const { data: created } = await createCustomer({ body: { ...customer, kycData: resident }, throwOnError: true })
const { customerId } = created
await decideSandboxVerification({ path: { customerId }, body: { outcome: 'APPROVE' }, throwOnError: true })
const from = await openAccount('ACH')
const to = await openAccount('WIRE')
const { data: quote } = await createQuote({ body: payment(customerId, from, to), throwOnError: true })
const { data: transaction } = await createTransaction({
  headers: { 'x-idempotency-key': `payment of ${customerId}` },
  body: { quoteId: quote.quoteId, correlationId: 'hey-api' },
  throwOnError: true,
})
const { transactionId, transferInstructions: instructions } = transaction
if (instructions?.type !== 'fiat') throw new Error('the transaction shows no bank transfer')
await sendSandboxDeposit({
  path: { paymentAccountId: from },
  body: { amount: '100.00', currency: 'USD', rail: 'ACH', reference: instructions.transferMessage },
  throwOnError: true,
})
await advanceSandboxTransaction({ path: { transactionId }, throwOnError: true })
await untilCompleted(async () => {
  const { data } = await getTransaction({ path: { transactionId }, throwOnError: true })
  return data.transactionStatus
})
console.log(JSON.stringify({ transactionId }))

async function openAccount(bankAccountPaymentMethod: 'ACH' | 'WIRE'): Promise<string> {
  const { data } = await createPaymentAccount({
    body: {
      customerId,
      paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
      externalBankAccount: { ...bankAccount, bankAccountPaymentMethod },
    },
    throwOnError: true,
  })
  return data.paymentAccountId
}
