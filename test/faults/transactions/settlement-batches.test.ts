import { expect, test } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { startRound } from '../../../src/db/fair-claims.ts'
import type { Rail } from '../../../src/transactions/payouts/rail.ts'
import { completeInTx } from '../../../src/transactions/payouts/settlement.ts'
import { claimPayouts } from '../../../src/transactions/payouts/store.ts'
import {
  createMany,
  endLeases,
  makeCounterparty,
  pay,
  settleEverything,
  startMoney,
  takeOver,
  untilIdle,
} from '../../support/money/money-stories.ts'
import { readTransaction, type Transaction } from '../../support/money/transactions.ts'

/** Batches of confirmations that arrive together: all of them are recorded together, and none blocks another. */
const money = await startMoney()
const { api, rows } = money
const count = 12

/** Payouts that the rail has accepted. It confirms all of them at the same time. */
async function makeSent(): Promise<Transaction[]> {
  const made = await createMany(money, money.offRamp, count)
  // A failure here would only show as payouts that were not accepted.
  const { advanceAll, payOut } = takeOver(money, { onFailure: console.error })
  await untilIdle(advanceAll)
  await payOut()
  return made
}

/** A worker whose rail answers polls only when it has received all of them, after the test has intervened. */
function makeWorker(intervene: () => Promise<unknown>) {
  const counterparties = makeCounterparty(api.app, api.app.database)
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  let polls = 0
  const slowDown = (counterparty: Rail): Rail => ({
    ...counterparty,
    ask: async (...asked) => {
      const answer = await counterparty.ask(...asked)
      polls += 1
      if (polls === count) await intervene().finally(open)
      await gate
      return answer
    },
  })
  let databaseTransactions = 0
  const database: Database = {
    ...api.app.database,
    inTx: (work) => {
      databaseTransactions += 1
      return api.app.database.inTx(work)
    },
  }
  return {
    ...takeOver(money, { rails: counterparties.map(slowDown), database }),
    countDatabaseTransactions: () => databaseTransactions,
  }
}

const statuses = async (made: readonly Transaction[]) =>
  (await Promise.all(made.map((each) => readTransaction(api, each)))).map(({ transactionStatus }) => transactionStatus)
const all = (status: string) => Array.from({ length: count }, () => status)
const isOf = ({ transactionId }: Transaction) => `transaction_id = '${transactionId}'`

test('confirmations that arrive together are recorded in one database transaction', async () => {
  const made = await makeSent()
  const worker = makeWorker(async () => {})
  await worker.payOut()
  expect(await statuses(made)).toEqual(all('COMPLETED'))
  expect(worker.countDatabaseTransactions()).toBe(1)
  await settleEverything(money)
})

test('a payout that another worker has claimed since drops out alone', async () => {
  const made = await makeSent()
  const taken = made.at(-1) as Transaction
  const worker = makeWorker(() => rows(`update svc.payouts set fence = fence + 1 where ${isOf(taken)}`))
  await worker.payOut()
  expect(await statuses(made)).toEqual([...all('COMPLETED').slice(1), 'PROCESSING'])
  expect(worker.countDatabaseTransactions()).toBe(1)
  await endLeases(money, 'payouts')
  await settleEverything(money)
})

test('a payout that cannot be recorded blocks no other and changes nothing', async () => {
  const made = await makeSent()
  const broken = made.at(-1) as Transaction
  const setStatus = (status: string) => rows(`update svc.transactions set status = '${status}' where ${isOf(broken)}`)
  await makeWorker(() => setStatus('CANCELLED')).payOut()
  expect(await statuses(made.slice(0, -1))).toEqual(all('COMPLETED').slice(1))
  expect(await rows(`select status from svc.transactions where ${isOf(broken)}`)).toEqual([{ status: 'CANCELLED' }])
  expect(await rows(`select status from svc.payouts where ${isOf(broken)}`)).toEqual([{ status: 'SENT' }])
  await setStatus('PROCESSING')
  await settleEverything(money)
  expect(await statuses(made)).toEqual(all('COMPLETED'))
})

test('a payout that two loops of one worker confirm together counts once', async () => {
  const made = await createMany(money, money.onRamp, 2)
  for (const transaction of made) await pay(money, transaction)
  const { receive, advanceAll, payOut } = takeOver(money, {})
  await untilIdle(receive)
  await untilIdle(advanceAll)
  await payOut()
  const { database, ledger } = api.app
  const claim = async () => {
    const wanted = { limit: made.length, leaseMs: 60_000, methods: ['BASE'] } as const
    return (await claimPayouts(database, wanted, startRound())).map((payout) => {
      const payment = { externalReference: `sandbox-${payout.payoutId}`, amount: BigInt(payout.amount), costs: [] }
      return { payout, payment }
    })
  }
  const late = await claim()
  await endLeases(money, 'payouts')
  const confirmations = [...late, ...(await claim())]
  const currencyOf = () => {
    throw new Error('a confirmation shows no deposit')
  }
  const deps = { database, ledger, currencyOf, onPoint: () => {} }
  const areHeld = await database.inTx((tx) => completeInTx(deps, tx, confirmations))
  expect(areHeld).toEqual([false, false, true, true])
  // Checks liquidity against the ledger.
  await settleEverything(money)
})
