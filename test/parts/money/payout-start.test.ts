import { expect, test } from 'vitest'
import type { Tx } from '../../../src/db/database.ts'
import { startRound } from '../../../src/db/fair-claims.ts'
import { newId } from '../../../src/lib/ids.ts'
import { payoutMoves } from '../../../src/transactions/payouts/payout.ts'
import { expeditePayouts, recordScreening, startPayouts } from '../../../src/transactions/payouts/start-store.ts'
import {
  type ClaimedPayout,
  claimPayouts,
  postponePayouts,
  withdrawPayouts,
} from '../../../src/transactions/payouts/store.ts'
import { wakeStoppedWork } from '../../../src/transactions/resolutions/store.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'

type Row = [
  purpose: 'PAYOUT' | 'REFUND' | 'REPAYMENT',
  amount: number,
  heldAt?: string | undefined,
  lackingMinutes?: number,
]

const shared = await makeDatabase()

/** Stores waiting payouts of `usd-main`, in the order of the rows but with ids in the opposite order if `isReversed`. */
async function makePayouts(rows: readonly Row[], { available = 0, isReversed = false, isOneTransaction = false } = {}) {
  const database = openForTest(shared.app)
  const owner = openForTest({ connection: shared.owner })
  const [organizationId, customerId, transactionId] = [newId(), newId(), newId()]
  await owner.query({ text: 'update svc.payouts set due_at = null where due_at is not null' })
  await owner.query({
    text: 'insert into svc.liquidity (organization_id, holding, asset, available) values ($1, $2, $3, $4)',
    values: [organizationId, 'usd-main', 'USD', available],
  })
  const ids = rows.map(() => newId())
  if (isReversed) ids.reverse()
  for (const [index, [purpose, amount, heldAt, lackingMinutes]] of rows.entries()) {
    await owner.query({
      text: `insert into svc.payouts (organization_id, payout_id, transaction_id, customer_id, purpose, method, asset,
                    amount, payment_account_id, pays_from, held_at, status, due_at, created_at, lacks_liquidity_since, seal)
             values ($1, $2, $3, $4, $5, 'ACH', 'USD', $6, $4, 'usd-main', $7, 'WAITING', svc.now(), svc.now(),
                    svc.now() - $8 * interval '1 minute', '')`,
      values: [
        organizationId,
        ids[index],
        isOneTransaction ? transactionId : newId(),
        customerId,
        purpose,
        amount,
        heldAt ?? null,
        lackingMinutes ?? null,
      ],
    })
  }
  const claimed = await claimPayouts(database, { limit: 20, leaseMs: 60_000, methods: ['ACH'] }, startRound())
  const start = (payouts: readonly ClaimedPayout[]) =>
    database.inTx((tx) => startPayouts(tx, payoutMoves.start, payouts, 60))
  const readAvailable = async () => {
    const text = 'select available from svc.liquidity where organization_id = $1'
    return (await owner.query<{ available: string }>({ text, values: [organizationId] }))[0]?.available
  }
  return { database, owner, organizationId, customerId, transactionId, claimed, start, readAvailable }
}

// biome-ignore format: a table is read by column
test.each<[string, Row[], number, string[], number]>([
  ['the oldest payout first',                  [['PAYOUT', 60], ['PAYOUT', 50]],                                       100, ['PAYOUT 60'],                  40],
  ['a smaller one if the oldest is too large', [['PAYOUT', 80], ['PAYOUT', 50]],                                        70, ['PAYOUT 50'],                  20],
  ['money owed elsewhere before payouts',      [['PAYOUT', 60], ['REFUND', 50, 'usd-other']],                          100, ['REFUND 50'],                  50],
  ['money owed at the same account always',    [['PAYOUT', 60], ['REFUND', 50, 'usd-main']],                             0, ['REFUND 50'],                   0],
  ['no younger payout after ten minutes',      [['PAYOUT', 80, undefined, 11], ['PAYOUT', 10]],                         50, [],                             50],
  ['a younger payout within ten minutes',      [['PAYOUT', 80, undefined, 9], ['PAYOUT', 10]],                          50, ['PAYOUT 10'],                  40],
  ['an older payout after ten minutes',        [['PAYOUT', 10], ['PAYOUT', 80, undefined, 11]],                         50, ['PAYOUT 10'],                  40],
  ['a refund after ten minutes',               [['PAYOUT', 80, undefined, 11], ['REPAYMENT', 20, 'usd-other']],         50, ['REPAYMENT 20'],               30],
  ['the first in line, then the next',         [['PAYOUT', 80, undefined, 11], ['PAYOUT', 10], ['PAYOUT', 5]],          92, ['PAYOUT 80', 'PAYOUT 10'],      2],
])('liquidity goes to %s', async (_, rows, available, expected, left) => {
  const { claimed, start, readAvailable } = await makePayouts(rows, { available })
  const started = (await start(claimed)).map(({ purpose, amount }) => `${purpose} ${amount}`)
  expect(started.sort()).toEqual([...expected].sort())
  expect(await readAvailable()).toBe(String(left))
})

