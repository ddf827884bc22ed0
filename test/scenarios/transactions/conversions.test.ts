import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { decideReview } from '../../support/customers/reviews.ts'
import { conflict, kindsOf, makePayer, type Payer, resolve, waitForFreeze } from '../../support/money/blocked-payers.ts'
import { createDisbursementStories } from '../../support/money/disbursement-stories.ts'
import { startHeard } from '../../support/money/money-listener.ts'
import { createQuote, makeAccounts, makeActive, postQuote, type QuoteWish } from '../../support/money/quotes.ts'
import {
  advance,
  createTransaction,
  expectVerified,
  readTransaction,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { first } from '../../support/runner/first.ts'

/** Returned funds are the source of a new quote: beside the repayment, and spent once whichever is asked. */
const { api } = await startHeard()
const { kept, shown, ...stories } = createDisbursementStories(api, api)
const { returnedPayout, creditedDeposit } = stories

async function wishOf(ada: Payer, amount: string, to?: QuoteWish['to']): Promise<QuoteWish> {
  const { paymentAccountId } = first(await kept(ada))
  const from = [paymentAccountId, 'USD', 'ACH', amount] as const
  return { customerId: ada.customerId, from, to: to ?? [ada.wallet, 'USDC', 'BASE'] }
}
const post = (quoteId: string, key: string = newId()) =>
  api.post('/transactions', { quoteId }, { headers: { 'x-idempotency-key': key } })

test('a return is converted by a new quote, and cannot be repaid, disbursed or converted once more', async () => {
  const ada = await makePayer(api)
  const failed = await returnedPayout(ada)
  const wish = await wishOf(ada, '9.95')
  const { quoteId } = await createQuote(api, wish)
  const other = await createQuote(api, wish)
  const key = newId()
  const created = await post(quoteId, key)
  expect(created).toMatchObject({
    status: 201,
    body: { transactionStatus: 'CREATED', source: { sourcePaymentAccountId: wish.from[0], sourceAmount: '9.95' } },
  })
  expect(created.body).not.toHaveProperty('transferInstructions')
  expect((await post(quoteId, key)).body).toEqual(created.body)
  expect(await post(quoteId)).toMatchObject({ status: 409, body: { error: 'QUOTE_ALREADY_USED' } })
  expect(await post(other.quoteId)).toMatchObject({ status: 422, body: { error: 'INSUFFICIENT_BALANCE' } })
  expect(await resolve(api, failed, { action: 'PAY_AGAIN' })).toMatchObject(conflict)
  expect(await shown(ada)).toEqual([])
  await waitForTransaction(api, created.body, { transactionStatus: 'COMPLETED' })
  expect((await readTransaction(api, failed)).repayment).toMatchObject({
    repaymentStatus: 'COMPLETED',
    repaymentAmount: '9.95',
  })
  expect(await kindsOf(api, failed)).toContain('CONVERSION_OWED')
  const body = { paymentAccountId: wish.from[0], currency: 'USD', destinationPaymentAccountId: ada.bank }
  expect(await stories.order(ada, body)).toMatchObject({ status: 422 })
  expect(await shown(ada)).toEqual([])
  await expectVerified(api)
})

test('a conversion takes the oldest causes, and a repayment pays what is left', async () => {
  const ada = await makePayer(api)
  const failed = [await returnedPayout(ada), await returnedPayout(ada)]
  const created = await createTransaction(api, await wishOf(ada, '12.00'))
  expect(await shown(ada)).toEqual([['USD', '7.90', failed[1]?.transactionId]])
  expect(await resolve(api, first(failed), { action: 'PAY_AGAIN' })).toMatchObject(conflict)
  const again = await resolve(api, { transactionId: failed[1]?.transactionId ?? '' }, { action: 'PAY_AGAIN' })
  expect(again).toMatchObject({ status: 200, body: { repayment: { repaymentAmount: '7.90' } } })
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  await expectVerified(api)
})

test('a refused conversion leaves the money among the returned funds, and can be converted again', async () => {
  const ada = await makePayer(api)
  const failed = await returnedPayout(ada)
  await creditedDeposit(ada, '30.00')
  const refusing = await ada.bankWith({ accountNumber: '000999990066' })
  const created = await createTransaction(api, await wishOf(ada, '20.00', [refusing, 'USD', 'ACH']))
  const { transactionId } = await waitForTransaction(api, created, {
    transactionStatus: 'FAILED',
    refund: { refundStatus: 'COMPLETED', refundAmount: '20.00' },
  })
  expect((await shown(ada)).sort()).toEqual([
    ['USD', '19.95', ''],
    ['USD', '20.00', transactionId],
  ])
  expect((await readTransaction(api, failed)).repayment).toMatchObject({ repaymentStatus: 'COMPLETED' })
  await expectVerified(api)
  // The payout of the next one is returned in the same currency.
  const returning = await ada.bankWith({ accountNumber: '000123450077' })
  const next = await createTransaction(api, await wishOf(ada, '39.95', [returning, 'USD', 'ACH']))
  const { destination } = await waitForTransaction(api, next, { transactionStatus: 'COMPLETED' })
  expect(await shown(ada)).toEqual([])
  await advance(api, 'P1DT1S')
  await waitForTransaction(api, next, { failureReason: 'destination_returned_funds' })
  expect(await shown(ada)).toEqual([['USD', destination.destinationAmount, next.transactionId]])
  expect((await resolve(api, next, { action: 'PAY_AGAIN', paymentAccountId: ada.bank })).status).toBe(200)
  await waitForTransaction(api, next, { repayment: { repaymentStatus: 'COMPLETED' } })
  expect(await shown(ada)).toEqual([])
  await expectVerified(api)
})

test('a conversion that is cancelled or rejected leaves its causes as they were', async () => {
  const ada = await makePayer(api)
  const failed = await returnedPayout(ada)
  const before = [['USD', '9.95', failed.transactionId]]
  const waiting = { repaymentStatus: 'WAITING_FOR_OPERATOR', repaymentAmount: '9.95' }
  await api.stop()
  const cancelled = await createTransaction(api, await wishOf(ada, '9.95'))
  expect(await shown(ada)).toEqual([])
  expect((await readTransaction(api, failed)).repayment).toMatchObject({ repaymentStatus: 'PENDING' })
  expect((await api.post(`/transactions/${cancelled.transactionId}/cancel`)).status).toBe(200)
  api.stop = (await api.app.startWorker()).stop
  expect(await shown(ada)).toEqual(before)
  expect((await readTransaction(api, failed)).repayment).toMatchObject(waiting)
  expect(await kindsOf(api, failed)).toContain('CONVERSION_WITHDRAWN')
  const frozen = await createTransaction(api, await wishOf(ada, '4.00', [ada.listed, 'USD', 'ACH']))
  await waitForFreeze(api, frozen)
  expect(await shown(ada)).toEqual([['USD', '5.95', failed.transactionId]])
  expect((await decideReview(api, ada.customer, { decision: 'REJECT' })).status).toBe(200)
  await waitForTransaction(api, frozen, { failureReason: 'compliance_rejected' })
  expect(await shown(ada)).toEqual(before)
  expect((await readTransaction(api, failed)).repayment).toMatchObject(waiting)
  await expectVerified(api)
})

test('only its own ACTIVE customer can convert returned funds, in their currency', async () => {
  const ada = await makePayer(api)
  await creditedDeposit(ada, '30.00')
  const wish = await wishOf(ada, '9.95')
  const { quoteId } = await createQuote(api, wish)
  const eve = await makeActive(api, 'US')
  const accounts = await makeAccounts(api, eve)
  const stolen = { ...wish, customerId: eve.customerId, to: [accounts.wallet, 'USDC', 'BASE'] } as const
  expect(await postQuote(api, stolen)).toMatchObject({ status: 404 })
  expect(await postQuote(api, { ...wish, to: [wish.from[0], 'USD', 'ACH'] })).toMatchObject({ status: 404 })
  const euros = { ...wish, from: [wish.from[0], 'EUR', 'SEPA', '9.95'] } as const
  expect(await postQuote(api, euros)).toMatchObject({
    status: 400,
    body: { details: [{ field: 'source.sourceCurrency' }] },
  })
  expect(await api.post(`/customers/${ada.customerId}/deactivate`, { reason: 'a test' })).toMatchObject({ status: 200 })
  const notActive = { status: 403, body: { error: 'CUSTOMER_NOT_ACTIVE' } }
  expect(await postQuote(api, wish)).toMatchObject(notActive)
  expect(await post(quoteId)).toMatchObject(notActive)
  expect(await shown(ada)).toEqual([['USD', '30.00', '']])
  await expectVerified(api)
})
