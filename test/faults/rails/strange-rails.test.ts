import { afterEach, expect, test } from 'vitest'
import { readClock } from '../../../src/db/business-clock.ts'
import { newId } from '../../../src/lib/ids.ts'
import type { OrderFacts, RailAnswer, SubmitOutcome } from '../../../src/transactions/payouts/rail.ts'
import { createMany, endLeases, startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import {
  advance,
  availableIn,
  expectVerified,
  readTransaction,
  type Transaction,
} from '../../support/money/transactions.ts'
import { confirmedAs, type TestRail } from '../../support/rails/test-rail.ts'
import { first } from '../../support/runner/first.ts'

/** Rails that contradict themselves, repeat themselves and forget: money moves once, and none is invented. */
const money = await startMoney()
const { api, rows } = money
const { advanceAll } = takeOver(money, {})
afterEach(async () => {
  await expectVerified(api)
  // Otherwise the rail of the next test would be polled about the payouts of this one.
  await rows('update svc.payouts set due_at = null')
})

const accepted: SubmitOutcome = { outcome: 'ACCEPTED' }
const lost: SubmitOutcome = { outcome: 'UNKNOWN', why: 'the connection was lost' }
const dead: RailAnswer = { state: 'DEAD', proof: 'the bank has rejected the file' }
const unknown: RailAnswer = { state: 'NOT_KNOWN' }

type Answer = RailAnswer | ((order: OrderFacts) => RailAnswer)
const confirmed: Answer = ({ amount }) => confirmedAs('bank-1', amount)

/** A rail that gives these answers in turn, repeats the last one, and counts sends and polls. */
function makeRail(sends: readonly SubmitOutcome[], answers: readonly Answer[]) {
  const [toSend, toAsk] = [[...sends], [...answers]]
  const counted = { sends: 0, asks: 0 }
  const next = <Said>(list: Said[]): Said => (list.length > 1 ? list.shift() : list[0]) as Said
  const rail: TestRail = {
    send: async () => {
      counted.sends += 1
      return next(toSend)
    },
    ask: async (order) => {
      counted.asks += 1
      const answer = next(toAsk)
      return typeof answer === 'function' ? answer(order) : answer
    },
  }
  return { ...takeOver(money, { rail }), counted }
}

/** Processes all due payouts this many times, with this much time between. */
async function payOften({ payOut }: ReturnType<typeof takeOver>, times: number, pause: string): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await payOut()
    await advance(api, pause)
  }
}

async function makeOwed(amount = '10'): Promise<Transaction> {
  const made = await createMany(money, { ...money.offRamp, from: [money.wallet, 'USDC', 'BASE', amount] }, 1)
  await untilIdle(advanceAll)
  return first(made)
}
const payoutOf = async ({ transactionId }: Transaction) =>
  (
    await rows<{ status: string; attempts: number; isDue: boolean }>(
      `select status, attempts, due_at is not null as "isDue" from svc.payouts
        where transaction_id = '${transactionId}' and purpose = 'PAYOUT'`,
    )
  )[0]
const returnedFunds = async () =>
  (await api.app.ledger.returnedFunds(api.app.database, money.organizationId, money.onRamp.customerId))[0]?.posted ?? 0n

test('a payout that the rail does not know is never retried, and completes when the rail knows it', async () => {
  const before = await availableIn(api, money.wallet)
  const made = await makeOwed()
  const late = makeRail([lost], [unknown, unknown, unknown, confirmed])
  await payOften(late, 6, 'PT5M')
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'COMPLETED' })
  expect(await availableIn(api, money.wallet)).toBe(String((Number(before) - 10).toFixed(6)))
  expect(late.counted.sends).toBe(1)
})

test('an attempt that was accepted and then proven dead is followed by another, which may be refused', async () => {
  const before = await availableIn(api, money.wallet)
  const made = await makeOwed()
  const twice = makeRail([accepted, { outcome: 'REFUSED', reason: 'closed' }], [{ state: 'PENDING' }, dead])
  await payOften(twice, 4, 'PT5M')
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'FAILED' })
  expect(await availableIn(api, money.wallet)).toBe(before)
  expect(twice.counted.sends).toBe(2)
})

test('a rail that does not know the reference is asked ever less often', async () => {
  const made = await makeOwed()
  const deaf = makeRail([lost], [unknown])
  await payOften(deaf, 64, 'PT1S')
  expect(deaf.counted).toEqual({ sends: 1, asks: expect.any(Number) })
  expect(deaf.counted.asks).toBeLessThan(9)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'PROCESSING' })
  await payOften(makeRail([accepted], [dead, confirmed]), 3, 'PT5M')
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'COMPLETED' })
})

test('a rail names the moment of the next question', async () => {
  await makeOwed()
  const askAgainAt = new Date((await readClock(api.app.database)).now.getTime() + 3_600_000)
  const closed = makeRail([{ outcome: 'ACCEPTED', askAgainAt }], [confirmed])
  await payOften(closed, 5, 'PT5M')
  expect(closed.counted.asks).toBe(0)
  await advance(api, 'PT1H')
  await closed.payOut()
  expect(closed.counted.asks).toBe(1)
})

test('a rail that pays another amount than ordered raises the alarm, and the payout stays open', async () => {
  const made = await makeOwed()
  const wrong = makeRail([accepted], [({ amount }) => confirmedAs('bank-1', amount - 1n)])
  await payOften(wrong, 2, 'PT1M')
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'PROCESSING' })
  const contradicted = await rows(`select from svc.payouts where contradicted_at is not null
    and transaction_id = '${made.transactionId}'`)
  expect(contradicted).toHaveLength(1)
  await rows('update svc.payouts set contradicted_at = null')
  await payOften(makeRail([accepted], [confirmed]), 2, 'PT5M')
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'COMPLETED' })
})

