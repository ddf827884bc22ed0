import type { Change } from '../money/balance-history.ts'

/** A part of the simulation, which ends when nothing is due. */
export type Turn = {
  at: Date
  /** How often the service had to check a rule for other reasons than its balance. */
  looks: ReadonlyMap<string, number>
  /** Rules ACTIVE at the end of the turn, and rules stopped during it. */
  active: ReadonlySet<string>
  stopped: ReadonlySet<string>
}

export type WaitingRule = {
  id: string
  wallet: string
  threshold: bigint
  runs: readonly Date[]
  /**
   * The times at which funds of its own transactions were returned, which is no reason to retry at once; and those of other
   * rules of its wallet, if it had moved something itself in the hour before.
   */
  returned: readonly Date[]
  /** The times at which a worker may have re-checked it, after a return or after a run that moved nothing. */
  again: readonly Date[]
}

/** The turn of a moment: the first that ended at or after it. */
export function placeOfTurn(turns: readonly Turn[], moment: Date): number {
  let [low, high] = [0, turns.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((turns[middle] as Turn).at < moment) low = middle + 1
    else high = middle
  }
  return low
}

/** Groups things by their turn once, because a year has thousands of turns. */
function inTurns<Thing>(turns: readonly Turn[], things: readonly Thing[], at: (thing: Thing) => Date): Thing[][] {
  const found: Thing[][] = turns.map(() => [])
  for (const thing of things) found[placeOfTurn(turns, at(thing))]?.push(thing)
  return found
}

/** Every change of a wallet's available balance, in order. */
export function walletSteps(history: readonly Change[], wallet: string) {
  let before = 0n
  return history
    .filter(({ table, row }) => table === 'ledger_accounts' && row.kind === 'WALLET' && row.holder === wallet)
    .map(({ at, row }) => {
      const step = { at, before, after: BigInt(row.posted ?? 0) - BigInt(row.reserved ?? 0) }
      before = step.after
      return step
    })
}

export type Replay = { wrong: string[]; fired: number; notFired: number }

/**
 * Replays the balances of a wallet and reports where the runs of a rule do not follow from them: a run without a cause,
 * or a missing run although the balance sufficed at every possible check.
 */
export function replayThreshold(history: readonly Change[], turns: readonly Turn[], rule: WaitingRule): Replay {
  const { id, threshold } = rule
  const steps = inTurns(turns, walletSteps(history, rule.wallet), (step) => step.at)
  const [runs, looksAgain, returned] = [rule.runs, rule.again, rule.returned].map((moments) =>
    inTurns(turns, moments, (moment) => moment),
  ) as [Date[][], Date[][], Date[][]]
  const replay: Replay = { wrong: [], fired: 0, notFired: 0 }
  let [available, since] = [0n, new Date(0)]
  for (const [place, { at, looks, active, stopped }] of turns.entries()) {
    const countOf = (moments: Date[][]) => moments[place]?.length ?? 0
    let causes = looks.get(id) ?? 0
    const seen = [{ available, since }]
    let sinceCause = [available]
    for (const { at: changedAt, before, after } of steps[place] ?? []) {
      if (after > before) causes += 1
      if (after > before) sinceCause = []
      available = after
      since = changedAt
      seen.push({ available, since })
      sinceCause.push(available)
    }
    const [fired, again] = [countOf(runs), countOf(looksAgain)]
    const isEnough = (value: bigint) => value >= threshold
    const tell = (what: string) => {
      const had = seen.map((balance) => `${balance.available} since ${balance.since.toISOString()}`).join(', ')
      const ran = (runs[place] ?? []).map((run) => run.toISOString()).join(', ') || 'never'
      replay.wrong.push(`${at.toISOString()}: ${what}; it had ${had}, waits for ${threshold} and ran ${ran}`)
    }
    if (!active.has(id) && !stopped.has(id) && fired > 0) tell('fired while it was not ACTIVE')
    if (fired > causes + again) tell(`fired ${fired} times for ${causes + again} reasons`)
    if (fired > 0 && !seen.some((balance) => isEnough(balance.available))) tell('fired below its threshold')
    const isPutOff = again > 0 || countOf(returned) > 0
    const mustFire = causes > 0 && !isPutOff && active.has(id) && sinceCause.every(isEnough)
    if (fired === 0 && mustFire) tell('did not fire')
    if (fired > 0) replay.fired += 1
    if (fired === 0 && causes > 0 && active.has(id)) replay.notFired += 1
  }
  return replay
}
