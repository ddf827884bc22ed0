import { expect, test } from 'vitest'
import type { Rail } from '../../../src/transactions/payouts/rail.ts'
import { seededRandom } from '../../support/faults/cutting-proxy.ts'
import { createMany, startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import { advance } from '../../support/money/transactions.ts'
import { makeRailSimulator, type RailSimulator, simulatedFailure } from '../../support/rails/rail-simulator.ts'
import { playRounds, roundsTimeoutMs, seed } from '../../support/runner/form.ts'

/**
 * Payouts through a bank with eventual consistency, each with a random schedule: requests that arrive late or never,
 * lost replies, a bank that does not know what it has, reports that come late and twice, returns in parts.
 */
const money = await startMoney()
const { api, rows } = money
const random = seededRandom(seed)
const schedulesPerRound = 20
const mostDays = 60

type Outcome = { reference: string; status: string; attempts: number; returned: string; isPolled: boolean }

/** Plays schedules to their end; answers what the books and the bank say of each. */
async function playSchedules(change: (rail: Rail) => Rail = (rail) => rail) {
  await api.app.rates.refresh()
  let nowMs = Date.parse((await advance(api, 'PT1S')).body.now)
  const simulator = makeRailSimulator(random, () => nowMs)
  const failures: unknown[] = []
  const onFailure = (error: unknown) => {
    if ((error as Error).message !== simulatedFailure) failures.push(error)
  }
  const hands = takeOver(money, { rails: [change(simulator.rail)], onFailure })
  const made = await createMany(money, money.offRamp, schedulesPerRound)
  await untilIdle(hands.advanceAll)
  const hop = async (seconds: number, payOut: () => Promise<unknown> = hands.payOut) => {
    nowMs = Date.parse((await advance(api, `PT${seconds}S`)).body.now)
    await payOut()
    for (const report of simulator.drawReports()) await hands.reports.receive(report)
    await hands.reports.applyDue(100, 500)
  }
  for (let step = 0; step < 25; step += 1) await hop(1 + Math.floor(random() * (random() < 0.7 ? 30 : 1_800)))
  const ids = made.map(({ transactionId }) => `'${transactionId}'`).join()
  const countPolled = () => rows(`select from svc.payouts where transaction_id in (${ids}) and due_at is not null`)
  // Every return comes within four days, and every poll may fail: the workers stop polling when they have seen it all.
  for (let day = 0; day < mostDays && (await countPolled()).length > 0; day += 1) {
    await hop(86_400, () => untilIdle(hands.payOut))
  }
  const outcomes =
    await rows<Outcome>(`select payout_id as reference, status, attempts, due_at is not null as "isPolled",
      coalesce(returned_amount, 0)::text as returned from svc.payouts where transaction_id in (${ids})
     and purpose = 'PAYOUT'`)
  return { outcomes, simulator, failures }
}

/** Expects every invariant of money. */
async function expectMoneyVerified(): Promise<void> {
  const { checks } = await api.app.verify()
  expect(checks.filter(({ ok, isMoney }) => isMoney && !ok)).toEqual([])
}

/** Lists the obligations that were paid twice, lost, or recorded otherwise than they happened. */
function findWrong({ outcomes, simulator }: { outcomes: readonly Outcome[]; simulator: RailSimulator }): string[] {
  const truth = simulator.truth()
  return outcomes.flatMap(({ reference, status, returned, isPolled }) => {
    const real = truth.get(reference)
    const payments = real?.payments ?? 0
    const isPaid = status === 'CONFIRMED' || status === 'RETURNED'
    if (payments > 1) return [`${reference} was paid ${payments} times`]
    if (isPaid !== (payments === 1)) return [`${reference} is ${status}, and was paid ${payments} times`]
    if (!isPaid && status !== 'REFUSED') return [`${reference} is still ${status}`]
    if (isPolled) return [`${reference} is still polled`]
    return BigInt(returned) === (real?.returned ?? 0n) ? [] : [`${reference} was returned with ${real?.returned}`]
  })
}

test('no schedule of a rail pays twice or loses an obligation', { timeout: roundsTimeoutMs }, async () => {
  const seen = { attempts: 0, returned: 0, refused: 0 }
  const play = async (round: number) => {
    const played = await playSchedules()
    expect(findWrong(played), `seed ${seed}`).toEqual([])
    expect(played.failures, `seed ${seed}`).toEqual([])
    for (const { status, attempts } of played.outcomes) {
      seen.attempts = Math.max(seen.attempts, attempts)
      if (status === 'RETURNED') seen.returned += 1
      if (status === 'REFUSED') seen.refused += 1
    }
    if (round % 20 === 0) await expectMoneyVerified()
  }
  await playRounds({ short: 2, full: 500 }, play)
  // Plays on until the schedules have met what they are about: a few may miss it.
  const hasMetAll = () => seen.attempts > 1 && seen.returned > 0 && seen.refused > 0
  for (let more = 1; more < 15 && !hasMetAll(); more += 1) await play(more)
  expect(hasMetAll(), `seed ${seed}: ${JSON.stringify(seen)}`).toBe(true)
  await expectMoneyVerified()
})

test('control: with NOT_KNOWN treated as DEAD, the same schedules pay twice', async () => {
  const hasty = (rail: Rail): Rail => ({
    ...rail,
    ask: async (...asked) => {
      const answer = await rail.ask(...asked)
      return answer.state === 'NOT_KNOWN' ? { state: 'DEAD', proof: 'the rail does not know it' } : answer
    },
  })
  const wrong: string[] = []
  const isPaidTwice = (what: string) => /^\S+ was paid \d+ times$/.test(what)
  for (let round = 0; round < 5 && !wrong.some(isPaidTwice); round += 1)
    wrong.push(...findWrong(await playSchedules(hasty)))
  expect(wrong.filter(isPaidTwice), `seed ${seed}`).not.toEqual([])
})
