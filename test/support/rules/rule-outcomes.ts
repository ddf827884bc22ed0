import type { Change } from '../money/balance-history.ts'
import type { Amount } from './rule-wishes.ts'
import { placeOfTurn, type Turn, walletSteps } from './threshold-replay.ts'

export type ExecutedRun = { wallet: string; finishedAt: Date; amount: bigint; terms: readonly Amount[] }

/** Units of a token with six decimals. */
export const smallestUnits = (amount: string): bigint => unitsOf(amount, 6)

/** In ten-thousandths of a percent, or in smallest units. */
function unitsOf(value: string, scale: number): bigint {
  const [whole = '', fraction = ''] = value.split('.')
  return BigInt(whole + fraction.padEnd(scale, '0'))
}

const isMeant = (available: bigint, amount: bigint, { type, value }: Amount) =>
  amount === (type === 'FLAT' ? unitsOf(value, 6) : (available * unitsOf(value, 4)) / 1_000_000n)

/** Finds the runs, in rule order, that together spent this amount; each applies its terms to the rest before it. */
function findSpenders(before: bigint, spent: bigint, runs: readonly ExecutedRun[]): ExecutedRun[] | undefined {
  if (spent === 0n) return []
  for (const [place, run] of runs.entries()) {
    if (run.amount > spent || !run.terms.some((terms) => isMeant(before, run.amount, terms))) continue
    const others = findSpenders(before - run.amount, spent - run.amount, runs.slice(place + 1))
    if (others) return [run, ...others]
  }
  return undefined
}

/**
 * Finds a run that overtook others of its turn: a worker quoted it after them, lost its lease, and another worker
 * reserved their amounts later.
 */
function findOvertaker(before: bigint, spent: bigint, runs: readonly ExecutedRun[]): ExecutedRun[] {
  const found = runs.find((run) => {
    const rests = runs
      .filter((other) => other !== run)
      .reduce((all, { amount }) => all.concat(all.map((rest) => rest - amount)), [before])
    return run.amount === spent && rests.some((rest) => run.terms.some((terms) => isMeant(rest, spent, terms)))
  })
  return found ? [found] : []
}

const isSome = (runs: readonly ExecutedRun[]) => runs.length > 0

/**
 * Compares what left a wallet with what its rules say they moved. Only rules spend here, so the two must be the same
 * amounts, in each turn, and each must be what its rule's terms make of the balance before it.
 */
export function compareSpending(history: readonly Change[], turns: readonly Turn[], runs: readonly ExecutedRun[]) {
  const wrong: string[] = []
  const left = new Set(runs)
  const turnOf = (moment: Date) => placeOfTurn(turns, moment)
  const turnOfRun = new Map(runs.map((run) => [run, turnOf(run.finishedAt)]))
  for (const wallet of new Set(history.map(({ row }) => row.holder ?? ''))) {
    const steps = walletSteps(history, wallet).map((step) => ({ ...step, turn: turnOf(step.at) }))
    for (const [place, { at, before, after, turn }] of steps.entries()) {
      if (after < 0n) wrong.push(`${wallet} has ${after} available at ${at.toISOString()}`)
      if (after >= before) continue
      const own = [...left].filter((run) => run.wallet === wallet && turnOfRun.get(run) === turn)
      // A credit may have arrived between the balance check and the reserve.
      const looks = steps.slice(0, place + 1).filter((step) => step.turn === turn)
      const spent = before - after
      const spenders = looks
        .reverse()
        .map((look) => findSpenders(look.before, spent, own) ?? findOvertaker(look.before, spent, own))
        .find(isSome)
      if (!spenders) wrong.push(`${spent} of ${before} left ${wallet} at ${at.toISOString()}, for no run`)
      for (const run of spenders ?? []) left.delete(run)
    }
  }
  return [...wrong, ...[...left].map((run) => `a run of ${run.wallet} moved ${run.amount}, which never left`)]
}
