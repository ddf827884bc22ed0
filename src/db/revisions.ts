import type { Queryable, Statement, Tx } from './database.ts'

/** The data that processes cache and must drop when it changes. Each has a row in svc.revisions. */
export type RevisionName = 'credentials' | 'data keys' | 'rates' | 'watch list'

export type PollOptions = {
  everyMs?: number
  /** Drops the cache of this name. Also called once at the start. */
  onChange(name: RevisionName): void
  /** Called once each time the polls start to fail, with the last error if there was one. */
  onStale?(error: unknown): void
}

export type RevisionPoller = {
  /** Resolves after the first poll, successful or not. After a successful one the database's clock is known. */
  started: Promise<void>
  /** True when this process knows every change committed a second ago or earlier. Otherwise use no cache. */
  isFresh(): boolean
  /** Real time by the database's clock, in milliseconds; this process's own clock until the first answer. */
  databaseNow(): number
  stop(): Promise<void>
}

const freshForMs = 1_000

// The time-out ends a poll whose connection died silently; TCP alone would keep it waiting for minutes.
const readRevisions: Statement & { query_timeout: number } = {
  name: 'read revisions',
  text: `select name, revision, extract(epoch from clock_timestamp())::float8 * 1000 as now from svc.revisions`,
  query_timeout: 10_000,
}

/** Makes every process drop its cache within a second of the commit. Call it last: it locks the row until then. */
export async function bumpRevision(tx: Tx, name: RevisionName): Promise<void> {
  const bumped = await tx.query({
    name: 'bump revision',
    text: 'update svc.revisions set revision = revision + 1 where name = $1 returning revision',
    values: [name],
  })
  if (bumped.length === 0) throw new Error(`svc.revisions has lost its row "${name}"`)
}

/** Polls for changes of other processes. Failed polls make the poller stale; it never throws. */
export function pollRevisions(database: Queryable, { everyMs = 500, onChange, onStale }: PollOptions): RevisionPoller {
  const seen = new Map<RevisionName, string>()
  const begin = readInstant()
  let lastGoodStart: Instant | undefined
  let offsetMs = 0
  let polling: Promise<void> | undefined
  let failure: unknown
  let isStaleReported = false

  const isFresh = () => lastGoodStart !== undefined && ageMs(lastGoodStart) <= freshForMs

  const poll = async () => {
    const start = readInstant()
    const rows = await database.query<{ name: RevisionName; revision: string; now: number }>(readRevisions)
    offsetMs = (rows[0]?.now ?? steadyNow()) - (start.steady + steadyNow()) / 2
    for (const { name, revision } of rows) {
      if (seen.get(name) === revision) continue
      onChange(name)
      seen.set(name, revision) // last: when onChange throws, the next poll retries it
    }
    // The start counts, not the end: this poll may have missed a change that was committed in between.
    lastGoodStart = start
    failure = undefined
    isStaleReported = false
  }

  const tick = (): Promise<void> => {
    polling ??= poll()
      .catch((error: unknown) => {
        failure = error
      })
      .finally(() => {
        polling = undefined
      })
    return polling
  }

  const timer = setInterval(() => {
    if (ageMs(lastGoodStart ?? begin) > freshForMs && !isStaleReported) {
      isStaleReported = true
      try {
        onStale?.(failure)
      } catch {
        // A failing listener must not stop the polls.
      }
    }
    tick()
  }, everyMs)
  timer.unref()

  return {
    started: tick(),
    isFresh,
    databaseNow: () => steadyNow() + offsetMs,
    stop: async () => {
      clearInterval(timer)
      await polling
      lastGoodStart = undefined
    },
  }
}

type Instant = { steady: number; wall: number }

/** Milliseconds since 1970 by a monotonic clock: setting the machine's time does not move it. */
function steadyNow(): number {
  return performance.timeOrigin + performance.now()
}

function readInstant(): Instant {
  return { steady: steadyNow(), wall: Date.now() }
}

/** The steady clock stops while the machine sleeps, and the wall clock can be set back: the larger age counts. */
function ageMs(instant: Instant): number {
  return Math.max(steadyNow() - instant.steady, Date.now() - instant.wall)
}
