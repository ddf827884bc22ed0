import { expect, test } from 'vitest'
import { findPayoutCommand } from '../../../src/commands/payouts.ts'
import { newId } from '../../../src/lib/ids.ts'
import type { OrderFacts, RailAnswer } from '../../../src/transactions/payouts/rail.ts'
import {
  createMany,
  endLeases,
  pay as payIn,
  startMoney,
  takeOver,
  untilIdle,
} from '../../support/money/money-stories.ts'
import {
  advance,
  availableIn,
  expectVerified,
  readTransaction,
  type Transaction,
  timelineOf,
} from '../../support/money/transactions.ts'
import { confirmedAs, type TestRail } from '../../support/rails/test-rail.ts'
import { testMasterKey } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'
import { readMetric } from '../../support/runner/metrics.ts'
import { makeDataFolder, svc, urlOf } from '../../support/runner/process.ts'

/** A payout whose outcome the rail never tells: the operator of the deployment asks the bank, and records it. */
const money = await startMoney()
const { api, wallet, onRamp, offRamp } = money
const { receive, advanceAll } = takeOver(money, {})
const { manualSettlements } = api.app
const reason = 'The bank has answered by letter'

/** A rail that accepts each payout, and gives the same answer to each poll. */
const answering = (answer: (order: OrderFacts) => RailAnswer, onAsk = async () => {}): TestRail => ({
  send: async () => ({ outcome: 'ACCEPTED' }),
  ask: async (order) => {
    await onAsk()
    return answer(order)
  },
})
const pay = (rail: TestRail) => untilIdle(takeOver(money, { rail }).payOut)
const silent = answering(() => ({ state: 'PENDING' }))
const paid = answering(({ amount }) => confirmedAs('bank-1', amount))

async function stuckPayout(): Promise<{ created: Transaction; payoutId: string }> {
  await api.app.rates.refresh()
  const created = first(await createMany(money, offRamp, 1))
  await untilIdle(advanceAll)
  await takeOver(money, { rail: silent }).payOut()
  const text = `select payout_id as "payoutId", status from svc.payouts where transaction_id = '${created.transactionId}'`
  const { payoutId, status } = first(await money.rows<{ payoutId: string; status: string }>(text))
  expect(status).toBe('SENT')
  return { created, payoutId }
}

async function run(...args: string[]) {
  const command = svc(['payouts', ...args], {
    DATABASE_URL: urlOf(api.database.owner),
    SVC_MASTER_KEY: testMasterKey.toString('base64'),
    SVC_DATA_DIR: await makeDataFolder(),
    SVC_SANDBOX_BANK: 'memory',
  })
  return { code: await command.exited, output: command.output() }
}

test('an operator settles a stuck payout as refused with --yes, and it is refunded once', async () => {
  const before = await availableIn(api, wallet)
  const { created, payoutId } = await stuckPayout()
  expect(await manualSettlements.listStuck()).toEqual([])
  await advance(api, 'PT1H1S')
  expect((await run('list', '--stuck')).output).toContain(payoutId)
  const wanted = ['settle', payoutId, '--outcome', 'refused', '--reference', 'letter-7', '--reason', reason]
  const warned = await run(...wanted)
  expect([warned.code, warned.output]).toEqual([1, expect.stringContaining('paid twice')])
  expect(await readTransaction(api, created)).toMatchObject({ transactionStatus: 'PROCESSING' })
  expect((await run(...wanted, '--yes')).code).toBe(0)
  const failed = { transactionStatus: 'FAILED', failureReason: 'destination_refused_funds' }
  expect(await readTransaction(api, created)).toMatchObject(failed)
  expect(await availableIn(api, wallet)).toBe(before)
  const repeated = await manualSettlements.settle({ payoutId, outcome: 'refused', reference: 'letter-7', reason })
  expect(repeated).toEqual({ result: 'KNOWN', status: 'REFUSED' })
  const acts = await money.rows(`select actor, details from svc.audit where subject_id = '${payoutId}'`)
  expect(acts).toEqual([{ actor: 'command line', details: { outcome: 'refused', reference: 'letter-7' } }])
  await expectVerified(api)

  // The bank pays after all: an alarm until an operator acknowledges it.
  await advance(api, 'P1DT1S')
  await pay(paid)
  expect(await readMetric(api, 'svc_payouts_contradicted')).toBe('1')
  expect((await api.get('/readyz', { apiKey: null })).body.concerns).toContain('PAYOUTS_CONTRADICTED')
  expect(await manualSettlements.listContradicted()).toMatchObject([{ payoutId, status: 'REFUSED' }])
  expect(await readTransaction(api, created)).toMatchObject(failed)
  const { destinationAmount: amount } = created.destination
  const contradicted = { outcome: 'CONTRADICTED', state: 'CONFIRMED', amount, currency: { label: 'USD' } }
  expect((await timelineOf(api, created)).map(({ details }) => details)).toContainEqual(
    expect.objectContaining(contradicted),
  )
  expect(await manualSettlements.acknowledge({ payoutId, reason })).toBe(true)
  expect(await manualSettlements.acknowledge({ payoutId, reason })).toBe(false)
  expect(await readMetric(api, 'svc_payouts_contradicted')).toBe('0')
  await expectVerified(api)
})

