import { createApiClient } from './generated/openapi-zod-client.js'
import { bankAccount, customer, payment, paymentToWallet, resident, untilCompleted } from './payment.js'

/**
 * Whole payments through the client of openapi-zod-client, which checks every request and answer at run time: to a bank,
 * and into a wallet.
 */
const client = createApiClient(process.env.SVC_BASE_URL!, {
  axiosConfig: { headers: { authorization: `Bearer ${process.env.SVC_API_KEY}` } },
})

const { customerId } = await client.createCustomer({ ...customer, kycData: resident })
await client.decideSandboxVerification({ outcome: 'APPROVE' }, { params: { customerId } })
const from = await openAccount('ACH')
const to = await openAccount('WIRE')
const transactionId = await pay(payment(customerId, from, to))
const { paymentAccountId: wallet } = await client.createPaymentAccount({
  customerId,
  paymentAccountType: 'SVC_CRYPTO_WALLET',
  svcCryptoWallet: { cryptoWalletType: 'EVM' },
})
const walletTransactionId = await pay(paymentToWallet(customerId, from, wallet))
console.log(JSON.stringify({ transactionId, walletTransactionId }))

async function pay(wanted: Parameters<typeof client.createQuote>[0]): Promise<string> {
  const { quoteId } = await client.createQuote(wanted)
  const { transactionId, transferInstructions: instructions } = await client.createTransaction(
    { quoteId, correlationId: 'openapi-zod-client' },
    { headers: { 'x-idempotency-key': `payment of ${quoteId}` } },
  )
  if (instructions?.type !== 'fiat') throw new Error('the transaction shows no bank transfer')
  await client.sendSandboxDeposit(
    { amount: '100.00', currency: 'USD', rail: 'ACH', reference: instructions.transferMessage },
    { params: { paymentAccountId: from } },
  )
  await client.advanceSandboxTransaction(undefined, { params: { transactionId } })
  await untilCompleted(async () => (await client.getTransaction({ params: { transactionId } })).transactionStatus)
  return transactionId
}

async function openAccount(bankAccountPaymentMethod: 'ACH' | 'WIRE'): Promise<string> {
  const { paymentAccountId } = await client.createPaymentAccount({
    customerId,
    paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
    externalBankAccount: { ...bankAccount, bankAccountPaymentMethod },
  })
  return paymentAccountId
}
