import { randomInt } from 'node:crypto'
import { assert, type IAsyncProperty } from 'fast-check'
import { TestRunner } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** A closing line of the run: how far a long form came, or in which round a test failed. */
    played?: string
  }
}

/**
 * How much a random test or a fault test does. `npm test`: the short form. `npm run test:faults`: as much of the full
 * form as fits into 10 seconds, and into 15 minutes for all of them. `npm run test:faults -- --full`: all of it.
 */
export type Form = 'short' | 'timed' | 'full'
export const form: Form = readForm()

/** One seed drives all randomness of a test process; SEED=… repeats a run. */
export const seed = Number(process.env.SEED ?? randomInt(1e9))

const boxMs = 10_000
/** When all timed forms of a run end, as `npm run test:faults` sets it: however many there are, the gate has an end. */
const endMs = Number(process.env.SVC_TEST_ROUNDS_END ?? Number.POSITIVE_INFINITY)

/** The time limit of a test that plays rounds: enough for the full form. */
export const roundsTimeoutMs = form === 'full' ? 6 * 3_600_000 : 45 * boxMs

function readForm(): Form {
  const asked = process.env.SVC_TEST_FORM
  if (asked === undefined || asked === 'timed' || asked === 'full') return asked ?? 'short'
  throw new Error(`SVC_TEST_FORM is timed or full, not ${asked}`)
}

export type Rounds = { short: number; full: number }

/**
 * Plays rounds of a test, counted from zero. The timed form begins no round after 10 seconds, nor after the end of all
 * timed forms, and plays at least as many as the short one.
 */
export async function playRounds({ short, full }: Rounds, play: (round: number) => Promise<void>): Promise<void> {
  const startedAt = performance.now()
  const isTimeUp = () => form === 'timed' && (performance.now() - startedAt >= boxMs || Date.now() >= endMs)
  const wanted = form === 'short' ? short : full
  let played = 0
  try {
    while (played < wanted && (played < short || !isTimeUp())) {
      await play(played)
      played += 1
    }
  } catch (error) {
    report(`failed in round ${played + 1} of ${full}`, startedAt)
    throw error
  }
  if (form !== 'short') report(`${played} of ${full} rounds`, startedAt)
}

/**
 * Checks a property that works with a database, in rounds of as many runs as the short form has. It interrupts no run:
 * one that went on behind the test would meet the end of its database. Where the runs must have met certain cases, it
 * plays rounds until they have, since neither a seed nor the speed of a machine promises that.
 */
export async function playProperty<Told>(
  property: IAsyncProperty<Told>,
  { short, full }: Rounds,
  hasMetAll: () => boolean = () => true,
): Promise<void> {
  const playRound = (round: number) => assert(property, { numRuns: short, seed: seed + round, endOnFailure })
  const rounds = Math.ceil(full / short)
  let played = 0
  await playRounds({ short: 1, full: rounds }, async (round) => {
    await playRound(round)
    played += 1
  })
  while (!hasMetAll() && played < rounds) await playRound(played++)
}

/** To shrink a counterexample takes minutes: SEED=… in the full form does that. */
const endOnFailure = form !== 'full'

/** The parameters of a fast-check property without database: the same forms, the same seed. */
export function propertyRuns({ short, full }: Rounds) {
  const startedAt = performance.now()
  const tell = ({ numRuns, failed }: { numRuns: number; failed: boolean }) => {
    if (failed || form !== 'short') report(`${numRuns} of ${full} rounds`, startedAt)
  }
  const isShort = form === 'short' || (form === 'timed' && Date.now() >= endMs)
  const box = form === 'timed' && !isShort ? { interruptAfterTimeLimit: boxMs, markInterruptAsFailure: false } : {}
  return { numRuns: isShort ? short : full, seed, plugins: [() => ({ onAllRunsComplete: tell })], endOnFailure, ...box }
}

function report(played: string, startedAt: number): void {
  const test = TestRunner.getCurrentTest()
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0)
  if (test) test.meta.played = `${played} in ${seconds} s, seed ${seed}`
}
