import { afterEach, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { createReversalService } from '../../../src/transactions/deposits/reversals/service.ts'
import { reportEntry } from '../../support/deposits/sightings.ts'
import { createMany, pay, startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import { expectVerified, readTransaction, sendDeposit } from '../../support/money/transactions.ts'
import type { TestRail } from '../../support/rails/test-rail.ts'
import { openForTest } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { first } from '../../support/runner/first.ts'

/** Deposits that a bank takes back while they are returned, or after they were assigned. */
const money = await startMoney()
const { api, rows, organizationId, onRamp } = money
const { customerId } = onRamp
const workers = takeOver(money, {})
/** Changes what only a fault, or another part of the service, would change. */
const change = (text: string) => openForTest({ connection: api.database.owner }).query({ text })
afterEach(async () => {
  await recoverAll()
  await expectVerified(api)
})

const pending: TestRail = { send: async () => ({ outcome: 'ACCEPTED' }), ask: async () => ({ state: 'PENDING' }) }
/** Sends the newest return. One look may pass by a row that the signer in the background holds. */
const sendReturn = () =>
  eventually(async () => {
    await takeOver(money, { rail: pending }).payOut()
    const newest = 'select status from svc.payouts order by payout_id desc limit 1'
    expect(await rows(newest)).toEqual([{ status: 'SENT' }])
  })
const refuseReturn = () =>
  untilIdle(takeOver(money, { rail: { ...pending, ask: async () => ({ state: 'REFUSED', reason: 'closed' }) } }).payOut)
const reverse = async (depositId: string, body: object = {}) =>
  (await api.post(`/sandbox/deposits/${depositId}/reverse`, body)).body
const resolve = (depositId: string, body: object) =>
  api.post(`/deposits/${depositId}/resolve`, { reason: 'a test', ...body })
const owed = async () => (await api.app.depositReversals.list()).map(({ owedAmount }) => owedAmount)
const idOf = async (externalId: string) =>
  first(await rows<{ id: string }>(`select deposit_id as id from svc.deposits where external_id = '${externalId}'`)).id
/** Ends what is owed as if the customer had paid it. */
async function recoverAll(): Promise<void> {
  for (const { reversalId } of await api.app.depositReversals.list()) {
    await api.app.depositReversals.recover({ reversalId, from: 'bank', reason: 'a test' })
  }
}
/** A deposit of 10.00 whose return waits to be sent. */
async function returning(): Promise<string> {
  const sent = await sendDeposit(api, money.bank, { amount: '10.00', currency: 'USD', rail: 'ACH' })
  await untilIdle(workers.receive)
  const depositId = await idOf(sent)
  expect((await resolve(depositId, { action: 'RETURN', paymentAccountId: money.bank })).status).toBe(200)
  return depositId
}
/** A deposit of 12.00 for a transaction of 10.00. The return of 2.00 is on its way. */
async function overpaid() {
  await api.app.rates.refresh()
  const made = first(await createMany(money, onRamp, 1))
  const sent = await pay(money, made, '12.00')
  await untilIdle(workers.receive)
  await sendReturn()
  return { made, depositId: await idOf(sent) }
}

test('a refused return first settles what the customer owes for the deposit, and the rest waits for a decision', async () => {
  const depositId = await returning()
  await sendReturn()
  expect(await reverse(depositId, { amount: '4.00' })).toMatchObject({ depositStatus: 'RETURNING' })
  expect(await owed()).toEqual(['400'])
  await refuseReturn()
  expect(await owed()).toEqual([])
  await expectVerified(api)
  expect(await reverse(depositId)).toMatchObject({ depositStatus: 'REVERSED', reversedAmount: '10.00' })
  expect(await owed()).toEqual([])
})

test('a return that has not left pays the reversal of a part, and an operator decides about the rest', async () => {
  const depositId = await returning()
  expect(await reverse(depositId, { amount: '4.00' })).toMatchObject({ depositStatus: 'UNMATCHED' })
  expect(await owed()).toEqual([])
  expect((await resolve(depositId, { action: 'RETURN', paymentAccountId: money.bank })).status).toBe(200)
  const returns = await rows(
    `select status, amount from svc.payouts where deposit_id = '${depositId}' order by payout_id`,
  )
  expect(returns).toEqual([
    { status: 'REFUSED', amount: '1000' },
    { status: 'WAITING', amount: '600' },
  ])
  expect(await reverse(depositId)).toMatchObject({ depositStatus: 'REVERSED', reversedAmount: '10.00' })
  expect(await owed()).toEqual([])
})

test('the excess of a deposit that has not left pays the reversal of a part', async () => {
  await api.app.rates.refresh()
  const made = first(await createMany(money, onRamp, 1))
  const sent = await pay(money, made, '12.00')
  await untilIdle(workers.receive)
  const depositId = await idOf(sent)
  expect(await reverse(depositId, { amount: '0.50' })).toMatchObject({ depositStatus: 'APPLIED' })
  expect(await owed()).toEqual([])
  const refund = { refundStatus: 'WAITING_FOR_OPERATOR', refundAmount: '1.50' }
  expect(await readTransaction(api, made)).toMatchObject({ refund })
})

test('a return that a reviewer has released, and that has not left, ends with the reversal of its deposit', async () => {
  const depositId = await returning()
  await change(`update svc.payouts set is_released = true where deposit_id = '${depositId}'`)
  expect(await reverse(depositId)).toMatchObject({ depositStatus: 'REVERSED', reversedAmount: '10.00' })
  expect(await owed()).toEqual([])
})

test('a deposit that was reversed in full is REVERSED once its return is refused, and never paid out', async () => {
  const depositId = await returning()
  await sendReturn()
  expect(await reverse(depositId)).toMatchObject({ depositStatus: 'RETURNING', reversedAmount: '10.00' })
  const { reversalId } = first(await api.app.depositReversals.list())
  await refuseReturn()
  expect((await api.get(`/deposits/${depositId}`)).body).toMatchObject({ depositStatus: 'REVERSED' })
  const decision = { reversalId, reason: 'a test' }
  await expect(api.app.depositReversals.writeOff(decision)).rejects.toMatchObject({ code: 'CONFLICT' })
  for (const action of ['RETURN', 'CREDIT']) expect((await resolve(depositId, { action })).status).toBe(409)
})

test('the refused excess of an applied deposit settles its reversals: the customer owes what was applied', async () => {
  const { made, depositId } = await overpaid()
  await reverse(depositId, { amount: '11.00' })
  expect(await owed()).toEqual(['1100'])
  await refuseReturn()
  expect(await owed()).toEqual(['900'])
  expect((await readTransaction(api, made)).refund).toBeUndefined()
  expect(await reverse(depositId)).toMatchObject({ depositStatus: 'REVERSED' })
  expect(await owed()).toEqual(['900', '100'])
})

test('a reversal takes the refused excess before the customer owes anything', async () => {
  const { made, depositId } = await overpaid()
  await refuseReturn()
  await reverse(depositId, { amount: '0.50' })
  expect(await owed()).toEqual([])
  expect((await readTransaction(api, made)).refund).toMatchObject({ refundAmount: '1.50' })
  const decision = { action: 'CREDIT', reason: 'a test' }
  expect((await api.post(`/transactions/${made.transactionId}/resolve`, decision)).status).toBe(200)
  const { returnedFunds } = (await api.get(`/customers/${customerId}/returned-funds`)).body
  expect(returnedFunds).toMatchObject([{ balance: '1.50' }])
})

test('an operator recovers what is owed now, not what was owed when he looked', async () => {
  const { depositId } = await overpaid()
  await reverse(depositId, { amount: '11.00' })
  const { reversalId } = first(await api.app.depositReversals.list())
  const { database, ledger, customers, quotes } = api.app
  const late = createReversalService({
    database: { ...database, inTx: async (work) => refuseReturn().then(() => database.inTx(work)) },
    ledger,
    customers,
    currencyOf: quotes.currencyOf,
  })
  expect(await late.recover({ reversalId, from: 'bank', reason: 'a test' })).toMatchObject({ owedAmount: '900' })
})

test('what is in suspense is never written off', async () => {
  const depositId = await returning()
  await untilIdle(workers.payOut)
  await reverse(depositId)
  const { reversalId } = first(await api.app.depositReversals.list())
  const writeOff = () => api.app.depositReversals.writeOff({ reversalId, reason: 'a test' })
  // As a fault could leave it: the customer owes what an operator can still return.
  const alter = (text: string) => rows(`update svc.deposits set ${text} where deposit_id = '${depositId}'`)
  await alter(`status = 'UNMATCHED', returned_amount = 0`)
  await expect(writeOff()).rejects.toMatchObject({ code: 'CONFLICT' })
  await alter(`status = 'REVERSED', returned_amount = 1000`)
  await writeOff()
})

test('a reversal that the bank repeats after the deposit was assigned counts once', async () => {
  const key = { method: 'SEPA', book: '', externalId: `statement-${newId()}` } as const
  await reportEntry(api, { externalId: key.externalId, amount: '10000' })
  await untilIdle(workers.receive)
  const told = { ...key, reversalId: 'R-1', amount: 3000n, reason: 'recall' }
  const tell = (more: object = {}) => api.app.database.inTx((tx) => api.app.deposits.reverse(tx, { ...told, ...more }))
  const { reversalId } = await tell()
  const assignment = { depositId: await idOf(key.externalId), organizationId, customerId, reason: 'a test' }
  const assigned = await api.app.unattributedDeposits.assign(assignment)
  expect(await tell()).toMatchObject({ reversalId })
  await expect(tell({ amount: 1n })).rejects.toMatchObject({ code: 'CONFLICT' })
  const read = async () => (await api.get(`/deposits/${assigned?.depositId}`)).body
  expect(await read()).toMatchObject({ amount: '70.00', depositStatus: 'UNMATCHED' })
  expect((await read()).reversedAmount).toBeUndefined()
  await tell({ reversalId: 'R-2', amount: undefined })
  expect(await read()).toMatchObject({ depositStatus: 'REVERSED', reversedAmount: '70.00' })
})

test('a refund of fees is at most what was charged, however much was reversed', async () => {
  const depositId = await returning()
  await untilIdle(workers.payOut)
  await reverse(depositId)
  expect(await owed()).toEqual(['1000'])
  const refund = { organizationId, holding: 'usd-main', asset: 'USD', amount: '0.01', reason: 'a test' }
  await expect(api.app.treasury.refundFee(refund)).rejects.toThrow('Less than this amount was charged')
})

test('the refused excess of a deposit that a bank recalls is neither credited nor refunded', async () => {
  const { made, depositId } = await overpaid()
  await refuseReturn()
  const decide = () => api.post(`/transactions/${made.transactionId}/resolve`, { action: 'CREDIT', reason: 'a test' })
  const fileId = newId()
  await change(`update svc.deposits set book = 'usd-main' where deposit_id = '${depositId}'`)
  await rows(`insert into svc.bank_files (bank_file_id, direction, status, name, content_hash, size, created_at, changed_at)
              values ('${fileId}', 'INCOMING', 'APPLIED', 'a test', '', 1, now(), now())`)
  await rows(`with recall as (
                insert into svc.bank_recalls (bank_recall_id, recall_id, bank_file_id, currency, amount, code,
                       network_hashes, payer_hashes, status, recorded_at)
                values ('${newId()}', 'a test', '${fileId}', 'USD', 1200, 'DUPL', '{}', '{}', 'OPEN', now())
                returning bank_recall_id)
              insert into svc.bank_recall_payments (bank_recall_id, bank_account_id, external_id)
              select bank_recall_id, book, external_id from recall, svc.deposits where deposit_id = '${depositId}'`)
  expect(await decide()).toMatchObject({ status: 409, body: { message: expect.stringContaining('recalls') } })
  await rows(`update svc.bank_recalls set status = 'REJECTED', decided_at = now()`)
  expect((await decide()).status).toBe(200)
  await change(`update svc.deposits set book = '' where deposit_id = '${depositId}'`)
})
