import { afterAll, expect, test } from 'vitest'
import type { Customer } from '../../support/customers/customers.ts'
import { createAccount } from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  advance,
  createTransaction,
  creditWallet,
  expectVerified,
  sendDeposit,
  startWithWorkers,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** A customer is not erased while the service still owes them money. */
const api = await startWithWorkers({ SVC_RETENTION_DAYS: '30' })
afterAll(api.stop)
afterAll(() => expectVerified(api))

/** Prepares an erasure that only the cause under test can still block. */
async function leave({ customerId }: Customer, accounts: readonly string[]) {
  await api.post(`/customers/${customerId}/deactivate`, { reason: 'Asked to leave' })
  await advance(api, 'P31D')
  for (const each of accounts) expect((await api.delete(`/payment-accounts/${each}`)).status).toBe(200)
}
const erase = ({ customerId }: Customer) => api.post(`/customers/${customerId}/erase`)

test('an undecided deposit, and then the customer’s returned funds, block an erasure', async () => {
  const ada = await makeActive(api, 'US')
  const { bank, wallet, external } = await makeAccounts(api, ada)
  const sent = await sendDeposit(api, bank, { amount: '10.00', currency: 'USD', rail: 'ACH' })
  const { depositId } = await waitForDeposit(api, sent, { depositStatus: 'UNMATCHED' })
  await leave(ada, [bank, wallet, external])
  expect(await erase(ada)).toMatchObject({
    status: 409,
    body: { message: 'A deposit of this customer is unresolved or being returned' },
  })
  await api.post(`/deposits/${depositId}/resolve`, { action: 'CREDIT', reason: 'a test' })
  expect(await erase(ada)).toMatchObject({
    status: 409,
    body: { message: 'Returned funds are kept for this customer' },
  })
})

test('a wallet with a balance blocks an erasure, and a returned deposit does not', async () => {
  const ada = await makeActive(api, 'US')
  const { bank, wallet, external } = await makeAccounts(api, ada)
  await api.post(`/customers/${ada.customerId}/deactivate`, { reason: 'Asked to leave' })
  const sent = await sendDeposit(api, wallet, { amount: '1', currency: 'USDC', chain: 'BASE' })
  const { depositId } = await waitForDeposit(api, sent, { depositStatus: 'HELD' })
  expect(await api.delete(`/payment-accounts/${wallet}`)).toMatchObject({
    status: 409,
    body: { error: 'PAYMENT_ACCOUNT_IN_USE' },
  })
  const body = { action: 'RETURN', paymentAccountId: external, reason: 'a test' }
  expect((await api.post(`/deposits/${depositId}/resolve`, body)).status).toBe(200)
  await waitForDeposit(api, sent, { depositStatus: 'RETURNED' })
  await advance(api, 'P31D')
  for (const each of [bank, wallet, external]) expect((await api.delete(`/payment-accounts/${each}`)).status).toBe(200)
  expect((await erase(ada)).status).toBe(200)
})

test('returned funds block an erasure until they are repaid', async () => {
  const ada = await makeActive(api, 'US')
  const { customerId, organizationId } = ada
  const { bank, wallet, external } = await makeAccounts(api, ada)
  await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 10_000_000n })
  const created = await createTransaction(api, {
    customerId,
    from: [wallet, 'USDC', 'BASE', '10'],
    to: [bank, 'USD', 'ACH'],
  })
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  await api.post(`/sandbox/transactions/${created.transactionId}/return`)
  await waitForTransaction(api, created, { transactionStatus: 'FAILED' })
  await leave(ada, [wallet, external])
  const again = { action: 'PAY_AGAIN', reason: 'a test' }
  expect((await api.post(`/transactions/${created.transactionId}/resolve`, again)).status).toBe(200)
  await waitForTransaction(api, created, { repayment: { repaymentStatus: 'COMPLETED' } })
  expect((await api.delete(`/payment-accounts/${bank}`)).status).toBe(200)
  expect((await erase(ada)).status).toBe(409)
  await advance(api, 'P6D')
  await eventually(async () => expect((await erase(ada)).status).toBe(200))
})

test('a refund that waits for an operator blocks an erasure', async () => {
  const ada = await makeActive(api, 'US')
  const { bank, wallet, external } = await makeAccounts(api, ada)
  const destination = { destinationPaymentAccountId: external, destinationCurrency: 'USDC' }
  const { paymentAccountId: auto } = await createAccount(api, {
    customerId: ada.customerId,
    paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT',
    svcAutoFiatAccount: { currency: 'USD', ...destination, destinationPaymentMethod: 'BASE' },
  })
  const sent = await sendDeposit(api, auto, { amount: '10.66', currency: 'USD', rail: 'WIRE' })
  const { transactionId = '' } = await waitForDeposit(api, sent, { depositStatus: 'APPLIED' })
  await waitForTransaction(api, { transactionId }, { refund: { refundStatus: 'WAITING_FOR_OPERATOR' } })
  await leave(ada, [auto, bank, wallet, external])
  expect(await erase(ada)).toMatchObject({
    status: 409,
    body: { message: 'A transaction of this customer is open' },
  })
})
