import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { seededRandom } from '../../support/faults/cutting-proxy.ts'
import { startMortal } from '../../support/faults/mortal.ts'
import { createHeld, decideAs, makePeople } from '../../support/money/approvals.ts'
import {
  createMany,
  pay,
  settleEverything,
  startMoney,
  takeOver,
  unfinished,
  untilIdle,
  workerSettings,
} from '../../support/money/money-stories.ts'
import { advance, readTransaction, sendDeposit, type Transaction } from '../../support/money/transactions.ts'
import { openForTest } from '../../support/runner/database.ts'
import { form, playRounds, roundsTimeoutMs, seed } from '../../support/runner/form.ts'

const random = seededRandom(seed)
/** A short lease for the workers that stop, so that the next one does not wait long. */
const shortLease = { ...workerSettings, SVC_LEASE_MS: '150' }
const patience = { interval: 50 }
const money = await startMoney()
const { api, rows } = money

/** Two transactions that spend from a wallet, and two whose deposit a bank just reported. All of them complete. */
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
      transaction.transactionStatus,
      'PROCESSING',
      'COMPLETED',
    ])
  }
}

type Work = { make(): Promise<Transaction[]>; expect(made: readonly Transaction[]): Promise<void> }
const work: Work = { make: makeWork, expect: expectAllCompleted }

/**
 * One transaction of each failure: refused by the bank, underpaid, paid after its cancellation, overpaid, returned
 * by the bank a day later; and tokens that were held for a while.
 */
async function makeTrouble(): Promise<Transaction[]> {
  const { receive, advanceAll, payOut } = takeOver(money, {})
  const spend = async (amount: string) =>
    (await createMany(money, { ...money.offRamp, from: [money.wallet, 'USDC', 'BASE', amount] }, 1))[0]
  const returned = await spend('10.77')
  await untilIdle(advanceAll)
  const payAndRead = async () => {
    await untilIdle(payOut)
    return returned && (await readTransaction(api, returned)).transactionStatus
  }
  await expect.poll(payAndRead, patience).toBe('COMPLETED')
  const refused = await spend('10.66')
  const [short, late, over] = await createMany(money, money.onRamp, 3)
  if (!refused || !returned || !short || !late || !over) throw new Error('they were made')
  expect((await api.post(`/transactions/${late.transactionId}/cancel`)).status).toBe(200)
  await pay(money, short, '5.00')
  await pay(money, late)
  await pay(money, over, '12.00')
  const { customerId } = money.onRamp
  await untilIdle(receive)
  await api.post(`/customers/${customerId}/deactivate`, { reason: 'a test' })
  await sendDeposit(api, money.wallet, { amount: '1', currency: 'USDC', chain: 'ARBITRUM' })
  await untilIdle(receive)
  await api.post(`/customers/${customerId}/reactivate`, { reason: 'a test' })
  await advance(api, 'P8D')
  await api.app.rates.refresh()
  return [refused, returned, short, late, over]
}

async function expectTroubleOver(made: readonly Transaction[]): Promise<void> {
  const [failed, completed] = [{ transactionStatus: 'FAILED' }, { refundStatus: 'COMPLETED' }]
  const outcomes = [
    { ...failed, failureReason: 'destination_refused_funds', refund: { ...completed, refundAmount: '10.660000' } },
    { ...failed, failureReason: 'destination_returned_funds' },
    { ...failed, failureReason: 'insufficient_funds_received', refund: { ...completed, refundAmount: '5.00' } },
    { transactionStatus: 'CANCELLED', labels: ['LATE'], refund: { ...completed, refundAmount: '10.00' } },
    { transactionStatus: 'COMPLETED', labels: ['OVERPAID'], refund: { ...completed, refundAmount: '2.00' } },
  ]
  // A payout that is only watched for a return delays no other work.
  const { payOut } = takeOver(money, {})
  const due = async () => {
    await untilIdle(payOut)
    // A poll that got no answer in time is retried a minute later.
    const soon = await rows(`select from svc.payouts where due_at <= svc.now() + interval '2 minutes'`)
    if (soon.length > 0) await advance(api, 'PT1M')
    return soon
  }
  await expect.poll(due, patience).toEqual([])
  for (const [at, transaction] of made.entries()) {
    expect(await readTransaction(api, transaction), `seed ${seed}`).toMatchObject(outcomes[at % outcomes.length] ?? {})
  }
  expect(await rows(`select from svc.deposits where status = 'HELD'`)).toEqual([])
  await settleEverything(money)
}
const trouble: Work = { make: makeTrouble, expect: expectTroubleOver }

