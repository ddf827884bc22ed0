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

/** Callers and workers reach for the same transactions at the same moment: one of them wins each, and all of it adds up. */
const money = await startMoney()
const { api, rows } = money
const workers = takeOver(money, {})
const many = form === 'short' ? 32 : 64
const turns = { short: 1, full: 20 }

const cancel = ({ transactionId }: Transaction) => api.post(`/transactions/${transactionId}/cancel`)
const four = (work: () => Promise<number>) => Array.from({ length: 4 }, () => untilIdle(work))
/** Workers take the oldest first: coming from the other end, the callers meet them in the middle. */
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

/** A caller who was told 200 cancelled it, one who was told 409 did not: there is no other answer. */
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
  'cancel against deposit: it counts and cannot be cancelled, or it is cancelled and the money goes back',
  async () => {
    await playRounds(turns, async () => {
      const made = await createMany(money, money.onRamp, many)
      // Oldest first, and the callers come from the other end.
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
  'cancel against a worker: it is taken and paid, or it is cancelled and available again',
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
  'the end of the time against deposit: what came in time counts, what came later goes back',
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
  'many people decide about one deposit, each otherwise: one is heard, and the money goes one way',
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
  'many returns of one payout, while workers look: the money comes back once',
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
