import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { seededRandom } from '../support/cutting-proxy.ts'
import { rounds } from '../support/form.ts'
import { createMany, pay, seed, settleEverything, startMoney, workerSettings } from '../support/money-stories.ts'
import { startMortal } from '../support/mortal.ts'
import { readTransaction, type Transaction } from '../support/transactions.ts'

const kills = rounds({ short: 5, long: 15 })
const random = seededRandom(seed)
// A process that froze in a database transaction holds its locks for half a minute, and no longer.
const patience = { timeout: 60_000, interval: 100 }
const money = await startMoney()
const { api, rows } = money

/** Two that spend from a wallet, and two whose money was just seen at a bank. */
async function makeWork(): Promise<Transaction[]> {
  const spending = await createMany(money, money.offRamp, 2)
  const waiting = await createMany(money, money.onRamp, 2)
  for (const transaction of waiting) await pay(money, transaction)
  return [...spending, ...waiting]
}

async function expectAllCompleted(transactions: readonly Transaction[]): Promise<void> {
  for (const transaction of transactions) {
    const { transactionStatus, statusHistory } = await readTransaction(api, transaction)
    expect(transactionStatus, `seed ${seed}`).toBe('COMPLETED')
    expect(statusHistory.map(({ status }) => status)).toEqual([
      ...[transaction.transactionStatus, 'PROCESSING', 'COMPLETED'],
    ])
  }
}

// biome-ignore format: a table is read by column
const points: [when: string, point: string, mostTimes: number][] = [
  ['after it claimed what was seen at a bank',         'sightings claimed',                 1],
  ['before it committed a deposit',                    'deposit about to be committed',     2],
  ['after it committed a deposit',                     'sighting carried on',               2],
  ['after it claimed transactions',                    'transactions claimed',              1],
  ['before it committed the step of a transaction',    'transaction about to be committed', 4],
  ['after it committed the step of a transaction',     'transaction carried on',            4],
  ['after it claimed payouts',                         'payouts claimed',                   2],
  ['after it committed that it is going to pay',       'payouts started',                   1],
  ['after it sent a payout, before it recorded that',  'payout sent',                       4],
  ['after it heard of a payout, before recording it',  'payout answered',                   4],
  ['after it recorded what it knows of a payout',      'payout carried on',                 4],
]

test.each(points)(
  'a worker killed %s: the next one pays once, tells once and leaves nothing undone',
  async (...row) => {
    const [, point, mostTimes] = row
    const made: Transaction[] = []
    for (let kill = 1; kill <= kills; kill += 1) {
      made.push(...(await makeWork()))
      const dieAt = { point, times: 1 + Math.floor(random() * mostTimes) }
      const [, signal] = await once(startMortal(api, { settings: workerSettings, dieAt }).child, 'exit')
      expect(signal, `seed ${seed}`).toBe('SIGKILL')
    }
    await settleEverything(money)
    await expectAllCompleted(made)
  },
  300_000,
)

/** Where it stops, and what it would do next without the right to. */
// biome-ignore format: a table is read by column
const stops: [point: string, next: string][] = [
  ['sightings claimed',    'sighting carried on'],
  ['transactions claimed', 'transaction carried on'],
  ['payouts started',      'payout carried on'],
  ['payout sent',          'payout carried on'],
  ['payout answered',      'payout carried on'],
]

test.each(stops)(
  'a worker that was stopped at "%s" past its lease changes nothing when it goes on',
  async (...row) => {
    const [point, next] = row
    const made = await makeWork()
    const dieAt = { point, times: 1, by: 'SIGSTOP' } as const
    const zombie = startMortal(api, { settings: workerSettings, dieAt })
    await zombie.passes(point)
    const worker = await api.app.startWorker()
    onTestFinished(() => worker.stop())
    const statuses = async () =>
      new Set((await Promise.all(made.map((each) => readTransaction(api, each)))).map((each) => each.transactionStatus))
    await expect.poll(statuses, patience).toEqual(new Set(['COMPLETED']))
    const state = () =>
      rows(`select transaction_id::text as id, status, version, step, due_at, lease_until, fence from svc.transactions
           union all select payout_id::text, status, attempts, purpose, due_at, lease_until, fence from svc.payouts
           union all select external_id, asset, 0, method, due_at, lease_until, fence from svc.sightings
           union all select event_id::text, type, resource_version, resource_id, null, null, 0 from svc.events
           union all select posting_id::text, reference, 0, '', null, null, 0 from svc.postings order by id`)
    const before = await state()
    zombie.child.kill('SIGCONT')
    await zombie.passes(next)
    expect(await state()).toEqual(before)
    zombie.child.kill('SIGKILL')
    await worker.stop()
    await settleEverything(money)
  },
  120_000,
)
