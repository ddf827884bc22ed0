import { expect, test } from 'vitest'
import {
  createMany,
  pay,
  settleEverything,
  startMoney,
  takeOver,
  unfinished,
  untilIdle,
} from '../../support/money/money-stories.ts'
import { advance, readTransaction, sendDeposit, type Transaction } from '../../support/money/transactions.ts'
import type { Answer } from '../../support/runner/api.ts'
import { form, playRounds, roundsTimeoutMs } from '../../support/runner/form.ts'

/** Callers and workers act on the same transactions at the same moment: one wins each race. */
const money = await startMoney()
const { api, rows } = money
const workers = takeOver(money, {})
const many = form === 'short' ? 32 : 64
const turns = { short: 1, full: 20 }

const cancel = ({ transactionId }: Transaction) => api.post(`/transactions/${transactionId}/cancel`)
const four = (work: () => Promise<number>) => Array.from({ length: 4 }, () => untilIdle(work))
/** Workers take the oldest first; callers start with the newest, so that they collide in the middle. */
async function cancelFromTheEnd(made: readonly Transaction[]): Promise<Answer[]> {
  const [left, answers]: [Transaction[], Answer[]] = [[...made].sort(byAge), []]
  const caller = async () => {
    for (let next = left.pop(); next; next = left.pop()) answers[made.indexOf(next)] = await cancel(next)
  }
  await Promise.all(Array.from({ length: 8 }, caller))
  return answers
}
const byAge = (one: Transaction, other: Transaction) => (one.transactionId < other.transactionId ? -1 : 1)
const outcomes = (made: readonly Transaction[]) => Promise.all(made.map((each) => readTransaction(api, each)))

/** Expects every answer to be 200 for a cancelled transaction or 409 for any other. */
async function expectToldTheTruth(made: readonly Transaction[], answers: readonly Answer[]): Promise<number> {
  const found = await outcomes(made)
  for (const [at, { status, body }] of answers.entries()) {
    const isCancelled = found[at]?.transactionStatus === 'CANCELLED'
    expect([status, body.error]).toEqual(isCancelled ? [200, undefined] : [409, 'TRANSACTION_NOT_CANCELLABLE'])
  }
  const cancelled = found.filter(({ transactionStatus }) => transactionStatus === 'CANCELLED').length
  return cancelled
}

test(
  'cancellation against deposit: either the deposit counts, or the transaction is cancelled and refunded',
  async () => {
    await playRounds(turns, async () => {
      const made = await createMany(money, money.onRamp, many)
      // Workers start with the oldest, callers with the newest.
      const paying = [...made].sort(byAge)
      const payer = async () => {
        for (let next = paying.shift(); next; next = paying.shift()) await pay(money, next)
      }
      const paid = [payer(), payer(), payer(), payer()]
      const [answers] = await Promise.all([cancelFromTheEnd(made), Promise.all(paid), ...four(workers.receive)])
      await untilIdle(workers.receive)
      const cancelled = await expectToldTheTruth(made, answers as Answer[])
      const returns = await rows<{ id: string }>(`select payout_id as id from svc.payouts as payout
      join svc.transactions using (organization_id, transaction_id)
      where purpose = 'RETURN' and transactions.status = 'CANCELLED' and payout.status = 'WAITING'`)
      expect(returns).toHaveLength(cancelled)
      await settleEverything(money)
    })
  },
  roundsTimeoutMs,
)

test(
  'cancellation against a worker: the transaction is either paid, or cancelled with its funds released',
  async () => {
    await playRounds(turns, async () => {
      const made = await createMany(money, money.offRamp, many)
      const [answers] = await Promise.all([cancelFromTheEnd(made), ...four(workers.advanceAll)])
      const cancelled = await expectToldTheTruth(made, answers)
      expect(await rows(`select from svc.payouts where purpose = 'PAYOUT' and status = 'WAITING'`)).toHaveLength(
        many - cancelled,
      )
      await settleEverything(money)
    })
  },
  roundsTimeoutMs,
)

test(
  'expiry against deposit: a deposit before the deadline counts, a later one is refunded',
  async () => {
    await playRounds(turns, async () => {
      const made = await createMany(money, money.onRamp, many)
      const [early, late] = [made.slice(0, many / 2), made.slice(many / 2)]
      await Promise.all(early.map((each) => pay(money, each)))
      await advance(api, 'P8D')
      await api.app.rates.refresh()
      await Promise.all([
        ...late.map((each) => pay(money, each)),
        ...four(workers.advanceAll),
        ...four(workers.receive),
        ...four(workers.advanceAll),
      ])
      await settleEverything(money)
      for (const each of await outcomes(early))
        expect(each).toMatchObject({ transactionStatus: 'COMPLETED', labels: [] })
      for (const each of await outcomes(late)) {
        expect(each).toMatchObject({
          transactionStatus: 'EXPIRED',
          labels: ['LATE'],
          refund: { refundStatus: 'COMPLETED' },
        })
      }
    })
  },
  roundsTimeoutMs,
)

test(
  'of many conflicting decisions about one deposit one takes effect',
  async () => {
    await playRounds(turns, async () => {
      const [made] = await createMany(money, money.onRamp, 1)
      const referenceId = await sendDeposit(api, money.bank, { amount: '10.00', currency: 'USD', rail: 'ACH' })
      await untilIdle(workers.receive)
      const [deposit] = await rows<{ id: string }>(
        `select deposit_id as id from svc.deposits where external_id = '${referenceId}'`,
      )
      const decisions = [
        { action: 'RETURN' },
        { action: 'CREDIT' },
        { action: 'APPLY', transactionId: made?.transactionId },
      ]
      const answers = await Promise.all(
        Array.from({ length: many }, (_, at) =>
          api.post(`/deposits/${deposit?.id}/resolve`, { ...decisions[at % decisions.length], reason: 'a test' }),
        ),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(many - 1)
      if (made) await cancel(made)
      await settleEverything(money)
    })
  },
  roundsTimeoutMs,
)

test(
  'concurrent returns of one payout are booked once',
  async () => {
    await playRounds(turns, async () => {
      const [made] = await createMany(money, money.offRamp, 1)
      await settleEverything(money)
      const returnFunds = () => api.post(`/sandbox/transactions/${made?.transactionId}/return`)
      const answers = await Promise.all([
        ...Array.from({ length: many }, returnFunds),
        ...Array.from({ length: 4 }, () => untilIdle(workers.payOut)),
      ])
      for (const answer of answers) if (answer) expect([200, 409]).toContain(answer.status)
      await untilIdle(workers.payOut)
      expect(await rows(unfinished)).toEqual([])
      expect(made && (await readTransaction(api, made))).toMatchObject({
        transactionStatus: 'FAILED',
        failureReason: 'destination_returned_funds',
      })
      await settleEverything(money)
    })
  },
  roundsTimeoutMs,
)
