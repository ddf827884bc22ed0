import { expect, test } from 'vitest'
import { createMany, pay, startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import { advance, readTransaction, sendDeposit, transferReference } from '../../support/money/transactions.ts'
import { first } from '../../support/runner/first.ts'

/** Workers re-check a HELD deposit less and less often; a decision that can release it wakes it at once. */
const money = await startMoney()
const { api, rows, onRamp } = money
const workers = takeOver(money, {})
await api.post('/sandbox/clock', { freeze: true })
const { customerId } = onRamp

const deactivate = () => api.post(`/customers/${customerId}/deactivate`, { reason: 'a test' })
const reactivate = () => api.post(`/customers/${customerId}/reactivate`, { reason: 'a test' })
async function make() {
  await api.app.rates.refresh()
  return first(await createMany(money, onRamp, 1))
}
const returnDeposit = async (externalId: string) => {
  const { id } = await depositOf(externalId)
  const { status } = await api.post(`/deposits/${id}/resolve`, { action: 'RETURN', reason: 'a test' })
  expect(status).toBe(200)
}
const depositOf = async (externalId: string) =>
  first(
    await rows<{ id: string; status: string }>(
      `select deposit_id as id, status from svc.deposits where external_id = '${externalId}'`,
    ),
  )

/** Advances business time and answers how many rows this job found due. */
async function dueAfter(durations: readonly string[], job: () => Promise<number>): Promise<number[]> {
  const found: number[] = []
  for (const duration of durations) {
    await advance(api, duration)
    found.push(await job())
  }
  return found
}
/** Moments just after the first minute, before and after the second, the fourth and the eighth. */
const doubling = ['PT61S', 'PT30S', 'PT32S', 'PT2M', 'PT5S', 'PT4M', 'PT10S']

test('a worker re-checks a HELD deposit after 1, 2, 4, 8 … minutes, then daily, and at once after a reactivation', async () => {
  const created = await make()
  await deactivate()
  const sent = await pay(money, created)
  await untilIdle(workers.receive)
  expect(await depositOf(sent)).toMatchObject({ status: 'HELD' })
  expect(await dueAfter(doubling, workers.release)).toEqual([1, 0, 1, 0, 1, 0, 1])
  expect(await dueAfter(['P3D', 'PT23H', 'PT1H', 'PT23H'], workers.release)).toEqual([1, 0, 1, 0])
  await reactivate()
  expect(await workers.release()).toBe(1)
  expect(await depositOf(sent)).toMatchObject({ status: 'APPLIED' })
})

test('a deposit of a listed sender is not re-checked: a reviewer decides about it', async () => {
  const reference = transferReference(await make())
  const body = { amount: '10.00', currency: 'USD', rail: 'ACH', reference, senderName: 'Ivan Blocked' }
  const sent = await sendDeposit(api, money.bank, body)
  await untilIdle(workers.receive)
  expect(await depositOf(sent)).toMatchObject({ status: 'HELD' })
  await deactivate()
  await reactivate()
  expect(await dueAfter(['PT1M', 'P1D'], workers.release)).toEqual([0, 0])
  await returnDeposit(sent)
  await untilIdle(workers.advanceAll)
})

test('a transaction past its time waits for a HELD deposit without polling, and ends with the decision', async () => {
  const created = await make()
  await deactivate()
  const sent = await pay(money, created)
  await untilIdle(workers.receive)
  await advance(api, 'P7D')
  await untilIdle(workers.advanceAll)
  expect(await dueAfter(doubling, workers.advanceAll)).toEqual([1, 0, 1, 0, 1, 0, 1])
  expect(await readTransaction(api, created)).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
  await returnDeposit(sent)
  await untilIdle(workers.advanceAll)
  expect(await readTransaction(api, created)).toMatchObject({ transactionStatus: 'EXPIRED' })
  await reactivate()
})
