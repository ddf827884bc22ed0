import { expect, test } from 'vitest'
import { startRound } from '../../../src/db/fair-claims.ts'
import { newId } from '../../../src/lib/ids.ts'
import { claimTransactions, setStep } from '../../../src/transactions/change-store.ts'
import { readCustomer } from '../../support/customers/customers.ts'
import { decideReview, readReview } from '../../support/customers/reviews.ts'
import {
  conflict,
  fromWallet,
  kindsOf,
  makePayer,
  type Payer,
  resolve,
  returnedFunds,
  waitForFreeze,
} from '../../support/money/blocked-payers.ts'
import { startHeard } from '../../support/money/money-listener.ts'
import type { QuoteWish } from '../../support/money/quotes.ts'
import {
  advance,
  availableIn,
  createTransaction,
  readTransaction,
  sendDeposit,
  type Transaction,
  transferReference,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { actingWith, createKey } from '../../support/runner/api.ts'

/** Decisions of operators and reviewers about transactions that stopped. */
const { api, hears } = await startHeard()
const scopes = ['transactions:write', 'transactions:read']
const desk = actingWith(api, (await createKey(api, { name: 'Desk', scopes })).apiKey)

/** Funds a payment to the bank account of a listed person with tokens, and waits until it is frozen. */
async function frozenWithDeposit(ada: Payer): Promise<Transaction> {
  const { customerId, external, listed } = ada
  const wish: QuoteWish = { customerId, from: [external, 'USDC', 'BASE', '25'], to: [listed, 'USD', 'ACH'] }
  const created = await createTransaction(api, wish)
  const reference = transferReference(created)
  await sendDeposit(api, external, { amount: '25', currency: 'USDC', chain: 'BASE', reference })
  await waitForFreeze(api, created)
  return created
}

test('a cleared review releases its frozen transaction at once', async () => {
  const ada = await makePayer(api)
  const created = await createTransaction(api, fromWallet(ada, ada.listed))
  await waitForFreeze(api, created)
  expect(await readReview(api, ada.customer)).toMatchObject({ reason: 'WATCH_LIST_HIT', reviewStatus: 'OPEN' })
  expect(await readTransaction(api, created)).toMatchObject({ transactionStatus: 'PROCESSING', labels: [] })
  expect(await api.post(`/transactions/${created.transactionId}/cancel`)).toMatchObject({ status: 409 })
  expect((await decideReview(api, ada.customer, { decision: 'APPROVE' })).status).toBe(200)
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  await hears.transaction(created, ['CREATED', 'PROCESSING', 'COMPLETED'])
  expect(await kindsOf(api, created)).toContain('OPERATOR review.decided')
  const shownToDesk = await kindsOf(desk, created)
  expect(shownToDesk).not.toContain('FROZEN')
  expect(shownToDesk).not.toContain('OPERATOR review.decided')
})

test('a worker that checked before the decision does not freeze it for another hour', async () => {
  const ada = await makePayer(api)
  const created = await createTransaction(api, fromWallet(ada, ada.listed))
  await waitForFreeze(api, created)
  await api.stop()
  await advance(api, 'PT1H')
  const claimed = await claimTransactions(api.app.database, { limit: 100, leaseMs: 600_000 }, startRound())
  await decideReview(api, ada.customer, { decision: 'APPROVE' })
  for (const each of claimed) await setStep(api.app.database, each, 'FROZEN', 3_600)
  api.stop = (await api.app.startWorker()).stop
  expect(claimed.map(({ transactionId }) => transactionId)).toContain(created.transactionId)
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
})

test('a confirmed match fails the transaction and restores the wallet balance', async () => {
  const ada = await makePayer(api)
  const created = await createTransaction(api, fromWallet(ada, ada.listed))
  await waitForFreeze(api, created)
  expect((await decideReview(api, ada.customer, { decision: 'REJECT' })).status).toBe(200)
  await waitForTransaction(api, created, { transactionStatus: 'FAILED', failureReason: 'compliance_rejected' })
  expect(await availableIn(api, ada.wallet)).toBe('100.000000')
  await hears.transaction(created, ['CREATED', 'PROCESSING', 'FAILED'])
  expect(await readCustomer(api, ada.customer)).toMatchObject({ customerStatus: 'REJECTED' })
})

test('after a confirmed match, a received deposit is refunded on a reviewer’s decision', async () => {
  const ada = await makePayer(api)
  const created = await frozenWithDeposit(ada)
  await decideReview(api, ada.customer, { decision: 'REJECT' })
  const refund = { refundAmount: '25.000000' }
  await waitForTransaction(api, created, {
    transactionStatus: 'FAILED',
    failureReason: 'compliance_rejected',
    refund: { refundStatus: 'PENDING', ...refund },
  })
  await advance(api, 'PT5M')
  expect(await resolve(desk, created, { action: 'REFUND' })).toMatchObject(conflict)
  expect(await readTransaction(api, created)).toMatchObject({ refund: { refundStatus: 'PENDING', ...refund } })
  const answers = await Promise.all(Array.from({ length: 64 }, () => resolve(api, created, { action: 'REFUND' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 63 }, () => 409)])
  await waitForTransaction(api, created, { refund: { refundStatus: 'COMPLETED', ...refund } })
  expect(await resolve(api, created, { action: 'REFUND' })).toMatchObject(conflict)
})

test('after a confirmed match, a reviewer can keep a received deposit for the customer', async () => {
  const ada = await makePayer(api)
  const created = await frozenWithDeposit(ada)
  await decideReview(api, ada.customer, { decision: 'REJECT' })
  await waitForTransaction(api, created, { transactionStatus: 'FAILED', refund: { refundStatus: 'PENDING' } })
  expect((await resolve(api, created, { action: 'CREDIT' })).status).toBe(200)
  await waitForTransaction(api, created, { refund: { refundStatus: 'COMPLETED', refundAmount: '25.000000' } })
  expect(await returnedFunds(api, ada)).toMatchObject([{ asset: 'USDC/BASE', posted: 25_000_000n }])
})

test('one transaction is rejected, not its customer; its deposit is refunded once the review is cleared', async () => {
  const ada = await makePayer(api)
  const created = await frozenWithDeposit(ada)
  expect(await resolve(desk, created, { action: 'REJECT' })).toMatchObject({
    status: 403,
    body: { error: 'FORBIDDEN' },
  })
  expect(await resolve(api, created, { action: 'REFUND' })).toMatchObject(conflict)
  expect(await resolve(api, created, { action: 'REJECT' })).toMatchObject({
    status: 200,
    body: { transactionStatus: 'FAILED', failureReason: 'compliance_rejected' },
  })
  expect(await readCustomer(api, ada.customer)).toMatchObject({ customerStatus: 'ACTIVE' })
  expect(await resolve(api, created, { action: 'REFUND' })).toMatchObject(conflict)
  await decideReview(api, ada.customer, { decision: 'APPROVE' })
  await waitForTransaction(api, created, { refund: { refundStatus: 'COMPLETED', refundAmount: '25.000000' } })
  await hears.transaction(created, ['AWAITING_TRANSFER', 'PROCESSING', 'FAILED', 'FAILED', 'FAILED'])
})

test('64 concurrent rejections of a frozen transaction have one effect and one audit row', async () => {
  const ada = await makePayer(api)
  const created = await createTransaction(api, fromWallet(ada, ada.listed))
  await waitForFreeze(api, created)
  const answers = await Promise.all(Array.from({ length: 64 }, () => resolve(api, created, { action: 'REJECT' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 63 }, () => 409)])
  expect((await kindsOf(api, created)).filter((kind) => kind === 'OPERATOR transaction.resolved')).toHaveLength(1)
  expect(await availableIn(api, ada.wallet)).toBe('100.000000')
  await decideReview(api, ada.customer, { decision: 'APPROVE' })
})

test('a decision repeated with its key has one effect, and its reason is stored sealed', async () => {
  const ada = await makePayer(api)
  const created = await createTransaction(api, fromWallet(ada, ada.listed))
  await waitForFreeze(api, created)
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

test('rejecting the customer withdraws a waiting payout and reverses its conversion and fees', async () => {
  const [ada, bob] = [await makePayer(api), await makePayer(api)]
  const halt = { text: `insert into svc.payout_halts (halt_id, violated) values ($1, '{a test}')`, values: [newId()] }
  await api.app.database.query(halt)
  const [confirmed, rejected, withoutHit] = [
    await createTransaction(api, fromWallet(ada, ada.bank)),
    await createTransaction(api, fromWallet(ada, ada.bank)),
    await createTransaction(api, fromWallet(bob, bob.bank)),
  ]
  for (const each of [confirmed, rejected, withoutHit])
    await expect.poll(() => kindsOf(api, each)).toContain('EXECUTED')
  expect((await resolve(api, rejected, { action: 'REJECT' })).status).toBe(200)
  await api.post(`/sandbox/customers/${ada.customerId}/verification`, { outcome: 'REVIEW' })
  await decideReview(api, ada.customer, { decision: 'REJECT' })
  await api.post(`/sandbox/customers/${bob.customerId}/verification`, { outcome: 'REJECT' })
  await api.app.ledger.resumePayouts({ reason: 'a test', force: true })
  await advance(api, 'PT1M')
  for (const each of [confirmed, rejected, withoutHit]) {
    await waitForTransaction(api, each, {
      transactionStatus: 'FAILED',
      failureReason: 'compliance_rejected',
      refund: { refundStatus: 'COMPLETED', refundAmount: '10.000000' },
    })
  }
  expect(await availableIn(api, ada.wallet)).toBe('100.000000')
})

test('a transaction in progress or finished accepts no decision', async () => {
  const ada = await makePayer(api)
  const created = await createTransaction(api, fromWallet(ada, ada.bank))
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  for (const action of ['REJECT', 'REFUND', 'CREDIT'])
    expect(await resolve(api, created, { action })).toMatchObject(conflict)
  const slow = await createTransaction(api, {
    customerId: ada.customerId,
    from: [ada.wallet, 'USDC', 'BASE', '10.99'],
    to: [ada.bank, 'USD', 'ACH'],
  })
  await expect.poll(() => kindsOf(api, slow)).toContain('RAIL')
  for (const action of ['REJECT', 'REFUND', 'CREDIT'])
    expect(await resolve(api, slow, { action })).toMatchObject(conflict)
})

test.each([
  ['no reason', { action: 'REJECT', reason: '' }],
  ['an unknown action', { action: 'FORGET' }],
  ['an invalid payment account id', { action: 'REFUND', paymentAccountId: 'mine' }],
])('a decision with %s is refused', async (_what, body) => {
  const ada = await makePayer(api)
  const created = await createTransaction(api, fromWallet(ada, ada.listed))
  await waitForFreeze(api, created)
  expect((await resolve(api, created, body)).status).toBe(400)
  await decideReview(api, ada.customer, { decision: 'APPROVE' })
})
