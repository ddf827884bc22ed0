import type { Queryable } from '../database.ts'
import type { Job } from '../work.ts'
import { createCommitWait } from './commit-wait.ts'
import { createDueReader } from './due.ts'

/** A job with a condition. It may run when it waits and has rested. */
export type Watched = { job: Job; isWaiting: boolean; restsUntilMs: number }

/** Told after each look: whether any process has committed since the look before. */
export type WatchHooks = { onQuiet(): void; onCommit(): void }

export type WatchOptions<Each extends Watched> = {
  database: Queryable
  /** A second connection, which ends a wait of the first. */
  other: Queryable
  /** The pause between two evaluations while there is work. */
  busyMs: number
  /** The pause between two looks for commits while there is none. */
  stepMs: number
  /** The same while processes commit: the next work is near. */
  alertStepMs: number
  /** The pause after a failure. */
  retryMs: number
  isBusy(): boolean
  wake(due: readonly Each[]): void
  hooks?: WatchHooks | undefined
  onError(error: unknown): void
}

/** The longest pause between two evaluations, and between two looks outside the database. */
const longestIdleMs = 1_000
/** The same once nothing but upkeep was done for a while. */
const quiet = { afterMs: 10_000, longestIdleMs: 2_000 }
/** The longest wait for a commit in one statement. */
const longestWaitMs = 1_000
const alertForMs = 1_000

/**
 * Wakes the jobs that have work. While there is none, it waits in PostgreSQL for a commit of any process, and evaluates
 * the conditions every second or two: some work becomes due by time alone. When the database does not tell, each job
 * looks by itself, and reports its failure.
 */
export function startWatch<Each extends Watched>(
  watched: readonly Each[],
  options: WatchOptions<Each>,
): { call(): void; stop(): Promise<void> } {
  const { busyMs, stepMs, alertStepMs, retryMs, isBusy, wake, hooks, onError } = options
  const sleeper = { isStopping: false, isCalled: false, wakeUp: () => {} }
  const finder = createFinder(options, watched)
  const commits = createCommitWait(options.database, options.other)
  const pause = (ms: number) => sleep(sleeper, ms)
  let waiting: Promise<void> | undefined
  // A wait that a call has interrupted may find a commit later.
  let hasNews = false
  let newsAtMs = Number.NEGATIVE_INFINITY
  const waitForCommit = async () => {
    const step = performance.now() - newsAtMs < alertForMs ? alertStepMs : stepMs
    const hasChanged = await commits.wait(step, stepsIn(finder.untilTimeMs(), step))
    hasNews ||= hasChanged
    if (!hasChanged) return hooks?.onQuiet()
    newsAtMs = performance.now()
    hooks?.onCommit()
  }
  const awaitCommit = async () => {
    if (hasNews) return
    waiting ??= waitForCommit().finally(() => {
      waiting = undefined
    })
    const woken = new Promise<void>((resolve) => {
      sleeper.wakeUp = resolve
    })
    await Promise.race([waiting, woken])
  }
  const run = async () => {
    let next: 'AWAIT' | 'SOON' | 'RETRY' = 'AWAIT'
    while (!sleeper.isStopping) {
      try {
        const isSoon = next === 'SOON' || isBusy()
        if (isSoon) hooks?.onCommit()
        if (!sleeper.isCalled) await (next === 'RETRY' ? pause(retryMs) : isSoon ? pause(busyMs) : awaitCommit())
        if (sleeper.isStopping) return
        const { isCalled } = sleeper
        if (next === 'AWAIT' && !isSoon && !isCalled && !hasNews && !finder.isTime()) continue
        sleeper.isCalled = false
        hasNews = false
        const due = await finder.find(isSoon || isCalled, waiting !== undefined)
        // Their work is about to make more.
        next = due.length > 0 ? 'SOON' : 'AWAIT'
        wake(due.filter(({ isWaiting }) => isWaiting))
      } catch (error) {
        if (sleeper.isStopping) return
        next = 'RETRY'
        onError(error)
        wake(watched.filter(({ isWaiting }) => isWaiting))
      }
    }
  }
  void run()
  return {
    /** Evaluates the conditions now. */
    call: () => {
      sleeper.isCalled = true
      sleeper.wakeUp()
    },
    // A wait in progress ends by itself, and does nothing more.
    stop: async () => {
      sleeper.isStopping = true
      sleeper.wakeUp()
      await commits.end()
    },
  }
}

/** The steps of one wait for a commit. */
function stepsIn(untilTimeMs: number, stepMs: number): number {
  return Math.max(1, Math.round(Math.min(untilTimeMs, longestWaitMs) / stepMs))
}

function sleep(sleeper: { wakeUp(): void }, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    sleeper.wakeUp = () => {
      clearTimeout(timer)
      resolve()
    }
  })
}

/** Finds the waiting jobs that have work. */
function createFinder<Each extends Watched>(
  { database, other, isBusy: hasWork }: Pick<WatchOptions<Each>, 'database' | 'other' | 'isBusy'>,
  watched: readonly Each[],
) {
  const withDue = watched.flatMap((each) => (each.job.due ? [{ each, due: each.job.due }] : []))
  // Jobs side by side have the same condition.
  const conditions = [...new Set(withDue.map(({ due }) => due))]
  const [readDue, readThroughOther] = [createDueReader(database, conditions), createDueReader(other, conditions)]
  let lookedAtMs = 0
  let workedAtMs = performance.now()
  const untilTimeMs = () => {
    const now = performance.now()
    if (hasWork()) workedAtMs = now
    return lookedAtMs + (now - workedAtMs > quiet.afterMs ? quiet.longestIdleMs : longestIdleMs) - now
  }
  // A wait ends a little early or late.
  const isTimeNow = () => untilTimeMs() < longestIdleMs / 10
  return {
    /** The time until conditions may hold although no process has committed. */
    untilTimeMs,
    isTime: isTimeNow,

    /** While the connection waits for a commit, the statement takes the other one. */
    find: async (isBusy: boolean, isConnectionWaiting: boolean): Promise<Each[]> => {
      const now = performance.now()
      const isTime = isBusy || isTimeNow()
      const isReady = ({ isWaiting, restsUntilMs }: Each) => isWaiting && restsUntilMs <= now
      const withArrivals = watched.filter((each) => isTime && each.job.hasArrivals && isReady(each))
      const [held, arrivals] = await Promise.all([
        isConnectionWaiting ? readThroughOther() : readDue(),
        Promise.all(withArrivals.map(({ job }) => job.hasArrivals?.())),
      ])
      if (isTime) lookedAtMs = now
      const holding = new Set(conditions.filter((_, at) => held[at]))
      return [
        ...withDue.filter(({ each, due }) => holding.has(due) && isReady(each)).map(({ each }) => each),
        ...withArrivals.filter((_, at) => arrivals[at]),
      ]
    },
  }
}
