import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { LeaseLost } from '../../../src/db/work.ts'
import { wakeStoppedWork } from '../../../src/transactions/resolutions/store.ts'
import {
  createMany,
  endLeases,
  pay,
  settleEverything,
  startMoney,
  takeOver,
  untilIdle,
} from '../../support/money/money-stories.ts'
import { advance, readTransaction, type Transaction } from '../../support/money/transactions.ts'
import { openForTest } from '../../support/runner/database.ts'
import { first } from '../../support/runner/first.ts'

/**
 * Races whose window the test holds open: it locks the row while all others wait in a known order, or pauses a worker
 * until its lease is over. Each test fails reliably when its guard is removed.
 */
const money = await startMoney()
const { api, rows } = money
const workers = takeOver(money, {})
const cancel = ({ transactionId }: Pick<Transaction, 'transactionId'>) =>
  api.post(`/transactions/${transactionId}/cancel`)
const make = async (wish = money.onRamp) => first(await createMany(money, wish, 1))

/** Locks the row of a transaction until the test releases it. */
async function hold({ transactionId }: Transaction): Promise<() => Promise<void>> {
  const { promise: isOver, resolve: letGo } = Promise.withResolvers<void>()
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>()
  const owner = openForTest({ connection: api.database.owner, connections: 1 })
  const holding = owner.inTx(async (tx) => {
    await tx.query({
      text: 'select transaction_id from svc.transactions where transaction_id = $1 for no key update',
      values: [transactionId],
    })
    held()
    await isOver
  })
  await isHeld
  onTestFinished(() => letGo())
  return async () => {
    letGo()
    await holding
  }
}

