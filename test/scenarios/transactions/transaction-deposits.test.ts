import { expect, test } from 'vitest'
import { startHeard } from '../../support/money/money-listener.ts'
import { createAccount } from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive, type QuoteWish } from '../../support/money/quotes.ts'
import {
  advance,
  availableIn,
  createTransaction,
  readTransaction,
  sendDeposit,
  type Transaction,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { actingWith, type TestApi } from '../../support/runner/api.ts'

const { api, hears } = await startHeard()
const ada = await makeActive(api, 'US')
const { customerId, organizationId } = ada
const { bank, wallet, external } = await makeAccounts(api, ada)

const onRamp = (amount: string): QuoteWish => ({
  customerId,
  from: [bank, 'USD', 'ACH', amount],
  to: [wallet, 'USDC', 'BASE'],
})
const pay = (transaction: Transaction, amount: string, more: object = {}) =>
  sendDeposit(api, bank, {
    amount,
    currency: 'USD',
    rail: 'ACH',
    reference: transferReference(transaction),
    ...more,
  })

test('a deposit completes its transaction: AWAITING_TRANSFER, PROCESSING, COMPLETED', async () => {
  const before = await availableIn(api, wallet)
  const created = await createTransaction(api, onRamp('100.00'))
  const referenceId = await pay(created, '100.00')
  const done = await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  expect(done).toMatchObject({ source: { sourceReferenceId: referenceId }, labels: [] })
  expect(done).not.toHaveProperty('expiresAt')
  expect(done).not.toHaveProperty('refund')
  expect([before, await availableIn(api, wallet)]).toEqual(['0.000000', '99.500000'])
  await hears.transaction(created, ['AWAITING_TRANSFER', 'PROCESSING', 'COMPLETED'])
  await waitForDeposit(api, referenceId, { depositStatus: 'APPLIED', appliedAmount: '100.00' })
  await hears.deposit(referenceId, ['APPLIED'])
})

test('two organizations can use the same entry reference', async () => {
  const { organizations, credentials } = api.app
  const { organizationId } = await organizations.create({ name: 'Other', tier: 'BUILDER', parentOrganizationId: null })
  const others = actingWith(api, (await credentials.createFullKey('Other', organizationId)).apiKey)
  const walletOf = async (caller: TestApi) => (await makeAccounts(caller, await makeActive(caller, 'US'))).wallet
  const [ours, theirs] = [await walletOf(api), await walletOf(others)]
  const tokens = { amount: '1', currency: 'USDC', chain: 'BASE', entryReference: 'statement-1-entry-1' }
  for (const [caller, to] of [
    [api, ours],
    [others, theirs],
    [others, theirs],
  ] as const) {
    expect(await sendDeposit(caller, to, tokens)).toBe(tokens.entryReference)
    await waitForDeposit(caller, tokens.entryReference, { depositStatus: 'CREDITED' })
  }
  await sendDeposit(others, theirs, { ...tokens, amount: '2', entryReference: 'statement-1-entry-2' })
  await expect.poll(() => availableIn(others, theirs)).toBe('3.000000')
  await hears.deposit(tokens.entryReference, ['CREDITED'])
})

test('a deposit that the bank reports twice is applied once', async () => {
  const created = await createTransaction(api, onRamp('10.00'))
  const referenceId = await pay(created, '5.00')
  await waitForDeposit(api, referenceId, { depositStatus: 'APPLIED' })
  await pay(created, '5.00', { entryReference: referenceId })
  const last = await pay(created, '4.99')
  await waitForDeposit(api, last, { depositStatus: 'APPLIED' })
  expect(await readTransaction(api, created)).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
  await pay(created, '0.01')
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
})

test('a transaction without a deposit can be cancelled, and a later deposit is returned', async () => {
  const created = await createTransaction(api, onRamp('15.00'))
  expect((await api.post(`/transactions/${created.transactionId}/cancel`)).status).toBe(200)
  await hears.transaction(created, ['AWAITING_TRANSFER', 'CANCELLED'])
  const late = await pay(created, '15.00')
  await hears.deposit(late, ['RETURNING', 'RETURNED'])
  await waitForTransaction(api, created, { transactionStatus: 'CANCELLED', labels: ['LATE'] })
})

test('a transaction without a deposit becomes EXPIRED, and a late deposit is returned', async () => {
  const created = await createTransaction(api, onRamp('20.00'))
  await advance(api, 'P7D')
  await waitForTransaction(api, created, { transactionStatus: 'EXPIRED' })
  await hears.transaction(created, ['AWAITING_TRANSFER', 'EXPIRED'])
  const late = await pay(created, '20.00')
  await waitForDeposit(api, late, { depositStatus: 'RETURNED', labels: ['LATE'] })
  await hears.deposit(late, ['RETURNING', 'RETURNED'])
  await waitForTransaction(api, created, {
    transactionStatus: 'EXPIRED',
    labels: ['LATE'],
    refund: { refundStatus: 'COMPLETED', refundAmount: '20.00', refundReferenceId: expect.stringMatching(/^sandbox-/) },
  })
})

test('a part payment is a change that the list by updatedFrom finds, and its event shows the same time', async () => {
  const created = await createTransaction(api, onRamp('100.00'))
  await advance(api, 'PT1H')
  await waitForDeposit(api, await pay(created, '40.00'), { depositStatus: 'APPLIED' })
  const source = { sourceReceivedAmount: '40.00', sourceDueAmount: '60.00' }
  const { createdAt, updatedAt } = await waitForTransaction(api, created, { source })
  expect(Date.parse(updatedAt) - Date.parse(createdAt)).toBeGreaterThanOrEqual(3_600_000)
  const changed = (await api.get(`/transactions?customerId=${customerId}&updatedFrom=${updatedAt}`)).body.transactions
  expect(changed).toEqual([expect.objectContaining({ transactionId: created.transactionId, updatedAt })])
  const { events } = (await api.get(`/events?resourceId=${created.transactionId}`)).body
  const told = events.map(({ data }) => (data as Transaction).updatedAt)
  expect(new Set(told)).toEqual(new Set([createdAt, updatedAt]))
  await hears.transaction(created, ['AWAITING_TRANSFER', 'AWAITING_TRANSFER'])
})

test('an insufficient deposit waits until expiry, then the transaction is FAILED and refunded', async () => {
  const created = await createTransaction(api, onRamp('30.00'))
  const short = await pay(created, '29.99')
  await waitForDeposit(api, short, { depositStatus: 'APPLIED' })
  await waitForTransaction(api, created, { source: { sourceReceivedAmount: '29.99', sourceDueAmount: '0.01' } })
  expect(await api.post(`/transactions/${created.transactionId}/cancel`)).toMatchObject({
    status: 409,
    body: { error: 'TRANSACTION_NOT_CANCELLABLE' },
  })
  await advance(api, 'P7D')
  await waitForTransaction(api, created, {
    transactionStatus: 'FAILED',
    failureReason: 'insufficient_funds_received',
    labels: ['UNDERPAID'],
    refund: { refundStatus: 'COMPLETED', refundAmount: '29.99' },
  })
  // An ended transaction shows neither where to send money nor how much.
  const ended = await readTransaction(api, created)
  expect([ended.transferInstructions, ended.source.sourceDueAmount]).toEqual([undefined, undefined])
  // Partial deposit; FAILED; refund owed; refund completed.
  await hears.transaction(created, ['AWAITING_TRANSFER', 'AWAITING_TRANSFER', 'FAILED', 'FAILED', 'FAILED'])
})

test('an excessive deposit executes the quoted amount, and the remainder is returned', async () => {
  const created = await createTransaction(api, onRamp('40.00'))
  const referenceId = await pay(created, '45.00')
  await waitForTransaction(api, created, {
    transactionStatus: 'COMPLETED',
    labels: ['OVERPAID'],
    refund: { refundStatus: 'COMPLETED', refundAmount: '5.00' },
  })
  await waitForDeposit(api, referenceId, { depositStatus: 'APPLIED', appliedAmount: '40.00', labels: ['OVERPAID'] })
})

test('a deposit without a message, or with a wrong one, waits for an operator', async () => {
  const created = await createTransaction(api, onRamp('50.00'))
  const without = await sendDeposit(api, bank, { amount: '50.00', currency: 'USD', rail: 'ACH' })
  await waitForDeposit(api, without, { depositStatus: 'UNMATCHED', customerId })
  const wrong = await pay(created, '50.00', { reference: 'SVCAAAABBBBCCCCD' })
  await waitForDeposit(api, wrong, { depositStatus: 'UNMATCHED' })
  expect(await readTransaction(api, created)).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
})

test('tokens sent to the address of a transaction complete it; other tokens wait for an operator', async () => {
  const wish: QuoteWish = { customerId, from: [external, 'USDC', 'BASE', '25'], to: [bank, 'USD', 'ACH'] }
  const created = await createTransaction(api, wish)
  const reference = transferReference(created)
  const wrong = await sendDeposit(api, external, { amount: '25', currency: 'EURC', chain: 'BASE', reference })
  await waitForDeposit(api, wrong, { depositStatus: 'UNMATCHED', transactionId: created.transactionId })
  await sendDeposit(api, external, { amount: '25', currency: 'USDC', chain: 'BASE', reference })
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
})

test('tokens sent to a service wallet are credited at once', async () => {
  const before = await availableIn(api, wallet, 'USDC', 'POLYGON')
  const referenceId = await sendDeposit(api, wallet, { amount: '7.5', currency: 'USDC', chain: 'POLYGON' })
  await waitForDeposit(api, referenceId, { depositStatus: 'CREDITED', paymentAccountId: wallet })
  expect([before, await availableIn(api, wallet, 'USDC', 'POLYGON')]).toEqual(['0.000000', '7.500000'])
})

test('a deposit of a customer who is not ACTIVE is held until the customer is', async () => {
  await api.post(`/customers/${customerId}/deactivate`, { reason: 'a test' })
  const referenceId = await sendDeposit(api, wallet, { amount: '1', currency: 'USDC', chain: 'ARBITRUM' })
  await waitForDeposit(api, referenceId, { depositStatus: 'HELD' })
  expect(await availableIn(api, wallet, 'USDC', 'ARBITRUM')).toBe('0.000000')
  await api.post(`/customers/${customerId}/reactivate`, { reason: 'a test' })
  await advance(api, 'PT1M')
  await waitForDeposit(api, referenceId, { depositStatus: 'CREDITED' })
  await hears.deposit(referenceId, ['HELD', 'CREDITED'])
  expect(await availableIn(api, wallet, 'USDC', 'ARBITRUM')).toBe('1.000000')
})

async function resolve(referenceId: string, body: object) {
  const { depositId } = await waitForDeposit(api, referenceId, { depositStatus: 'UNMATCHED' })
  return (await api.post(`/deposits/${depositId}/resolve`, { reason: 'a test', ...body })).body
}

test('an operator returns, keeps or applies an unmatched deposit', async () => {
  const created = await createTransaction(api, onRamp('55.00'))
  const without = () => sendDeposit(api, bank, { amount: '55.00', currency: 'USD', rail: 'ACH' })
  const back = await without()
  expect(await resolve(back, { action: 'RETURN' })).toMatchObject({ depositStatus: 'RETURNING' })
  await hears.deposit(back, ['UNMATCHED', 'RETURNING', 'RETURNED'])
  expect(await resolve(await without(), { action: 'CREDIT' })).toMatchObject({ depositStatus: 'CREDITED' })
  const kept = await api.app.ledger.returnedFunds(api.app.database, organizationId, customerId)
  expect(kept).toEqual([{ asset: 'USD', posted: 5500n, available: 5500n }])
  const applied = await without()
  const { transactionId } = created
  expect(await resolve(applied, { action: 'APPLY', transactionId })).toMatchObject({ depositStatus: 'APPLIED' })
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  expect(await resolve(await without(), { action: 'APPLY', transactionId })).toMatchObject({ error: 'CONFLICT' })
})

test('a deposit to an auto fiat account creates a transaction', async () => {
  const destination = {
    destinationPaymentAccountId: wallet,
    destinationCurrency: 'USDC',
    destinationPaymentMethod: 'BASE',
  }
  const auto = await createAccount(api, {
    customerId,
    paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT',
    svcAutoFiatAccount: { currency: 'USD', ...destination },
  })
  const { paymentAccountId } = auto
  const first = await sendDeposit(api, paymentAccountId, { amount: '200.00', currency: 'USD', rail: 'WIRE' })
  const { transactionId = '' } = await waitForDeposit(api, first, { depositStatus: 'APPLIED', appliedAmount: '200.00' })
  const done = await waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
  expect(done).toMatchObject({ destination: { destinationAmount: '199.000000' }, source: { sourceReferenceId: first } })
  await sendDeposit(api, paymentAccountId, { amount: '200.00', currency: 'USD', rail: 'WIRE', entryReference: first })
  const refused = await sendDeposit(api, paymentAccountId, { amount: '10.66', currency: 'USD', rail: 'ACH' })
  const second = await waitForDeposit(api, refused, { depositStatus: 'APPLIED' })
  await waitForTransaction(
    api,
    { transactionId: second.transactionId ?? '' },
    {
      transactionStatus: 'FAILED',
      refund: { refundStatus: 'WAITING_FOR_OPERATOR', refundAmount: '10.66' },
    },
  )
  const tooSmall = await sendDeposit(api, paymentAccountId, { amount: '0.02', currency: 'USD', rail: 'ACH' })
  await waitForDeposit(api, tooSmall, { depositStatus: 'UNMATCHED' })
  const { transactions } = (await api.get(`/transactions?paymentAccountId=${paymentAccountId}`)).body
  expect(transactions).toHaveLength(2)
})
