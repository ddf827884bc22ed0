import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { decideReview, readReview } from '../../support/customers/reviews.ts'
import {
  conflict,
  fromWallet,
  kindsOf,
  makePayer,
  type Payer,
  resolve,
  returnedFunds,
} from '../../support/money/blocked-payers.ts'
import { startHeard } from '../../support/money/money-listener.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import { advance, createTransaction, type Transaction, waitForTransaction } from '../../support/money/transactions.ts'
import { actingWith, createKey } from '../../support/runner/api.ts'
import { readMetric } from '../../support/runner/metrics.ts'

/** A bank returns a payout days later. The funds belong to the customer, and an operator orders a repayment. */
const { api, hears } = await startHeard()
const scopes = ['transactions:write', 'transactions:read']
const desk = actingWith(api, (await createKey(api, { name: 'Desk', scopes })).apiKey)

const waiting = {
  repaymentStatus: 'WAITING_FOR_OPERATOR',
  repaymentCurrency: { label: 'USD' },
  repaymentAmount: '9.95',
}
const kept = [{ asset: 'USD', posted: 995n, available: 995n }]
const repay = (failed: Transaction, more: object = {}) => resolve(desk, failed, { action: 'PAY_AGAIN', ...more })
const repaid = (failed: Transaction) =>
  waitForTransaction(api, failed, { transactionStatus: 'FAILED', repayment: { repaymentStatus: 'COMPLETED' } })

async function givenBack(ada: Payer): Promise<Transaction> {
  const created = await createTransaction(api, fromWallet(ada, ada.bank))
  expect(await repay(created)).toMatchObject(conflict)
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  expect(await repay(created)).toMatchObject(conflict)
  await api.post(`/sandbox/transactions/${created.transactionId}/return`)
  const failureReason = 'destination_returned_funds'
  const failed = await waitForTransaction(api, created, { transactionStatus: 'FAILED', failureReason })
  expect(failed.repayment).toEqual({ ...waiting, repaymentReferenceId: '' })
  return failed
}

test('a repayment to the same destination is made once, with its events and postings', async () => {
  const ada = await makePayer(api)
  const failed = await givenBack(ada)
  expect(await returnedFunds(api, ada)).toEqual(kept)
  expect(await readMetric(api, 'svc_refunds_undecided')).toBe('1')
  expect(await resolve(desk, failed, { action: 'REFUND' })).toMatchObject(conflict)
  expect(await resolve(desk, failed, { action: 'CREDIT' })).toMatchObject(conflict)
  expect(await repay(failed)).toMatchObject({ status: 200, body: { repayment: { repaymentStatus: 'PENDING' } } })
  const done = await repaid(failed)
  expect(done.repayment).toMatchObject({
    repaymentAmount: '9.95',
    repaymentReferenceId: expect.stringMatching(/^sandbox-/),
  })
  expect(await returnedFunds(api, ada)).toEqual([{ asset: 'USD', posted: 0n, available: 0n }])
  expect(await repay(failed)).toMatchObject(conflict)
  const listed = (await api.get(`/transactions?customerId=${ada.customerId}`)).body.transactions
  expect(listed).toEqual([done])
  const kinds = ['OPERATOR transaction.resolved', 'REPAYMENT_OWED', 'REPAYMENT_CONFIRMED']
  expect(await kindsOf(api, failed)).toEqual(expect.arrayContaining(kinds))
  expect(await readMetric(api, 'svc_refunds_undecided')).toBe('0')
  // FAILED; repayment owed; repayment completed.
  await hears.transaction(failed, ['CREATED', 'PROCESSING', 'COMPLETED', 'FAILED', 'FAILED', 'FAILED'])
})

test('a repayment to another account on the same rail waits again when refused or returned', async () => {
  const ada = await makePayer(api)
  const { bank: foreign } = await makeAccounts(api, await makeActive(api, 'US'))
  const failed = await givenBack(ada)
  const to = (paymentAccountId: string) => repay(failed, { paymentAccountId })
  const byWire = bankAccountOf(ada.customerId, bankAccounts.WIRE({ accountNumber: '000123451234' }))
  const { paymentAccountId: wire } = await createAccount(api, byWire)
  const deleted = await ada.bankWith({ accountNumber: '000123454321' })
  await api.delete(`/payment-accounts/${deleted}`)
  for (const unknown of [newId(), foreign]) expect((await to(unknown)).status).toBe(404)
  for (const unfit of [ada.wallet, ada.external, wire, deleted]) expect(await to(unfit)).toMatchObject(conflict)
  expect((await to(await ada.bankWith({ accountNumber: '000123450066' }))).status).toBe(200)
  await expect.poll(() => kindsOf(api, failed)).toContain('REPAYMENT_REFUSED')
  await waitForTransaction(api, failed, { repayment: waiting })
  expect(await returnedFunds(api, ada)).toEqual(kept)
  expect((await to(await ada.bankWith({ accountNumber: '000123450077' }))).status).toBe(200)
  await repaid(failed)
  await advance(api, 'P1DT1S')
  await waitForTransaction(api, failed, { repayment: waiting })
  expect(await returnedFunds(api, ada)).toEqual(kept)
  expect((await to(ada.bank)).status).toBe(200)
  await repaid(failed)
})

test('64 concurrent orders of a repayment, to two accounts, pay once', async () => {
  const ada = await makePayer(api)
  // The customer has equal funds from another transaction, which this repayment must not use.
  const [failed] = [await givenBack(ada), await givenBack(ada)]
  const accounts = [ada.bank, await ada.bankWith({ accountNumber: '000123451111' })]
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, at) => repay(failed, { paymentAccountId: accounts[at % 2] })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 63 }, () => 409)])
  await repaid(failed)
  expect(await returnedFunds(api, ada)).toEqual(kept)
})

test('no repayment to a listed person; after a confirmed match only a reviewer can order one', async () => {
  const ada = await makePayer(api)
  const failed = await givenBack(ada)
  expect(await repay(failed, { paymentAccountId: ada.listed })).toMatchObject(conflict)
  expect(await readReview(api, ada.customer)).toMatchObject({ reason: 'WATCH_LIST_HIT', reviewStatus: 'OPEN' })
  expect(await resolve(api, failed, { action: 'PAY_AGAIN' })).toMatchObject({
    status: 409,
    body: { message: 'A review of this customer is open: decide it first' },
  })
  expect((await repay(failed)).status).toBe(200)
  await decideReview(api, ada.customer, { decision: 'REJECT' })
  expect(await repay(failed)).toMatchObject(conflict)
  expect(await returnedFunds(api, ada)).toEqual([{ asset: 'USD', posted: 995n, available: 0n }])
  expect((await resolve(api, failed, { action: 'PAY_AGAIN' })).status).toBe(200)
  await repaid(failed)
})