const waiters = async () =>
  Number(
    (
      await openForTest({ connection: api.database.owner, connections: 1 }).query<{ count: string }>({
        text: `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      })
    )[0]?.count,
  )
const untilWaiting = (count: number) => expect.poll(waiters, { interval: 20 }).toBe(count)

/** Workers that claim, and then pause until the test releases them. */
function makeStopped() {
  const { promise: gate, resolve: letGo } = Promise.withResolvers<void>()
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
  const database: Database = {
    ...api.app.database,
    inTx: async (work) => {
      arrive()
      await gate
      return api.app.database.inTx(work)
    },
  }
  return { ...takeOver(money, { database }), arrived, letGo }
}

test('a partial deposit behind a waiting cancellation is refunded, and the transaction is cancelled', async () => {
  const made = await make()
  const letGo = await hold(made)
  const cancelled = cancel(made)
  await untilWaiting(1)
  await pay(money, made, '4.00')
  const received = untilIdle(workers.receive)
  await untilWaiting(2)
  await letGo()
  expect((await cancelled).status).toBe(200)
  await received
  await settleEverything(money)
  expect(await readTransaction(api, made)).toMatchObject({
    transactionStatus: 'CANCELLED',
    labels: ['LATE'],
    refund: { refundStatus: 'COMPLETED', refundAmount: '4.00' },
  })
})

test('a cancellation behind a waiting partial deposit is rejected, and the deposit counts', async () => {
  const made = await make()
  await pay(money, made, '4.00')
  const letGo = await hold(made)
  const received = untilIdle(workers.receive)
  await untilWaiting(1)
  expect((await cancel(made)).status).toBe(409)
  await letGo()
  await received
  await advance(api, 'P8D')
  await api.app.rates.refresh()
  await settleEverything(money)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'FAILED' })
})

test('a deposit before the deadline counts even if a worker processes it after the deadline', async () => {
  const made = await make()
  await pay(money, made)
  await advance(api, 'P8D')
  await api.app.rates.refresh()
  await workers.advanceAll()
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
  await settleEverything(money)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'COMPLETED' })
})

test('a deposit that completes the amount while a worker claims the expiry: the transaction completes', async () => {
  const made = await make()
  await pay(money, made, '4.00')
  await untilIdle(workers.receive)
  await pay(money, made, '6.00')
  await advance(api, 'P8D')
  await api.app.rates.refresh()
  const stopped = makeStopped()
  const ending = stopped.advanceAll()
  await stopped.arrived
  await untilIdle(workers.receive)
  stopped.letGo()
  await ending
  await settleEverything(money)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'COMPLETED' })
})

test('a worker whose claimed transaction is cancelled spends nothing', async () => {
  const made = await make(money.offRamp)
  const stopped = makeStopped()
  const taking = stopped.advanceAll()
  await stopped.arrived
  expect((await cancel(made)).status).toBe(200)
  stopped.letGo()
  await taking
  await settleEverything(money)
  const { transactionStatus, statusHistory } = await readTransaction(api, made)
  expect([transactionStatus, statusHistory.length]).toEqual(['CANCELLED', 2])
})

test('a replaced worker neither receives a deposit nor executes a transaction a second time', async () => {
  const made = await make()
  await pay(money, made)
  const stopped = makeStopped()
  const receiving = stopped.receive()
  await stopped.arrived
  await endLeases(money, 'sightings')
  await untilIdle(workers.receive)
  const late = makeStopped()
  const executing = late.advanceAll()
  await late.arrived
  await endLeases(money, 'transactions')
  await untilIdle(workers.advanceAll)
  stopped.letGo()
  late.letGo()
  await Promise.all([receiving, executing])
  await settleEverything(money)
  const [counted] = await rows<{ steps: string[] }>(
    `select array_agg(kind order by step_id) as steps from svc.transaction_steps
      where transaction_id = '${made.transactionId}'`,
  )
  expect(counted?.steps).toEqual(['DEPOSIT_APPLIED', 'SCREENED', 'EXECUTED', 'PAYOUT_CONFIRMED'])
})

test('two workers that see one return book the returned funds once', async () => {
  const made = await make(money.offRamp)
  await settleEverything(money)
  const kept = async () =>
    (await api.app.ledger.returnedFunds(api.app.database, money.organizationId, money.onRamp.customerId))[0]?.posted ??
    0n
  const before = await kept()
  expect((await api.post(`/sandbox/transactions/${made.transactionId}/return`)).status).toBe(200)
  const stopped = makeStopped()
  const returning = stopped.payOut()
  await stopped.arrived
  await endLeases(money, 'payouts')
  await untilIdle(workers.payOut)
  stopped.letGo()
  await returning
  expect((await kept()) - before).toBe(995n)
  await settleEverything(money)
  expect(await readTransaction(api, made)).toMatchObject({ failureReason: 'destination_returned_funds' })
})

test('more callers than connections, all busy for seconds: callers wait, and none gets an error', async () => {
  const made = await make()
  const letGo = await hold(made)
  const cancelled = Array.from({ length: 16 }, () => cancel(made))
  await untilWaiting(8)
  const read = api.get(`/transactions/${made.transactionId}`)
  // Longer than the connection timeout.
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  await letGo()
  expect((await Promise.all(cancelled)).map(({ status }) => status).sort()).toEqual([200, ...Array(15).fill(409)])
  expect((await read).status).toBe(200)
})

const customer = { organizationId: money.organizationId, customerId: money.offRamp.customerId }
const decide = () => api.app.database.inTx((tx) => wakeStoppedWork(tx, customer))

test.each([
  ['blocked', (customerIds: readonly string[]) => new Set(customerIds)],
  ['free', () => new Set<string>()],
])(
  'a reviewer decides while a worker finds the customer %s: the payout is re-checked and paid once',
  async (_, blocked) => {
    const created = await make(money.offRamp)
    await untilIdle(workers.advanceAll)
    const findBlocked = async (_transaction: unknown, _organizationId: string, customerIds: readonly string[]) => {
      await decide()
      return blocked(customerIds)
    }
    await takeOver(money, { screening: { findBlocked } })
      .payOut()
      .catch((error) => expect(error).toBeInstanceOf(LeaseLost))
    expect(
      await rows(`select status, attempts, due_at <= svc.now() as "isDue" from svc.payouts
                 where transaction_id = '${created.transactionId}'`),
    ).toEqual([{ status: 'WAITING', attempts: 0, isDue: true }])
    await settleEverything(money)
    expect(await readTransaction(api, created)).toMatchObject({ transactionStatus: 'COMPLETED' })
  },
)

test('a reviewer decides while a worker finds the sender blocked: the held deposit is re-checked at once', async () => {
  const created = await make()
  await pay(money, created)
  await untilIdle(takeOver(money, { screening: { isBlocked: async () => true } }).receive)
  const held = `select status, due_at <= svc.now() as "isDue" from svc.deposits
                 where transaction_id = '${created.transactionId}'`
  await advance(api, 'PT2M')
  expect(await rows(held)).toEqual([{ status: 'HELD', isDue: true }])
  const isBlocked = async () => {
    await decide()
    return true
  }
  await takeOver(money, { screening: { isBlocked } }).release()
  expect(await rows(held)).toEqual([{ status: 'HELD', isDue: true }])
  await settleEverything(money)
})