const { maker, ann } = await makePeople(api)

/** Transactions that wait for approvals: one gets it; the time of the others is over, with and without money. */
async function makeHeld(): Promise<Transaction[]> {
  const { receive } = takeOver(money, {})
  const outwards = { ...money.onRamp, to: [money.external, 'USDC', 'BASE'] } as const
  const [approved, unpaid, paid] = [
    await createHeld(money, maker, money.offRamp),
    await createHeld(money, maker, money.offRamp, { expiresInHours: 1 }),
    await createHeld(money, maker, outwards, { expiresInHours: 1 }),
  ]
  await pay(money, paid)
  await untilIdle(receive)
  expect((await decideAs(api, ann, approved)).status).toBe(200)
  await advance(api, 'PT1H')
  await api.app.rates.refresh()
  return [approved, unpaid, paid]
}

async function expectHeldOver(made: readonly Transaction[]): Promise<void> {
  const refund = { refundStatus: 'COMPLETED', refundAmount: '10.00' }
  const outcomes = [
    { transactionStatus: 'COMPLETED' },
    { transactionStatus: 'CANCELLED' },
    { transactionStatus: 'FAILED', failureReason: 'approval_expired', refund },
  ]
  for (const [at, transaction] of made.entries())
    expect(await readTransaction(api, transaction), `seed ${seed}`).toMatchObject(outcomes[at % outcomes.length] ?? {})
  expect(await rows(`select from svc.approvals where status = 'OPEN'`)).toEqual([])
}
const held: Work = { make: makeHeld, expect: expectHeldOver }

// biome-ignore format: a table is read by column
const points: [when: string, point: string, mostTimes: number, work: Work][] = [
  ['after it claimed sighted deposits',                 'sightings claimed',                      1, work],
  ['before it committed a deposit',                     'deposit about to be committed',          2, work],
  ['after it committed a deposit',                      'sighting advanced',                      2, work],
  ['after it claimed transactions',                     'transactions claimed',                   1, work],
  ['before it committed the step of a transaction',     'transaction about to be committed',      4, work],
  ['after it committed the step of a transaction',      'transaction advanced',                   4, work],
  ['after it claimed payouts',                          'payouts claimed',                        2, work],
  ['before it committed that it is going to pay',       'payouts about to be started',            1, work],
  ['after it committed that it is going to pay',        'payouts started',                        1, work],
  ['after a rail has prepared payouts',                 'payouts prepared',                       1, work],
  ['after it committed the bytes that leave',           'payouts committed',                      2, work],
  ['after it sent a payout, before it recorded that',   'payout sent',                            2, work],
  ['before it committed that a payout was accepted',    'accepted payout about to be committed',  4, work],
  ['after it polled a payout, before it recorded that', 'payout polled',                          4, work],
  ['before it committed that a payout has arrived',     'confirmed payout about to be committed', 4, work],
  ['after it recorded the state of a payout',           'payout advanced',                        4, work],
  ['before it committed an expiry',                     'expiry about to be committed',           1, trouble],
  ['before it committed that a payout was refused',     'refused payout about to be committed',   1, trouble],
  ['before it committed that a refund has arrived',     'confirmed payout about to be committed', 4, trouble],
  ['after it sent a refund, before it recorded that',   'payout sent',                            1, trouble],
  ['before it committed that a payout was returned',    'returned payout about to be committed',  1, trouble],
  ['after it claimed held deposits',                    'held deposits claimed',                  1, trouble],
  ['before it committed the release of a held deposit', 'held deposit about to be committed',     1, trouble],
  ['after it committed the release of a held deposit',  'held deposit advanced',                  1, trouble],
  ['after it claimed approvals whose time is over',     'approvals claimed',                      1, held],
  ['before it committed that an approval has expired',  'expired approval about to be committed', 2, held],
  ['after it committed that an approval has expired',   'approval advanced',                      2, held],
  ['before it committed the step of an approved one',   'transaction about to be committed',      1, held],
]

