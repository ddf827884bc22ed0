import type { Queryable } from '../database.ts'
import { type Job, LeaseLost, type Worker } from '../work.ts'
import { startWatch, type WatchHooks } from './watch.ts'

export type WorkerOptions = {
  /** Where the conditions of jobs are evaluated. Without it each job polls by itself. */
  database?: Queryable
  /** A second connection, for a database of one: see `startWatch`. */
  other?: Queryable
  /**
   * The pause between two evaluations while there was work a moment ago, and between two looks for commits else: while
   * processes commit, and while none does.
   */
  watchMs?: { busy: number; alert: number; idle: number }
  /** Learns whether other processes commit. */
  hooks?: WatchHooks
  /** The pause of jobs that have none of their own, and of a job after a failure. */
  pollMs?: number
  onError(job: string, error: unknown): void
}

type Looper = { job: Job; wakeCalls: number; wakeUp(): void; isWaiting: boolean; restsUntilMs: number }

const busyForMs = 1_000
/** A job whose condition does not hold still looks this often. */
const longestPauseMs = 30_000

/**
 * Runs each job in a loop of its own: again at once while there is work. One statement tells which jobs have work, so
 * that idle jobs cost nothing. It states what is so, not what has changed, so no wake-up can be lost.
 */
export function startWorker(jobs: readonly Job[], options: WorkerOptions): Worker {
  const pollMs = options.pollMs ?? 1_000
  const state: State = { stopping: false, busyUntilMs: 0 }
  const loopers = jobs.map(
    (job): Looper => ({ job, wakeCalls: 0, wakeUp: () => {}, isWaiting: false, restsUntilMs: 0 }),
  )
  const isWatched = ({ due, hasArrivals }: Job) => options.database !== undefined && Boolean(due ?? hasArrivals)
  const runBatch = ({ name, runBatch: run }: Job): Promise<number | 'FAILED'> =>
    run().catch((error: unknown) => {
      if (!(error instanceof LeaseLost)) options.onError(name, error)
      return 'FAILED'
    })
  const loop = async (looper: Looper) => {
    const { job } = looper
    const next = loopers.filter((each) => each.job.name === job.wakes)
    let hadWork = false
    while (!state.stopping) {
      const wakeCallsBefore = looper.wakeCalls
      const done = await runBatch(job)
      if (done !== 'FAILED' && done > 0) {
        hadWork = true
        if (!job.isUpkeep) state.busyUntilMs = performance.now() + busyForMs
        wake(next)
        continue
      }
      const restMs = done === 'FAILED' ? pollMs : (job.pauseMs?.() ?? job.pollMs ?? pollMs)
      looper.isWaiting = isWatched(job) && done !== 'FAILED'
      // The condition may hold for work of another worker. After a batch with work, the next work may come at once.
      looper.restsUntilMs = performance.now() + (hadWork ? 0 : restMs)
      hadWork = false
      // A wake-up during the batch may be about a row that the batch did not see.
      if (looper.wakeCalls === wakeCallsBefore && !state.stopping)
        await pause(looper, looper.isWaiting ? longestPauseMs : restMs)
      looper.isWaiting = false
    }
    await job.release?.().catch((error: unknown) => options.onError(job.name, error))
  }
  for (const looper of loopers) looper.job.onStart?.(() => wake([looper]))
  const loops = loopers.map(loop)
  const watched = loopers.filter(({ job }) => isWatched(job))
  const watch = watchAll(watched, state, { ...options, pollMs })
  return {
    wake: () => {
      for (const looper of watched) looper.restsUntilMs = 0
      wake(loopers.filter(({ isWaiting }) => !isWaiting))
      // It wakes those of the waiting jobs that have work: one statement, not one for each job.
      watch?.call()
    },
    stop: async () => {
      state.stopping = true
      wake(loopers)
      await Promise.all([...loops, watch?.stop()])
    },
  }
}

type State = { stopping: boolean; busyUntilMs: number }

function wake(woken: readonly Looper[]): void {
  for (const looper of woken) {
    looper.wakeCalls += 1
    looper.wakeUp()
  }
}

function watchAll(
  watched: readonly Looper[],
  state: State,
  { database, other, watchMs, pollMs, hooks, onError }: WorkerOptions & { pollMs: number },
) {
  if (!database || watched.length === 0) return undefined
  const { busy, alert, idle } = watchMs ?? { busy: 50, alert: 200, idle: 200 }
  return startWatch(watched, {
    database,
    other: other ?? database,
    busyMs: busy,
    stepMs: idle,
    alertStepMs: alert,
    retryMs: pollMs,
    isBusy: () => performance.now() < state.busyUntilMs,
    wake,
    hooks,
    onError: (error) => onError('find due work', error),
  })
}

function pause(sleeper: { wakeUp(): void }, pauseMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, pauseMs)
    sleeper.wakeUp = () => {
      clearTimeout(timer)
      resolve()
    }
  })
}
