import { afterAll, afterEach, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { actingWith, type TestApi } from '../support/api.ts'
import type { Customer } from '../support/customers.ts'
import { readCustomer } from '../support/customers.ts'
import { listenToMoney } from '../support/money-listener.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../support/payment-accounts.ts'
import { makeAccounts, makeActive, type QuoteWish } from '../support/quotes.ts'
import { decideReview, readReview } from '../support/reviews.ts'
import {
  advance,
  availableIn,
  createTransaction,
  creditWallet,
  readTransaction,
  sendDeposit,
  startWithWorkers,
  type Transaction,
  timelineOf,
  waitForDeposit,
  waitForTransaction,
} from '../support/transactions.ts'

/** What people decide about transactions that stopped, and about refunds that found no way. */
const api = await startWithWorkers()
const hears = await listenToMoney(api)
afterAll(async () => {
  await api.stop()
  hears.close()
})
afterEach(hears.expectAllTold)
const { apiKey } = (await api.post('/api-keys', { name: 'Desk', scopes: ['transactions:write', 'transactions:read'] }))
  .body
const desk = actingWith(api, String(apiKey))

async function payer() {
  const customer = await makeActive(api, 'US')
  const accounts = await makeAccounts(api, customer)
  const { customerId, organizationId } = customer
  await creditWallet(api, { organizationId, paymentAccountId: accounts.wallet, amount: 100_000_000n })
  const bankWith = async (more: object) =>
    (await createAccount(api, bankAccountOf(customerId, bankAccounts.ACH(more)))).paymentAccountId
  const owner = { type: 'INDIVIDUAL', firstName: 'Ivan', lastName: 'Blocked' }
  const listed = await bankWith({ accountNumber: '000123459999', bankAccountOwner: owner })
  return { customer, customerId, organizationId, ...accounts, listed, bankWith }
}
type Payer = Awaited<ReturnType<typeof payer>>

const fromWallet = ({ customerId, wallet }: Payer, to: string): QuoteWish => ({
  ...{ customerId, from: [wallet, 'USDC', 'BASE', '10'], to: [to, 'USD', 'ACH'] },
})
const resolve = ({ transactionId }: Transaction, body: object, caller: TestApi = api) =>
  caller.post(`/transactions/${transactionId}/resolve`, { reason: 'Ada Example has called', ...body })
const returnedFunds = ({ organizationId, customerId }: Payer) =>
  api.app.ledger.returnedFunds(api.app.database, organizationId, customerId)
const waitForFreeze = (created: Transaction) =>
  expect.poll(async () => (await timelineOf(api, created)).map(({ kind }) => kind)).toContain('FROZEN')
const kindsOf = async (created: Transaction, caller: TestApi = api) =>
  (await timelineOf(caller, created)).map(({ kind, details }) => `${kind} ${details.action ?? ''}`.trim())
const conflict = { status: 409, body: { error: 'CONFLICT' } }

/** Tokens come from outside for a bank account of somebody on a list: the money is here, and frozen. */
async function frozenWithDeposit(ada: Payer): Promise<Transaction> {
  const { customerId, external, listed } = ada
  const wish: QuoteWish = { customerId, from: [external, 'USDC', 'BASE', '25'], to: [listed, 'USD', 'ACH'] }
  const created = await createTransaction(api, wish)
  const reference = created.transferInstructions?.transferWalletAddress
  await sendDeposit(api, external, { amount: '25', currency: 'USDC', chain: 'BASE', reference })
  await waitForFreeze(created)
  return created
}

test('a review that is cleared lets what it had stopped go on at once', async () => {
  const ada = await payer()
  const created = await createTransaction(api, fromWallet(ada, ada.listed))
  await waitForFreeze(created)
  expect(await readReview(api, ada.customer)).toMatchObject({ reason: 'WATCH_LIST_HIT', reviewStatus: 'OPEN' })
  expect(await readTransaction(api, created)).toMatchObject({ transactionStatus: 'PROCESSING', labels: [] })
  expect(await api.post(`/transactions/${created.transactionId}/cancel`)).toMatchObject({ status: 409 })
  expect((await decideReview(api, ada.customer, { decision: 'APPROVE' })).status).toBe(200)
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  await hears.transaction(created, ['CREATED', 'PROCESSING', 'COMPLETED'])
  expect(await kindsOf(created)).toContain('OPERATOR review.decided')
  const shownToDesk = await kindsOf(created, desk)
  expect(shownToDesk).not.toContain('FROZEN')
  expect(shownToDesk).not.toContain('OPERATOR review.decided')
})

test('a review that is confirmed ends it: FAILED, and the wallet has everything again', async () => {
  const ada = await payer()
  const created = await createTransaction(api, fromWallet(ada, ada.listed))
  await waitForFreeze(created)
  expect((await decideReview(api, ada.customer, { decision: 'REJECT' })).status).toBe(200)
  await waitForTransaction(api, created, { transactionStatus: 'FAILED', failureReason: 'compliance_rejected' })
  expect(await availableIn(api, ada.wallet)).toBe('100.000000')
  await hears.transaction(created, ['CREATED', 'PROCESSING', 'FAILED'])
  expect(await readCustomer(api, ada.customer)).toMatchObject({ customerStatus: 'REJECTED' })
})

test('confirmed with money that came in: it is owed, and leaves once somebody who reviews says so', async () => {
  const ada = await payer()
  const created = await frozenWithDeposit(ada)
  await decideReview(api, ada.customer, { decision: 'REJECT' })
  const refund = { refundAmount: '25.000000' }
  await waitForTransaction(api, created, {
    ...{ transactionStatus: 'FAILED', failureReason: 'compliance_rejected' },
    refund: { refundStatus: 'PENDING', ...refund },
  })
  await advance(api, 'PT5M')
  expect(await resolve(created, { action: 'REFUND' }, desk)).toMatchObject(conflict)
  expect(await readTransaction(api, created)).toMatchObject({ refund: { refundStatus: 'PENDING', ...refund } })
  expect((await resolve(created, { action: 'REFUND' })).status).toBe(200)
  await waitForTransaction(api, created, { refund: { refundStatus: 'COMPLETED', ...refund } })
  expect(await resolve(created, { action: 'REFUND' })).toMatchObject(conflict)
})

test('confirmed with money that came in, and kept for the customer', async () => {
  const ada = await payer()
  const created = await frozenWithDeposit(ada)
  await decideReview(api, ada.customer, { decision: 'REJECT' })
  await waitForTransaction(api, created, { transactionStatus: 'FAILED', refund: { refundStatus: 'PENDING' } })
  expect((await resolve(created, { action: 'CREDIT' })).status).toBe(200)
  await waitForTransaction(api, created, { refund: { refundStatus: 'COMPLETED', refundAmount: '25.000000' } })
  expect(await returnedFunds(ada)).toMatchObject([{ asset: 'USDC/BASE', posted: 25_000_000n }])
})

test('one transaction is rejected and its customer is not; what came in goes back once the review is cleared', async () => {
  const ada = await payer()
  const created = await frozenWithDeposit(ada)
  expect(await resolve(created, { action: 'REJECT' }, desk)).toMatchObject({
    ...{ status: 403, body: { error: 'FORBIDDEN' } },
  })
  expect(await resolve(created, { action: 'REFUND' })).toMatchObject(conflict)
  expect(await resolve(created, { action: 'REJECT' })).toMatchObject({
    ...{ status: 200, body: { transactionStatus: 'FAILED', failureReason: 'compliance_rejected' } },
  })
  expect(await readCustomer(api, ada.customer)).toMatchObject({ customerStatus: 'ACTIVE' })
  expect(await resolve(created, { action: 'REFUND' })).toMatchObject(conflict)
  await decideReview(api, ada.customer, { decision: 'APPROVE' })
  await waitForTransaction(api, created, { refund: { refundStatus: 'COMPLETED', refundAmount: '25.000000' } })
  await hears.transaction(created, ['AWAITING_TRANSFER', 'PROCESSING', 'FAILED', 'FAILED', 'FAILED'])
})

test('64 people reject a frozen transaction at once: one does, and it is one act', async () => {
  const ada = await payer()
  const created = await createTransaction(api, fromWallet(ada, ada.listed))
  await waitForFreeze(created)
  const answers = await Promise.all(Array.from({ length: 64 }, () => resolve(created, { action: 'REJECT' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 63 }, () => 409)])
  expect((await kindsOf(created)).filter((kind) => kind === 'OPERATOR transaction.resolved')).toHaveLength(1)
  expect(await availableIn(api, ada.wallet)).toBe('100.000000')
  await decideReview(api, ada.customer, { decision: 'APPROVE' })
})

test('the same key decides once and answers twice; the words said about it are sealed', async () => {
  const ada = await payer()
  const created = await createTransaction(api, fromWallet(ada, ada.listed))
  await waitForFreeze(created)
  const { transactionId } = created
  const key = { headers: { 'x-idempotency-key': newId() } }
  const ask = () =>
    api.post(`/transactions/${transactionId}/resolve`, { action: 'REJECT', reason: 'Ada Example is sure' }, key)
  const [first, second] = [await ask(), await ask()]
  expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([200, 200, 'true'])
  expect(second.body).toEqual(first.body)
  const { notes } = await readReview(api, ada.customer)
  expect(notes).toMatchObject([{ act: 'transaction.resolved', text: 'Ada Example is sure' }])
})

test('a payout that waits is withdrawn when the hit is confirmed: the conversion is undone, fees included', async () => {
  const ada = await payer()
  const halt = { text: `insert into svc.payout_halts (halt_id, violated) values ($1, '{a test}')`, values: [newId()] }
  await api.app.database.query(halt)
  const [confirmed, rejected] = [
    await createTransaction(api, fromWallet(ada, ada.bank)),
    await createTransaction(api, fromWallet(ada, ada.bank)),
  ]
  for (const each of [confirmed, rejected])
    await expect.poll(() => kindsOf(each), { timeout: 10_000 }).toContain('EXECUTED')
  expect((await resolve(rejected, { action: 'REJECT' })).status).toBe(200)
  await api.post(`/sandbox/customers/${ada.customerId}/verification`, { outcome: 'REVIEW' })
  await decideReview(api, ada.customer, { decision: 'REJECT' })
  await api.app.ledger.resumePayouts({ reason: 'a test', force: true })
  await advance(api, 'PT1M')
  for (const each of [confirmed, rejected]) {
    await waitForTransaction(api, each, {
      ...{ transactionStatus: 'FAILED', failureReason: 'compliance_rejected' },
      refund: { refundStatus: 'COMPLETED', refundAmount: '10.000000' },
    })
  }
  expect(await availableIn(api, ada.wallet)).toBe('100.000000')
})

test('about a transaction that is on its way, or over, nobody has to decide', async () => {
  const ada = await payer()
  const created = await createTransaction(api, fromWallet(ada, ada.bank))
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  for (const action of ['REJECT', 'REFUND', 'CREDIT'])
    expect(await resolve(created, { action })).toMatchObject(conflict)
  const slow = await createTransaction(api, {
    ...{ customerId: ada.customerId, from: [ada.wallet, 'USDC', 'BASE', '10.99'], to: [ada.bank, 'USD', 'ACH'] },
  })
  await expect.poll(() => kindsOf(slow)).toContain('RAIL')
  for (const action of ['REJECT', 'REFUND', 'CREDIT']) expect(await resolve(slow, { action })).toMatchObject(conflict)
})

/** A bank that takes nothing back, and a network that takes nothing. */
async function refusedRefund(ada: Payer): Promise<Transaction> {
  const { customerId, external, bankWith } = ada
  const refusing = await bankWith({ accountNumber: '000123450066' })
  const created = await createTransaction(api, {
    ...{ customerId, from: [refusing, 'USD', 'ACH', '12.66'], to: [external, 'USDC', 'BASE'] },
  })
  const reference = created.transferInstructions?.transferMessage
  await sendDeposit(api, refusing, { amount: '12.66', currency: 'USD', rail: 'ACH', reference })
  return waitForTransaction(api, created, {
    ...{ transactionStatus: 'FAILED', failureReason: 'destination_refused_funds' },
    refund: { refundStatus: 'WAITING_FOR_OPERATOR', refundAmount: '12.66' },
  })
}

test('a refund that the bank refused is sent to another registered account, and counts once', async () => {
  const ada = await payer()
  const { bank: foreign } = await makeAccounts(api, await makeActive(api, 'US'))
  const failed = await refusedRefund(ada)
  const refund = (paymentAccountId: string) => resolve(failed, { action: 'REFUND', paymentAccountId }, desk)
  expect((await refund(newId())).status).toBe(404)
  expect((await refund(foreign)).status).toBe(404)
  expect(await refund(ada.wallet)).toMatchObject(conflict)
  expect(await refund(ada.external)).toMatchObject(conflict)
  expect((await resolve(failed, { action: 'CREDIT', paymentAccountId: ada.bank }, desk)).status).toBe(400)
  expect(await refund(ada.bank)).toMatchObject({ status: 200, body: { refund: { refundStatus: 'PENDING' } } })
  await waitForTransaction(api, failed, { refund: { refundStatus: 'COMPLETED', refundAmount: '12.66' } })
  expect(await refund(ada.bank)).toMatchObject(conflict)
  expect(await kindsOf(failed)).toContain('OPERATOR transaction.resolved')
})

test('to an account of somebody on a list nothing is refunded', async () => {
  const ada = await payer()
  const failed = await refusedRefund(ada)
  expect(await resolve(failed, { action: 'REFUND', paymentAccountId: ada.listed })).toMatchObject(conflict)
  expect(await readReview(api, ada.customer)).toMatchObject({ reason: 'WATCH_LIST_HIT', reviewStatus: 'OPEN' })
  await decideReview(api, ada.customer, { decision: 'APPROVE' })
  expect((await resolve(failed, { action: 'CREDIT' })).status).toBe(200)
})

test('64 people decide about a refund at once, in two ways: it goes one way, once', async () => {
  const ada = await payer()
  const failed = await refusedRefund(ada)
  const ways = [{ action: 'CREDIT' }, { action: 'REFUND', paymentAccountId: ada.bank }]
  const answers = await Promise.all(Array.from({ length: 64 }, (_, at) => resolve(failed, ways[at % 2] ?? {})))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 63 }, () => 409)])
  await waitForTransaction(api, failed, { refund: { refundStatus: 'COMPLETED', refundAmount: '12.66' } })
  const paid = await api.app.database.query({
    text: `select payout_id from svc.payouts where transaction_id = $1 and purpose = 'REFUND' and status = 'CONFIRMED'`,
    values: [failed.transactionId],
  })
  expect(paid).toHaveLength(1)
})