test('a halt of payouts during a send: the rail is asked, and a new attempt leaves only after the halt ends', async () => {
  const made = await makeOwed()
  const deaf = makeRail([lost, accepted], [dead, dead, confirmed])
  await deaf.payOut()
  await api.app.database.query({
    text: `insert into svc.payout_halts (halt_id, violated) values ($1, '{a test}')`,
    values: [newId()],
  })
  await payOften(deaf, 1, 'PT1M')
  expect(deaf.counted).toEqual({ sends: 1, asks: 1 })
  expect(await payoutOf(made)).toMatchObject({ status: 'SENDING', attempts: 1 })
  await api.app.database.query({ text: `update svc.payout_halts set resumed_at = now(), resume_reason = 'a test'` })
  await payOften(deaf, 3, 'PT1M')
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'COMPLETED' })
  expect(deaf.counted.sends).toBe(2)
})

test.each([
  { state: 'REFUSED', reason: 'late' } as const,
  { state: 'DEAD', proof: 'late' } as const,
  { state: 'NOT_KNOWN' } as const,
  { state: 'PENDING' } as const,
])('after the confirmation %o changes nothing, and polling ends with the return period', async (said) => {
  const made = await makeOwed()
  const rail = makeRail([accepted], [confirmed, said])
  await payOften(rail, 3, 'PT1S')
  expect(await payoutOf(made)).toMatchObject({ status: 'CONFIRMED', isDue: true })
  await payOften(rail, 8, 'P1D')
  await api.app.rates.refresh()
  expect(rail.counted.asks).toBeLessThan(9)
  expect(await payoutOf(made)).toMatchObject({ status: 'CONFIRMED', isDue: false })
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'COMPLETED' })
})

test.each([
  ['more than was paid', 1_000_000n, 0n],
  ['nothing', 0n, 0n],
  ['the payout less a fee', 900n, 900n],
])('a bank returns %s', async (_what, amount, kept) => {
  const made = await makeOwed()
  const before = await returnedFunds()
  const returns = [{ returnId: 'one', reason: 'account_closed', amount }]
  const back: Answer = (order) => ({
    state: 'CONFIRMED',
    externalReference: 'b',
    amount: order.amount,
    costs: [],
    returns,
  })
  // The rail reports the return at once and repeatedly: the payout is confirmed first, and returned once.
  await payOften(makeRail([accepted], [back]), 4, 'P1D')
  await api.app.rates.refresh()
  expect((await returnedFunds()) - before).toBe(kept)
  const transactionStatus = kept > 0n ? 'FAILED' : 'COMPLETED'
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus })
  // The repayment is as much as was returned, and no more.
  const path = `/transactions/${made.transactionId}/resolve`
  const answer = await api.post(path, { action: 'PAY_AGAIN', reason: 'a test' })
  const repayment = { repaymentStatus: 'PENDING', repaymentAmount: '9.00' }
  expect(answer).toMatchObject(kept > 0n ? { status: 200, body: { repayment } } : { status: 409 })
  await payOften(makeRail([accepted], [confirmed]), 3, 'PT1S')
  expect((await returnedFunds()) - before).toBe(0n)
})

test('a return that the rail tells with the confirmation is recorded at once', async () => {
  const made = await makeOwed()
  const returns = [{ returnId: 'one', reason: 'account_closed', amount: 900n }]
  const back: Answer = ({ amount }) => ({ state: 'CONFIRMED', externalReference: 'b', amount, costs: [], returns })
  const { payOut } = makeRail([accepted], [back])
  await untilIdle(payOut)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'FAILED' })
})

test('the late answer of the rail to a replaced worker is ignored', async () => {
  const made = await makeOwed()
  const { promise: answer, resolve: say } = Promise.withResolvers<SubmitOutcome>()
  const { promise: asked, resolve: heard } = Promise.withResolvers<void>()
  const slow: TestRail = {
    send: () => {
      heard()
      return answer
    },
    ask: async () => ({ state: 'PENDING' }),
  }
  const replaced = takeOver(money, { rail: slow }).payOut()
  await asked
  await endLeases(money, 'payouts')
  await takeOver(money, { rail: slow }).payOut()
  say({ outcome: 'REFUSED', reason: 'too late' })
  await replaced
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'PROCESSING' })
  const arrived: TestRail = { ...slow, ask: async ({ amount }) => confirmedAs('bank-1', amount) }
  await untilIdle(takeOver(money, { rail: arrived }).payOut)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'COMPLETED' })
})

// The last test: it leaves the customer REJECTED.
test('a dead attempt of a customer who is REJECTED since is not followed by another', async () => {
  const made = await makeOwed()
  const deaf = makeRail([lost, accepted], [dead, confirmed])
  await deaf.payOut()
  const rejection = await api.post(`/sandbox/customers/${money.offRamp.customerId}/verification`, { outcome: 'REJECT' })
  expect([rejection.status, rejection.body.customerStatus]).toEqual([200, 'REJECTED'])
  await payOften(deaf, 1, 'PT1M')
  expect(deaf.counted).toEqual({ sends: 1, asks: 1 })
  expect(await payoutOf(made)).toMatchObject({ status: 'SENDING', attempts: 1, isDue: true })
  await payOften(deaf, 1, 'PT1M')
  expect(deaf.counted).toEqual({ sends: 1, asks: 2 })
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'COMPLETED' })
})
