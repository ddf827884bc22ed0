import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { decideReview, readReview } from '../../support/customers/reviews.ts'
import { conflict, kindsOf, makePayer, type Payer, resolve, returnedFunds } from '../../support/money/blocked-payers.ts'
import { startHeard } from '../../support/money/money-listener.ts'
import { createAccount } from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  createTransaction,
  sendDeposit,
  type Transaction,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { actingWith, createKey } from '../../support/runner/api.ts'
import { readMetric } from '../../support/runner/metrics.ts'

/** Decisions of operators about refunds that cannot be paid. */
const { api } = await startHeard()
const scopes = ['transactions:write', 'transactions:read']
const desk = actingWith(api, (await createKey(api, { name: 'Desk', scopes })).apiKey)

/** Creates a failed transaction whose refund the bank refuses. */
async function refusedRefund(ada: Payer): Promise<Transaction> {
  const { customerId, external, bankWith } = ada
  const refusing = await bankWith({ accountNumber: '000123450066' })
  const created = await createTransaction(api, {
    customerId,
    from: [refusing, 'USD', 'ACH', '12.66'],
    to: [external, 'USDC', 'BASE'],
  })
  const reference = transferReference(created)
  await sendDeposit(api, refusing, { amount: '12.66', currency: 'USD', rail: 'ACH', reference })
  return waitForTransaction(api, created, {
    transactionStatus: 'FAILED',
    failureReason: 'destination_refused_funds',
    refund: { refundStatus: 'WAITING_FOR_OPERATOR', refundAmount: '12.66' },
  })
}

test('a refused refund is paid once, to another registered account', async () => {
  const ada = await makePayer(api)
  const { bank: foreign } = await makeAccounts(api, await makeActive(api, 'US'))
  const failed = await refusedRefund(ada)
  expect(await readMetric(api, 'svc_refunds_undecided')).toBe('1')
  const refund = (paymentAccountId: string) => resolve(desk, failed, { action: 'REFUND', paymentAccountId })
  expect((await refund(newId())).status).toBe(404)
  expect((await refund(foreign)).status).toBe(404)
  expect(await refund(ada.wallet)).toMatchObject(conflict)
  expect(await refund(ada.external)).toMatchObject(conflict)
  expect((await resolve(desk, failed, { action: 'CREDIT', paymentAccountId: ada.bank })).status).toBe(400)
  expect(await refund(ada.bank)).toMatchObject({ status: 200, body: { refund: { refundStatus: 'PENDING' } } })
  await waitForTransaction(api, failed, { refund: { refundStatus: 'COMPLETED', refundAmount: '12.66' } })
  expect(await refund(ada.bank)).toMatchObject(conflict)
  expect(await kindsOf(api, failed)).toContain('OPERATOR transaction.resolved')
  expect(await readMetric(api, 'svc_refunds_undecided')).toBe('0')
})

test('a refund to the account of a listed person is refused', async () => {
  const ada = await makePayer(api)
  const failed = await refusedRefund(ada)
  expect(await resolve(api, failed, { action: 'REFUND', paymentAccountId: ada.listed })).toMatchObject(conflict)
  expect(await readReview(api, ada.customer)).toMatchObject({ reason: 'WATCH_LIST_HIT', reviewStatus: 'OPEN' })
  await decideReview(api, ada.customer, { decision: 'APPROVE' })
  expect((await resolve(api, failed, { action: 'CREDIT' })).status).toBe(200)
})

test('of 64 concurrent decisions about a refund, one takes effect', async () => {
  const ada = await makePayer(api)
  const failed = await refusedRefund(ada)
  const ways = [{ action: 'CREDIT' }, { action: 'REFUND', paymentAccountId: ada.bank }]
  const answers = await Promise.all(Array.from({ length: 64 }, (_, at) => resolve(api, failed, ways[at % 2] ?? {})))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 63 }, () => 409)])
  await waitForTransaction(api, failed, { refund: { refundStatus: 'COMPLETED', refundAmount: '12.66' } })
  const paid = await api.app.database.query({
    text: `select payout_id from svc.payouts where transaction_id = $1 and purpose = 'REFUND' and status = 'CONFIRMED'`,
    values: [failed.transactionId],
  })
  expect(paid).toHaveLength(1)
})

test('a refund of an auto fiat account has no destination, and an operator keeps it for the customer', async () => {
  const ada = await makePayer(api)
  const destination = { destinationPaymentAccountId: ada.external, destinationCurrency: 'USDC' }
  const { paymentAccountId: auto } = await createAccount(api, {
    customerId: ada.customerId,
    paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT',
    svcAutoFiatAccount: { currency: 'USD', ...destination, destinationPaymentMethod: 'BASE' },
  })
  const sent = await sendDeposit(api, auto, { amount: '10.66', currency: 'USD', rail: 'WIRE' })
  const { transactionId = '' } = await waitForDeposit(api, sent, { depositStatus: 'APPLIED' })
  const failed = await waitForTransaction(api, { transactionId }, { refund: { refundStatus: 'WAITING_FOR_OPERATOR' } })
  expect(await resolve(desk, failed, { action: 'REFUND' })).toMatchObject(conflict)
  expect(await resolve(desk, failed, { action: 'CREDIT' })).toMatchObject({
    status: 200,
    body: { refund: { refundStatus: 'COMPLETED', refundAmount: '10.66' } },
  })
  expect(await returnedFunds(api, ada)).toEqual([{ asset: 'USD', posted: 1066n, available: 1066n }])
  expect(await resolve(desk, failed, { action: 'CREDIT' })).toMatchObject(conflict)
})

test('a refused refund of a deposit’s remainder is decided through its transaction', async () => {
  const ada = await makePayer(api)
  const { customerId, wallet, bankWith } = ada
  const refusing = await bankWith({ accountNumber: '000123450066' })
  const overpaid = async () => {
    const created = await createTransaction(api, {
      customerId,
      from: [refusing, 'USD', 'ACH', '20.00'],
      to: [wallet, 'USDC', 'BASE'],
    })
    const reference = transferReference(created)
    await sendDeposit(api, refusing, { amount: '23.00', currency: 'USD', rail: 'ACH', reference })
    const refund = { refundStatus: 'WAITING_FOR_OPERATOR', refundAmount: '3.00' }
    return waitForTransaction(api, created, { transactionStatus: 'COMPLETED', labels: ['OVERPAID'], refund })
  }
  const [credited, refunded] = [await overpaid(), await overpaid()]
  expect((await resolve(api, credited, { action: 'CREDIT' })).status).toBe(200)
  await waitForTransaction(api, credited, { refund: { refundStatus: 'COMPLETED', refundAmount: '3.00' } })
  expect(await returnedFunds(api, ada)).toMatchObject([{ asset: 'USD', posted: 300n }])
  expect((await resolve(api, refunded, { action: 'REFUND', paymentAccountId: ada.bank })).status).toBe(200)
  await waitForTransaction(api, refunded, { refund: { refundStatus: 'COMPLETED', refundAmount: '3.00' } })
})