test('an operator settles a stuck payout as confirmed, and a rail that then refuses it is reported', async () => {
  const { created, payoutId } = await stuckPayout()
  const settled = await manualSettlements.settle({ payoutId, outcome: 'confirmed', reference: 'wire-9', reason })
  expect(settled).toEqual({ result: 'SETTLED' })
  expect(await readTransaction(api, created)).toMatchObject({
    transactionStatus: 'COMPLETED',
    destination: { destinationReferenceId: 'wire-9' },
  })
  await expectVerified(api)
  await advance(api, 'P1DT1S')
  await pay(answering(() => ({ state: 'REFUSED', reason: 'account_closed' })))
  expect(await manualSettlements.listContradicted()).toMatchObject([{ payoutId, status: 'CONFIRMED' }])
  expect(await readTransaction(api, created)).toMatchObject({ transactionStatus: 'COMPLETED' })
  expect(await manualSettlements.acknowledge({ payoutId, reason })).toBe(true)
  expect(await manualSettlements.settle({ payoutId: newId(), outcome: 'confirmed', reference: 'x', reason })).toEqual({
    result: 'UNKNOWN_PAYOUT',
  })
})

test('of an operator and a worker that polls at the same time, one records the outcome', async () => {
  const { created, payoutId } = await stuckPayout()
  const wanted = { payoutId, outcome: 'refused', reference: 'letter-8', reason } as const
  await advance(api, 'PT1H1S')
  let polls = 0
  const slow = answering(
    ({ amount }) => confirmedAs('bank-2', amount),
    async () => {
      polls += 1
      expect(await manualSettlements.settle(wanted)).toEqual({ result: 'BUSY' })
      // The lease ends before the rail answers.
      await endLeases(money, 'payouts')
      expect(await manualSettlements.settle(wanted)).toEqual({ result: 'SETTLED' })
    },
  )
  await takeOver(money, { rail: slow }).payOut()
  expect(polls).toBe(1)
  expect(await readTransaction(api, created)).toMatchObject({ transactionStatus: 'FAILED' })
  const other = await stuckPayout()
  await advance(api, 'PT1H1S')
  await pay(paid)
  expect(await manualSettlements.settle({ ...wanted, payoutId: other.payoutId })).toEqual({
    result: 'KNOWN',
    status: 'CONFIRMED',
  })
  expect(await readTransaction(api, other.created)).toMatchObject({ transactionStatus: 'COMPLETED' })
  await expectVerified(api)
})

test('a refund that waits for ever is withdrawn, and an operator names another account', async () => {
  await api.app.rates.refresh()
  const created = first(await createMany(money, onRamp, 1))
  await payIn(money, created, '5.00')
  await untilIdle(receive)
  await advance(api, 'P8D')
  await untilIdle(advanceAll)
  const text = `select payout_id as "payoutId", status from svc.payouts where transaction_id = '${created.transactionId}'`
  const { payoutId, status } = first(await money.rows<{ payoutId: string; status: string }>(text))
  expect(status).toBe('WAITING')
  const wanted = { payoutId, reference: 'letter-9', reason } as const
  expect(await manualSettlements.settle({ ...wanted, outcome: 'confirmed' })).toEqual({ result: 'KNOWN', status })
  expect(await manualSettlements.settle({ ...wanted, outcome: 'refused' })).toEqual({ result: 'SETTLED' })
  expect(await readTransaction(api, created)).toMatchObject({ refund: { refundStatus: 'WAITING_FOR_OPERATOR' } })
  await expectVerified(api)
})

test.each([
  [['settle', newId(), '--outcome', 'lost', '--reference', 'x', '--reason', reason]],
  [['settle', newId(), '--outcome', 'refused', '--reason', reason]],
  [['settle', newId(), '--outcome', 'refused', '--reference', 'x']],
  [['settle', 'x', '--outcome', 'refused', '--reference', 'x', '--reason', reason]],
  [['list']],
])('%j is no command', (args) => {
  expect(findPayoutCommand(args)).toBeUndefined()
})

test('a payout that waited for hours is not stuck in the hour after it was sent', async () => {
  await api.app.rates.refresh()
  const created = first(await createMany(money, offRamp, 1))
  await untilIdle(advanceAll)
  await advance(api, 'PT2H')
  await takeOver(money, { rail: silent }).payOut()
  const stuck = async () =>
    (await manualSettlements.listStuck()).filter(({ transactionId }) => transactionId === created.transactionId)
  expect(await stuck()).toEqual([])
  await advance(api, 'PT1H1S')
  expect(await stuck()).toHaveLength(1)
})
