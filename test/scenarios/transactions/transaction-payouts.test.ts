import { expect, test } from 'vitest'
import { startHeard } from '../../support/money/money-listener.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive, type QuoteWish } from '../../support/money/quotes.ts'
import {
  advance,
  availableIn,
  createTransaction,
  creditWallet,
  isWithRail,
  readTransaction,
  sendDeposit,
  transferReference,
  waitForTransaction,
} from '../../support/money/transactions.ts'

const { api, hears } = await startHeard()
const ada = await makeActive(api, 'US')
const { customerId, organizationId } = ada
const { bank, wallet, external } = await makeAccounts(api, ada)
await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 10_000_000_000n })

const offRamp = (amount: string, to = bank): QuoteWish => ({
  customerId,
  from: [wallet, 'USDC', 'BASE', amount],
  to: [to, 'USD', 'ACH'],
})
const bankWith = async (more: object) =>
  (await createAccount(api, bankAccountOf(customerId, bankAccounts.ACH(more)))).paymentAccountId

test('a payout from a service wallet to a bank: CREATED, PROCESSING, COMPLETED, each with an event', async () => {
  const before = await availableIn(api, wallet)
  const created = await createTransaction(api, offRamp('100'))
  const done = await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  expect(done).toMatchObject({
    destination: { destinationAmount: '99.50', destinationReferenceId: expect.stringMatching(/^sandbox-/) },
    statusHistory: [{ status: 'CREATED' }, { status: 'PROCESSING' }, { status: 'COMPLETED' }],
    labels: [],
  })
  expect([before, await availableIn(api, wallet)]).toEqual(['10000.000000', '9900.000000'])
  await hears.transaction(created, ['CREATED', 'PROCESSING', 'COMPLETED'])
})

test('a payout that the bank refuses is FAILED, and the wallet balance is restored with fees', async () => {
  const before = await availableIn(api, wallet)
  const created = await createTransaction(api, offRamp('100.66'))
  await waitForTransaction(api, created, {
    transactionStatus: 'FAILED',
    failureReason: 'destination_refused_funds',
    refund: { refundStatus: 'COMPLETED', refundAmount: '100.660000' },
  })
  expect(await availableIn(api, wallet)).toBe(before)
  await hears.transaction(created, ['CREATED', 'PROCESSING', 'FAILED', 'FAILED'])
  const direct: QuoteWish = { customerId, from: [wallet, 'USDC', 'BASE', '5.66'], to: [external, 'USDC', 'BASE'] }
  const refused = await createTransaction(api, direct)
  await waitForTransaction(api, refused, { transactionStatus: 'FAILED' })
  await hears.transaction(refused, ['CREATED', 'PROCESSING', 'FAILED'])
  expect(await availableIn(api, wallet)).toBe(before)
})

test('a payout that the chain refuses is refunded to the bank that funded it', async () => {
  const wish: QuoteWish = { customerId, from: [bank, 'USD', 'ACH', '12.66'], to: [external, 'USDC', 'BASE'] }
  const created = await createTransaction(api, wish)
  const reference = transferReference(created)
  await sendDeposit(api, bank, { amount: '12.66', currency: 'USD', rail: 'ACH', reference })
  await waitForTransaction(api, created, {
    transactionStatus: 'FAILED',
    failureReason: 'destination_refused_funds',
    refund: { refundStatus: 'COMPLETED', refundAmount: '12.66' },
  })
  // FAILED; refund owed; refund completed.
  await hears.transaction(created, ['AWAITING_TRANSFER', 'PROCESSING', 'FAILED', 'FAILED', 'FAILED'])
})

test('a payout that the bank returns a day later is FAILED, and the funds are kept for the customer', async () => {
  const created = await createTransaction(api, offRamp('20.77'))
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  await advance(api, 'P1DT1S')
  const failed = await waitForTransaction(api, created, { transactionStatus: 'FAILED' })
  expect(failed).toMatchObject({ failureReason: 'destination_returned_funds' })
  const kept = await api.app.ledger.returnedFunds(api.app.database, organizationId, customerId)
  expect(kept).toEqual([{ asset: 'USD', posted: 2066n, available: 2066n }])
  await hears.transaction(created, ['CREATED', 'PROCESSING', 'COMPLETED', 'FAILED'])
})

test('a sandbox operation makes the bank return a payout at once', async () => {
  const created = await createTransaction(api, offRamp('30'))
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  expect((await api.post(`/sandbox/transactions/${created.transactionId}/return`)).status).toBe(200)
  await waitForTransaction(api, created, { failureReason: 'destination_returned_funds' })
  expect((await api.post(`/sandbox/transactions/${created.transactionId}/return`)).status).toBe(409)
})

async function attemptsOf(transactionId: string): Promise<string[]> {
  const rows = await api.app.database.query<{ said: string }>({
    text: `select attempt || ' ' || outcome as said from svc.payout_attempts join svc.payouts using (organization_id, payout_id)
            where transaction_id = $1 and purpose = 'PAYOUT' order by at`,
    values: [transactionId],
  })
  return rows.map(({ said }) => said)
}

test('after a lost answer the rail is polled, and the payout is not sent twice', async () => {
  const created = await createTransaction(api, offRamp('40.88'))
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  expect(await attemptsOf(created.transactionId)).toEqual(['1 STARTED', '1 UNKNOWN', '1 CONFIRMED'])
})

test('a lost request is retried once the rail proves it dead', async () => {
  const created = await createTransaction(api, offRamp('41.55'))
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  const attempts = ['1 STARTED', '1 UNKNOWN', '1 DEAD', '2 STARTED', '2 ACCEPTED', '2 CONFIRMED']
  expect(await attemptsOf(created.transactionId)).toEqual(attempts)
})

test('a slow payout is PROCESSING for an hour, or until it is expedited', async () => {
  const slow = await createTransaction(api, offRamp('50.99'))
  const expedited = await createTransaction(api, offRamp('51.99'))
  await waitForTransaction(api, slow, { transactionStatus: 'PROCESSING' })
  await waitForTransaction(api, expedited, { transactionStatus: 'PROCESSING' })
  await api.post(`/sandbox/transactions/${expedited.transactionId}/advance`)
  await waitForTransaction(api, expedited, { transactionStatus: 'COMPLETED' })
  await expect.poll(() => isWithRail(api, slow)).toBe(true)
  expect(await readTransaction(api, slow)).toMatchObject({ transactionStatus: 'PROCESSING' })
  await advance(api, 'PT1H5M')
  await waitForTransaction(api, slow, { transactionStatus: 'COMPLETED' })
})

test('the account number decides how the sandbox bank behaves', async () => {
  const refusing = await bankWith({ accountNumber: '000123450066' })
  const created = await createTransaction(api, offRamp('60', refusing))
  await waitForTransaction(api, created, { failureReason: 'destination_refused_funds' })
})

test('an account of an open transaction cannot be deleted', async () => {
  const target = await bankWith({ accountNumber: '000123457777' })
  const created = await createTransaction(api, offRamp('80.99', target))
  expect(await api.delete(`/payment-accounts/${target}`)).toMatchObject({
    status: 409,
    body: { error: 'PAYMENT_ACCOUNT_IN_USE' },
  })
  await waitForTransaction(api, created, { transactionStatus: 'PROCESSING' })
  await api.post(`/sandbox/transactions/${created.transactionId}/advance`)
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  expect((await api.delete(`/payment-accounts/${target}`)).status).toBe(200)
})