test('a refund of an auto fiat account has nowhere to go by itself, and is kept for the customer', async () => {
  const ada = await payer()
  const destination = { destinationPaymentAccountId: ada.external, destinationCurrency: 'USDC' }
  const { paymentAccountId: auto } = await createAccount(api, {
    ...{ customerId: ada.customerId, paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT' },
    svcAutoFiatAccount: { currency: 'USD', ...destination, destinationPaymentMethod: 'BASE' },
  })
  const sent = await sendDeposit(api, auto, { amount: '10.66', currency: 'USD', rail: 'WIRE' })
  const { transactionId = '' } = await waitForDeposit(api, sent, { depositStatus: 'APPLIED' })
  const failed = await waitForTransaction(api, { transactionId }, { refund: { refundStatus: 'WAITING_FOR_OPERATOR' } })
  expect(await resolve(failed, { action: 'REFUND' }, desk)).toMatchObject(conflict)
  expect(await resolve(failed, { action: 'CREDIT' }, desk)).toMatchObject({
    ...{ status: 200, body: { refund: { refundStatus: 'COMPLETED', refundAmount: '10.66' } } },
  })
  expect(await returnedFunds(ada)).toEqual([{ asset: 'USD', posted: 1066n, available: 1066n }])
  expect(await resolve(failed, { action: 'CREDIT' }, desk)).toMatchObject(conflict)
})

test('the rest of a deposit that the bank would not take back is decided about with its transaction', async () => {
  const ada = await payer()
  const { customerId, wallet, bankWith } = ada
  const refusing = await bankWith({ accountNumber: '000123450066' })
  const overpaid = async () => {
    const created = await createTransaction(api, {
      ...{ customerId, from: [refusing, 'USD', 'ACH', '20.00'], to: [wallet, 'USDC', 'BASE'] },
    })
    const reference = created.transferInstructions?.transferMessage
    await sendDeposit(api, refusing, { amount: '23.00', currency: 'USD', rail: 'ACH', reference })
    const refund = { refundStatus: 'WAITING_FOR_OPERATOR', refundAmount: '3.00' }
    return waitForTransaction(api, created, { transactionStatus: 'COMPLETED', labels: ['OVERPAID'], refund })
  }
  const [credited, refunded] = [await overpaid(), await overpaid()]
  expect((await resolve(credited, { action: 'CREDIT' })).status).toBe(200)
  await waitForTransaction(api, credited, { refund: { refundStatus: 'COMPLETED', refundAmount: '3.00' } })
  expect(await returnedFunds(ada)).toMatchObject([{ asset: 'USD', posted: 300n }])
  expect((await resolve(refunded, { action: 'REFUND', paymentAccountId: ada.bank })).status).toBe(200)
  await waitForTransaction(api, refunded, { refund: { refundStatus: 'COMPLETED', refundAmount: '3.00' } })
})

test.each([
  ['no reason', { action: 'REJECT', reason: '' }],
  ['an action that is none', { action: 'FORGET' }],
  ['a payment account that is no id', { action: 'REFUND', paymentAccountId: 'mine' }],
])('a decision with %s is refused', async (_what, body) => {
  const ada = await payer()
  const created = await createTransaction(api, fromWallet(ada, ada.listed))
  await waitForFreeze(created)
  expect((await resolve(created, body)).status).toBe(400)
  await decideReview(api, ada.customer as Customer, { decision: 'APPROVE' })
})
