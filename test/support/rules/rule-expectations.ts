import { expect } from 'vitest'
import type { Change } from '../money/balance-history.ts'
import { readTransaction } from '../money/transactions.ts'
import type { TestApi } from '../runner/api.ts'
import { seed } from '../runner/form.ts'
import { compareSpending, type ExecutedRun, smallestUnits } from './rule-outcomes.ts'
import type { Foreseen, OwnedRule, RuleOwner } from './rule-owner.ts'
import type { Run } from './rules.ts'
import { replayThreshold, walletSteps } from './threshold-replay.ts'

const hour = 3_600_000
const coolDown = (at: Date) => new Date(at.getTime() + hour)

async function allRuns(api: TestApi, { id }: OwnedRule): Promise<Run[]> {
  const found: Run[] = []
  let pageToken = ''
  do {
    const { status, body } = await api.get(`/automation-rules/${id}/runs?pageSize=100&pageToken=${pageToken}`)
    expect(status).toBe(200)
    found.push(...body.runs)
    pageToken = body.nextPageToken
  } while (pageToken)
  return found
}

/** Expects each scheduled rule to have exactly the runs of the model. */
export async function expectSchedulesKept(api: TestApi, { rules, model }: RuleOwner): Promise<void> {
  let total = 0
  for (const rule of rules) {
    if (rule.body.trigger.type !== 'TIME_BASED') continue
    const [optional, expected] = [model.optional(rule.id), model.expected(rule.id)]
    const minutes = (await allRuns(api, rule)).map(({ scheduledFor }) => scheduledFor).sort()
    const shown = `seed ${seed}: ${rule.id} ${rule.body.trigger.cronSchedule}`
    expect(new Set(minutes).size, shown).toBe(minutes.length)
    expect(
      minutes.filter((minute) => !optional.has(minute) || expected.includes(minute)),
      shown,
    ).toEqual(expected)
    total += expected.length
  }
  expect(total, `seed ${seed}`).toBeGreaterThan(0)
}

/** How often a balance was found above a threshold and made a run, and how often it was not. */
export type ThresholdCases = { fired: number; notFired: number }

/** Expects the runs of threshold rules to follow from the balances of their wallets; answers the cases it met. */
export async function expectThresholdsKept(
  api: TestApi,
  { rules, turns }: RuleOwner,
  history: Change[],
): Promise<ThresholdCases> {
  const wrong: string[] = []
  const seen = { fired: 0, notFired: 0 }
  const lives: Awaited<ReturnType<typeof lifeOf>>[] = []
  for (const rule of rules) lives.push(await lifeOf(api, rule))
  for (const { rule, runs, failures } of lives) {
    const { trigger } = rule.body
    if (trigger.type !== 'THRESHOLD_BASED') continue
    const movedNothing = runs.filter(({ runStatus }) => runStatus !== 'EXECUTED')
    const moved = runs
      .filter(({ runStatus }) => runStatus === 'EXECUTED')
      .map(({ finishedAt = '' }) => Date.parse(finishedAt))
    const hasJustMoved = (at: Date) => moved.some((then) => then <= at.getTime() && then >= at.getTime() - hour)
    const siblings = lives.filter((other) => other.rule.at.wallet === rule.at.wallet && other.rule !== rule)
    const returned = [...failures, ...siblings.flatMap((other) => other.failures).filter(hasJustMoved)]
    const replay = replayThreshold(history, turns, {
      id: rule.id,
      wallet: rule.at.wallet,
      threshold: smallestUnits(trigger.thresholdAmount),
      returned,
      runs: runs.map(({ scheduledFor }) => new Date(scheduledFor)),
      again: [...movedNothing.map(({ finishedAt = '' }) => new Date(finishedAt)), ...returned].map(coolDown),
    })
    wrong.push(...replay.wrong.map((what) => `${rule.id} at ${what}`))
    seen.fired += replay.fired
    seen.notFired += replay.notFired
  }
  expect(wrong, `seed ${seed}`).toEqual([])
  return seen
}

/** The history of a rule, and the times at which transactions of its runs failed. */
async function lifeOf(api: TestApi, rule: OwnedRule) {
  const runs = await allRuns(api, rule)
  return { rule, runs, failures: await failuresOf(api, runs) }
}

async function failuresOf(api: TestApi, runs: readonly Run[]): Promise<Date[]> {
  const made = runs.filter(({ transactionId }) => transactionId !== undefined)
  const transactions = await Promise.all(made.map(({ transactionId = '' }) => readTransaction(api, { transactionId })))
  const failures = transactions.flatMap(({ statusHistory }) =>
    statusHistory.filter(({ status }) => status === 'FAILED'),
  )
  return failures.map(({ at }) => new Date(at))
}

/** Expects each wallet to have lost exactly the amounts of its runs, by the terms of that moment. */
export async function expectSpending(api: TestApi, { rules, turns }: RuleOwner, history: Change[]): Promise<void> {
  const executed: ExecutedRun[] = []
  for (const rule of rules) {
    for (const { runStatus, sourceAmount = '0', finishedAt = '' } of await allRuns(api, rule)) {
      expect(runStatus, `seed ${seed}: ${rule.id}`).not.toBe('PENDING')
      if (runStatus !== 'EXECUTED') continue
      const finished = new Date(finishedAt)
      const turn = turns.findIndex(({ at }) => at >= finished)
      const begin = turns[turn - 1]?.at ?? new Date(0)
      // The terms in force at the start of the turn, and those set during it.
      const terms = rule.amounts.filter(
        ({ since }, place) => since <= finished && (rule.amounts[place + 1]?.since ?? finished) > begin,
      )
      executed.push({
        wallet: rule.at.wallet,
        finishedAt: finished,
        amount: smallestUnits(sourceAmount),
        terms: terms.map(({ amount }) => amount),
      })
    }
  }
  expect(compareSpending(history, turns, executed), `seed ${seed}`).toEqual([])
}

/** Expects the preview to match the runs, except after unforeseen credits. */
export async function expectForeseen(
  api: TestApi,
  { rules }: RuleOwner,
  history: Change[],
  foreseen: readonly (Foreseen & { until: Date })[],
): Promise<number> {
  let compared = 0
  for (const { rule, since, until, runs } of foreseen) {
    const isWithin = (at: Date) => at > since && at <= until
    const { wallet } = rule.at
    const isRaised = walletSteps(history, wallet).some(({ at, before, after }) => isWithin(at) && after > before)
    const others = rules.filter(({ at, body }) => at.wallet === wallet && body.trigger.type === 'THRESHOLD_BASED')
    const surprises = (await Promise.all(others.map((other) => allRuns(api, other)))).flat()
    if (isRaised || surprises.some(({ scheduledFor }) => isWithin(new Date(scheduledFor)))) continue
    const happened = (await allRuns(api, rule)).filter(({ scheduledFor }) => isWithin(new Date(scheduledFor))).reverse()
    const shown = happened.map(({ scheduledFor, runStatus, reason, sourceAmount }) => ({
      scheduledFor,
      runStatus,
      ...(reason ? { reason } : {}),
      ...(sourceAmount ? { sourceAmount } : {}),
    }))
    const expected = runs.filter(({ scheduledFor }) => isWithin(new Date(scheduledFor)))
    expect(shown, `seed ${seed}: ${rule.id}`).toEqual(expected.map(({ destinationAmount, ...run }) => run))
    compared += shown.length
  }
  return compared
}