test('the table lists every crash point of the transaction worker', async () => {
  const files = await readdir('src/transactions', { recursive: true })
  // The crash points of bank files have a table of their own.
  const sources = files.filter((name) => name.endsWith('.ts') && !name.startsWith('bank-files'))
  const texts = await Promise.all(sources.map((name) => readFile(path.join('src/transactions', name), 'utf8')))
  const named = texts.flatMap((text) => [...text.matchAll(/onPoint\('([^']+)'\)/g)].map(([, point]) => point))
  expect(new Set(points.map(([, point]) => point))).toEqual(new Set(named))
})

type Point = (typeof points)[number]

/** The points in order; the timed form draws its points at random below. */
const killsOfPoint = form === 'full' ? 15 : 1

/** Ends the leases of a worker that died, so that the next one does not wait for them. */
async function endLeasesOfDead(): Promise<void> {
  const owner = openForTest({ connection: api.database.owner, connections: 1 })
  const leased = await owner.query<{ name: string }>({
    text: `select table_name as name from information_schema.columns
            where table_schema = 'svc' and column_name = 'lease_until'`,
  })
  for (const { name } of leased) {
    await owner.query({ text: `update svc.${name} set lease_until = null where lease_until is not null` })
  }
}

/**
 * Creates work for a worker that dies at the point. Its leases outlast a busy machine, and so do its calls of rails. What
 * an earlier worker left may bypass the point; then more work brings this one there.
 */
async function kill([when, point, mostTimes, { make }]: Point): Promise<Transaction[]> {
  const made = await make()
  const dieAt = { point, times: 1 + Math.floor(random() * mostTimes) }
  const { child, died } = startMortal(api, { settings: { ...workerSettings, SVC_LEASE_MS: '60000' }, dieAt })
  for (let more = 0; more < 4 && !(await hasEnded(died)); more++) made.push(...(await make()))
  expect(child.signalCode, `${when}, seed ${seed}`).toBe('SIGKILL')
  await endLeasesOfDead()
  return made
}

/** Waits for a process as long as a busy machine needs to do all its work. */
async function hasEnded(died: Promise<unknown>): Promise<boolean> {
  return Promise.race([died.then(() => true), sleep(20_000, false)])
}

test.each(points)(
  'after a worker is killed %s, the next one pays once, emits each event once and finishes all work',
  async (...row) => {
    const made: Transaction[] = []
    for (let kills = 0; kills < killsOfPoint; kills++) made.push(...(await kill(row)))
    await settleEverything(money)
    await row[3].expect(made)
  },
  roundsTimeoutMs,
)

test(
  'after many workers are killed at different points, the last one pays once and finishes all work',
  async () => {
    const kinds = [work, trouble, held].map((kind) => points.filter((row) => row[3] === kind))
    await playRounds({ short: 2, full: 150 }, async (round) => {
      const rows = kinds[round % kinds.length] ?? []
      const deadly = Array.from({ length: 2 }, () => rows[Math.floor(random() * rows.length)] as Point)
      const made: Transaction[] = []
      for (const row of deadly) made.push(...(await kill(row)))
      await settleEverything(money)
      await deadly[0]?.[3].expect(made)
    })
  },
  roundsTimeoutMs,
)

/** A process frozen inside a database transaction holds its locks for 30 s; here the server ends it sooner. */
function makeImpatientServer(): () => Promise<unknown> {
  const owner = openForTest({ connection: api.database.owner, connections: 1 })
  const text = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
                   and state = 'idle in transaction' and state_change < clock_timestamp() - interval '1 second'`
  return () => owner.query({ text })
}

/** The point at which the worker stops, and the next point it passes without a valid lease. */
// biome-ignore format: a table is read by column
const stops: [point: string, next: string][] = [
  ['sightings claimed',    'sighting advanced'],
  ['transactions claimed', 'transaction advanced'],
  ['payouts started',      'payout advanced'],
  ['payouts committed',    'payout advanced'],
  ['payout sent',          'payout advanced'],
  ['payout polled',        'payout advanced'],
]

test.each(stops)('a worker stopped at "%s" past its lease changes nothing when it continues', async (...row) => {
  const [point, next] = row
  const made = await makeWork()
  const dieAt = { point, times: 1, by: 'SIGSTOP' } as const
  const zombie = startMortal(api, { settings: shortLease, dieAt })
  await zombie.passes(point)
  const worker = await api.app.startWorker()
  onTestFinished(() => worker.stop())
  const endFrozenTransactions = makeImpatientServer()
  const statuses = async () => {
    await endFrozenTransactions()
    // The worker polls a payout that its rail does not know after 1, 3 and 7 seconds of business time.
    const postponed = await rows(`select from svc.payouts where status in ('SENDING', 'SENT') and due_at > svc.now()`)
    if (postponed.length > 0) await advance(api, 'PT10S')
    const found = await Promise.all(made.map((each) => readTransaction(api, each)))
    return new Set(found.map((each) => each.transactionStatus))
  }
  await expect.poll(statuses, patience).toEqual(new Set(['COMPLETED']))
  await expect.poll(() => rows(unfinished), patience).toEqual([])
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
})
