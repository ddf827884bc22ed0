import { expect, onTestFinished, test } from 'vitest'
import { recordTransfers } from '../../../src/db/counterparty-memory.ts'
import { type Database, openDatabase } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import { seededRandom, startCuttingProxy, startDatabaseProxy } from '../../support/faults/cutting-proxy.ts'
import {
  createMany,
  endLeases,
  makeCounterparty,
  pay,
  settleEverything,
  startMoney,
  takeOver,
  unfinished,
  untilIdle,
} from '../../support/money/money-stories.ts'
import { findOrders, makeOrders, order, orderAll, resolveUnknown } from '../../support/money/payers.ts'
import { createQuote } from '../../support/money/quotes.ts'
import { advance, readTransaction } from '../../support/money/transactions.ts'
import { makeDatabaseWithAddresses } from '../../support/money/wallets.ts'
import type { TestRail } from '../../support/rails/test-rail.ts'
import { playRounds, roundsTimeoutMs, seed } from '../../support/runner/form.ts'

const inRound = 64
const turns = { short: 1, full: 15 }
const random = seededRandom(seed)
const money = await startMoney()
const { api, rows } = money

test(
  'replies lost between client and API lose no acknowledged order and duplicate no unknown one',
  async () => {
    const { hostname, port } = new URL(api.baseUrl)
    const proxy = await startCuttingProxy({ host: hostname, port: Number(port) }, random)
    onTestFinished(proxy.close)
    await playRounds(turns, async (round) => {
      const name = `client-${round}`
      proxy.setRate(0)
      const orders = await makeOrders(money, name, inRound)
      proxy.setRate(0.15)
      const history = await orderAll(`http://127.0.0.1:${proxy.port}`, api.apiKey, orders)
      const wereCommitted = await findOrders(money, name)
      const heardNothing = [...history.unknown].filter(({ correlationId }) => wereCommitted.has(correlationId))
      expect(heardNothing.length, `seed ${seed}: nothing was cut`).toBeGreaterThan(0)
      await resolveUnknown(money, name, history)

      // Negative control: a retry with a new quote and a new key pays twice.
      for (const { correlationId } of heardNothing) {
        const { quoteId } = await createQuote(api, money.offRamp)
        await order(api.baseUrl, api.apiKey, { quoteId, key: newId(), correlationId })
      }
      const after = await findOrders(money, name)
      for (const { correlationId } of heardNothing) expect(after.get(correlationId)).toHaveLength(2)
      await settleEverything(money)
    })
  },
  roundsTimeoutMs,
)

test(
  'replies lost between the database and API or workers: each transaction is paid once, and none is stuck',
  async () => {
    const database = await makeDatabaseWithAddresses()
    const { proxy, connection } = await startDatabaseProxy(database.app.connection, random)
    const money = await startMoney({}, { database: { ...database, app: { ...database.app, connection } } })
    const { api } = money
    await playRounds(turns, async (round) => {
      const name = `database-${round}`
      const orders = await makeOrders(money, name, inRound)
      for (const transaction of await createMany(money, money.onRamp, 16)) await pay(money, transaction)
      const worker = await api.app.startWorker()
      const cutsBefore = proxy.cuts()
      proxy.setRate(0.03)
      const history = await orderAll(api.baseUrl, api.apiKey, orders)
      // The orders share few replies; the worker's own queries go on until one is cut.
      await expect.poll(() => proxy.cuts(), { message: `seed ${seed}: nothing was cut` }).toBeGreaterThan(cutsBefore)
      proxy.setRate(0)
      await worker.stop()
      await resolveUnknown(money, name, history)
      await settleEverything(money)
    })
    await proxy.close()
  },
  roundsTimeoutMs,
)

test('when every commit reply to a worker is lost, no work is repeated or rescheduled', async () => {
  const { database } = api.app
  const deaf: Database = {
    ...database,
    inTx: async (work) => {
      await database.inTx(work)
      throw new Error('Connection terminated unexpectedly')
    },
  }
  const [refused, expired, short] = [
    await createMany(money, { ...money.offRamp, from: [money.wallet, 'USDC', 'BASE', '10.66'] }, 2),
    await createMany(money, money.onRamp, 2),
    await createMany(money, money.onRamp, 2),
  ]
  for (const transaction of short) await pay(money, transaction, '5.00')
  const workers = takeOver(money, { database: deaf })
  await untilIdle(workers.receive)
  await advance(api, 'P8D')
  const left = async () => {
    for (const work of [workers.receive, workers.advanceAll, workers.payOut]) await work().catch(() => 0)
    for (const table of ['sightings', 'transactions', 'payouts']) await endLeases(money, table)
    await advance(api, 'PT1M')
    return money.rows(unfinished)
  }
  await expect.poll(left, { interval: 50 }).toEqual([])
  await settleEverything(money)
  const statuses = async (made: typeof refused) =>
    Promise.all(made.map(async (each) => (await readTransaction(api, each)).transactionStatus))
  expect(await statuses(refused)).toEqual(['FAILED', 'FAILED'])
  expect(await statuses(expired)).toEqual(['EXPIRED', 'EXPIRED'])
  expect(await statuses(short)).toEqual(['FAILED', 'FAILED'])
  await api.app.rates.refresh()
})

test('replies lost between worker and rail: each obligation is paid once', async () => {
  const { proxy, connection } = await startDatabaseProxy(api.database.app.connection, random)
  const memory = openDatabase({ ...api.database.app, connection, connections: 4 })
  const rails = makeCounterparty(api.app, memory)
  const workers = takeOver(money, { rails })
  // A batch is one request to the rail, so there are many small ones.
  for (let round = 0; round < 10; round += 1) {
    proxy.setRate(0)
    await createMany(money, money.offRamp, 4)
    await untilIdle(workers.advanceAll)
    proxy.setRate(0.5)
    await workers.payOut()
    // A lost request is dead after ten seconds.
    await advance(api, 'PT4S')
  }
  proxy.setRate(0)
  expect(proxy.cuts(), `seed ${seed}: nothing was cut`).toBeGreaterThan(0)
  await settleEverything(money)

  // Negative control: a rail that calls an attempt dead although it has paid it.
  const transfer = { behaviour: 'SETTLE', notAfter: '2100-01-01', settlesInSeconds: 0 } as const
  const forgetful: TestRail = {
    send: async ({ amount }) => {
      await recordTransfers(memory, [{ ...transfer, reference: newId(), amount: String(amount) }])
      return { outcome: 'UNKNOWN', why: 'the reply was lost' }
    },
    ask: async () => ({ state: 'DEAD', proof: 'none' }),
  }
  await createMany(money, money.offRamp, 1)
  await untilIdle(workers.advanceAll)
  const careless = takeOver(money, { rail: forgetful })
  for (let round = 0; round < 3; round += 1) await careless.payOut()
  const paid = await rows(`select from svc.sandbox_transfers where has_arrived
    and not exists (select from svc.payouts where payout_id = reference)`)
  expect(paid.length).toBeGreaterThan(1)
  await memory.close()
  await proxy.close()
})