test('a payout that waits elsewhere keeps its place as well', async () => {
  const { claimed, start } = await makePayouts(
    [
      ['PAYOUT', 80, undefined, 11],
      ['PAYOUT', 10],
    ],
    { available: 50 },
  )
  expect(await start(claimed.slice(1))).toEqual([])
})

test('a payout that another worker has claimed since takes no liquidity, and does not stop the others', async () => {
  const { owner, claimed, start, readAvailable } = await makePayouts(
    [
      ['PAYOUT', 60],
      ['PAYOUT', 30],
    ],
    { available: 100 },
  )
  const [lost, kept] = claimed
  await owner.query({ text: 'update svc.payouts set fence = fence + 1 where payout_id = $1', values: [lost?.payoutId] })
  expect((await start(claimed)).map(({ payoutId }) => payoutId)).toEqual([kept?.payoutId])
  expect(await readAvailable()).toBe('70')
})

test.each([
  ['of its asset', 'USD', false],
  ['of the deployment', null, false],
  ['of another asset', 'EUR', true],
] as const)('a halt %s that a check records before the start commits counts', async (_, asset, isStarted) => {
  const { owner, claimed, start } = await makePayouts([['PAYOUT', 60]], { available: 100 })
  const halt = newId()
  await owner.query({
    text: `insert into svc.payout_halts (halt_id, asset, violated) values ($1, $2, '{a test}')`,
    values: [halt, asset],
  })
  expect(await start(claimed)).toHaveLength(isStarted ? 1 : 0)
  await owner.query({ text: 'delete from svc.payout_halts where halt_id = $1', values: [halt] })
})

test('the start of payouts reads no posting and no entry', async () => {
  const { database, claimed } = await makePayouts(
    [
      ['PAYOUT', 60],
      ['REFUND', 30, 'usd-other'],
    ],
    { available: 100 },
  )
  const read = await database.inTx(async (tx) => {
    await startPayouts(tx, payoutMoves.start, claimed, 60)
    return tx.query<{ name: string }>({
      text: `select relname as name from pg_stat_xact_user_tables
              where schemaname = 'svc' and coalesce(seq_scan, 0) + coalesce(idx_scan, 0) > 0 order by relname`,
    })
  })
  expect(read.map(({ name }) => name)).toEqual([
    'bank_recalls',
    'clock',
    'deposit_reversals',
    'liquidity',
    'payout_attempts',
    'payout_halts',
    'payout_preparations',
    'payouts',
    'policy_rules',
  ])
})

type Setup = Awaited<ReturnType<typeof makePayouts>>
const purposes = ['PAYOUT', 'REFUND', 'REPAYMENT'] as const

test.each<[string, (tx: Tx, setup: Setup) => Promise<unknown>]>([
  ['start', (tx, { claimed }) => startPayouts(tx, payoutMoves.start, claimed, 60)],
  ['postpone', (tx, { claimed }) => postponePayouts(tx, claimed, 60)],
  ['record the screening of', (tx, { claimed }) => recordScreening(tx, claimed, 1)],
  ['wake', (tx, setup) => wakeStoppedWork(tx, setup)],
  ['expedite', (tx, setup) => expeditePayouts(tx, setup, purposes)],
  ['withdraw', (tx, setup) => withdrawPayouts(tx, setup, payoutMoves.withdraw, purposes, 'a test')],
])('workers that %s several payouts lock them in the order of their ids', async (_, act) => {
  const rows: Row[] = [
    ['PAYOUT', 1],
    ['REFUND', 1, 'usd-other'],
    ['REPAYMENT', 1, 'usd-other'],
  ]
  const setup = await makePayouts(rows, { available: 10, isReversed: true, isOneTransaction: true })
  const { database, owner, claimed, organizationId } = setup
  const lock = (payout: ClaimedPayout | undefined) => ({
    text: 'select from svc.payouts where organization_id = $1 and payout_id = $2 for update nowait',
    values: [organizationId, payout?.payoutId],
  })
  let acting: Promise<unknown> | undefined
  await owner.inTx(async (tx) => {
    await tx.query(lock(claimed[0]))
    acting = database.inTx((other) => act(other, setup))
    await eventually(async () => {
      const text = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      expect(await owner.query({ text })).toHaveLength(1)
    })
    await tx.query(lock(claimed.at(-1)))
  })
  await acting
})
