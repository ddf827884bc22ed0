import { expect, test } from 'vitest'
import { conflict, makePayer, type Payer, resolve, returnedFunds } from '../../support/money/blocked-payers.ts'
import { startHeard } from '../../support/money/money-listener.ts'
import { waitForRates } from '../../support/money/quotes.ts'
import {
  advance,
  createTransaction,
  type Deposit,
  expectVerified,
  readTransaction,
  sendDeposit,
  type Transaction,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'

/** Each unit of a deposit is applied, credited or returned once, in every order of decisions. */
const { api, hears } = await startHeard()

const decide = ({ depositId }: Deposit, body: object) =>
  api.post(`/deposits/${depositId}/resolve`, { reason: 'a test', ...body })

const refusingBank = ({ bankWith }: Payer) => bankWith({ accountNumber: '000123450066' })

const awaiting = ({ customerId, wallet }: Payer, source: string, amount: string) =>
  createTransaction(api, { customerId, from: [source, 'USD', 'ACH', amount], to: [wallet, 'USDC', 'BASE'] })

const send = (source: string, transaction: Transaction, amount: string) =>
  sendDeposit(api, source, { amount, currency: 'USD', rail: 'ACH', reference: transferReference(transaction) })

const waiting = (refundAmount: string) => ({ refund: { refundStatus: 'WAITING_FOR_OPERATOR', refundAmount } })

/** A transaction that expired, and its late deposit whose return the bank refused. */
async function refusedLateReturn(ada: Payer): Promise<{ expired: Transaction; deposit: Deposit; sent: string }> {
  const refusing = await refusingBank(ada)
  const created = await awaiting(ada, refusing, '100.00')
  await advance(api, 'P8D')
  await waitForTransaction(api, created, { transactionStatus: 'EXPIRED' })
  const sent = await send(refusing, created, '100.00')
  const expired = await waitForTransaction(api, created, waiting('100.00'))
  const deposit = await waitForDeposit(api, sent, { depositStatus: 'UNMATCHED' })
  await waitForRates(api)
  return { expired, deposit, sent }
}

/** A transaction whose deposit was held, and whose return to the sender the bank refused. */
async function refusedHeldReturn(ada: Payer, amount: string) {
  const { customerId } = ada
  const refusing = await refusingBank(ada)
  const created = await awaiting(ada, refusing, '100.00')
  await api.post(`/customers/${customerId}/deactivate`, { reason: 'a test' })
  const sent = await send(refusing, created, amount)
  const held = await waitForDeposit(api, sent, { depositStatus: 'HELD' })
  expect((await decide(held, { action: 'RETURN' })).status).toBe(200)
  const deposit = await waitForDeposit(api, sent, { depositStatus: 'UNMATCHED' })
  await api.post(`/customers/${customerId}/reactivate`, { reason: 'a test' })
  await waitForTransaction(api, created, { transactionStatus: 'AWAITING_TRANSFER', ...waiting(amount) })
  return { created, deposit, sent }
}

/** Expects that the transaction offers no refund, and that no resolution makes one. */
async function expectNoRefund(transaction: Transaction, ada: Payer): Promise<void> {
  expect(await readTransaction(api, transaction)).not.toHaveProperty('refund')
  for (const body of [{ action: 'REFUND' }, { action: 'REFUND', paymentAccountId: ada.bank }, { action: 'CREDIT' }]) {
    expect(await resolve(api, transaction, body)).toMatchObject(conflict)
  }
}

test('a deposit that an operator applied to another transaction is no longer a refund of the first', async () => {
  const ada = await makePayer(api)
  const { expired, deposit } = await refusedLateReturn(ada)
  expect(await resolve(api, expired, { action: 'REFUND', paymentAccountId: ada.bank })).toMatchObject({
    ...conflict,
    body: { message: `The bank refused a return: resolve the deposit itself (${deposit.depositId})` },
  })
  const other = await awaiting(ada, ada.bank, '100.00')
  const applied = await decide(deposit, { action: 'APPLY', transactionId: other.transactionId })
  expect(applied).toMatchObject({ status: 200, body: { depositStatus: 'APPLIED', transactionId: other.transactionId } })
  await expectNoRefund(expired, ada)
  await waitForTransaction(api, other, { transactionStatus: 'COMPLETED' })
  await expectNoRefund(expired, ada)
  expect(await returnedFunds(api, ada)).toEqual([])
  await expectVerified(api)
})

test('the transaction that loses a deposit reports it in an event', async () => {
  const ada = await makePayer(api)
  const { expired, deposit } = await refusedLateReturn(ada)
  const other = await awaiting(ada, ada.bank, '100.00')
  await decide(deposit, { action: 'APPLY', transactionId: other.transactionId })
  const { transactionId } = expired
  await expect
    .poll(async () => {
      const { events } = (await api.get('/events?pageSize=100')).body
      const newest = events.find(({ data }) => 'quoteId' in data && data.transactionId === transactionId)
      return newest && 'refund' in newest.data
    })
    .toBe(false)
})

test('a held deposit whose return was refused is applied to its own transaction without a refund', async () => {
  const ada = await makePayer(api)
  const { created, deposit, sent } = await refusedHeldReturn(ada, '100.00')
  const { transactionId } = created
  expect((await decide(deposit, { action: 'APPLY', transactionId })).status).toBe(200)
  await expectNoRefund(created, ada)
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  await hears.deposit(sent, ['HELD', 'RETURNING', 'UNMATCHED', 'APPLIED'])
  await expectNoRefund(created, ada)
  await expectVerified(api)
})

test('only the excess of an applied deposit is refunded, even if a return of all of it was refused', async () => {
  const ada = await makePayer(api)
  const { created, deposit } = await refusedHeldReturn(ada, '130.00')
  const { transactionId } = created
  expect((await decide(deposit, { action: 'APPLY', transactionId })).status).toBe(200)
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED', labels: ['OVERPAID'], ...waiting('30.00') })
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => resolve(api, created, { action: 'REFUND', paymentAccountId: ada.bank })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409])
  await waitForTransaction(api, created, { refund: { refundStatus: 'COMPLETED', refundAmount: '30.00' } })
  expect(await resolve(api, created, { action: 'REFUND' })).toMatchObject(conflict)
  expect(await resolve(api, created, { action: 'CREDIT' })).toMatchObject(conflict)
  await expectVerified(api)
})

test('a deposit credited after a refused return is no refund any more', async () => {
  const ada = await makePayer(api)
  const { expired, deposit } = await refusedLateReturn(ada)
  expect((await decide(deposit, { action: 'CREDIT' })).status).toBe(200)
  await expectNoRefund(expired, ada)
  expect(await returnedFunds(api, ada)).toMatchObject([{ asset: 'USD', posted: 10_000n }])
  await expectVerified(api)
})

test('a deposit returned to another account after a refused return is returned once', async () => {
  const ada = await makePayer(api)
  const { expired, deposit, sent } = await refusedLateReturn(ada)
  expect((await decide(deposit, { action: 'RETURN', paymentAccountId: ada.bank })).status).toBe(200)
  await hears.deposit(sent, ['RETURNING', 'UNMATCHED', 'RETURNING', 'RETURNED'])
  await waitForTransaction(api, expired, { refund: { refundStatus: 'COMPLETED', refundAmount: '100.00' } })
  for (const action of ['REFUND', 'CREDIT']) expect(await resolve(api, expired, { action })).toMatchObject(conflict)
  for (const action of ['RETURN', 'CREDIT']) expect(await decide(deposit, { action })).toMatchObject(conflict)
  await expectVerified(api)
})
