import type { Queryable, Statement, Tx } from './database.ts'

/** What processes keep in memory and must drop when it changes. Each has a row in svc.revisions. */
export type RevisionName = 'credentials' | 'data keys' | 'rates' | 'watch list'

export type WatchOptions = {
  everyMs?: number
  /** Forget what was remembered under this name. Also called once at the start, when nothing is known yet. */
  onChange(name: RevisionName): void
  /** Called once each time the watch loses touch, with the last failure if there was one. */
  onStale?(error: unknown): void
}

export type RevisionWatch = {
  /** Settles after the first question, answered or not: then the database's time is known, if it can be. */
  started: Promise<void>
  /** True when every change that was committed a second ago or earlier is known here: else use no memory. */
  isFresh(): boolean
  /** Real time by the database's clock, in milliseconds; this process's own clock until the first answer. */
  databaseNow(): number
  stop(): Promise<void>
}

const freshForMs = 1_000

// A connection that died without a word would keep its statement waiting for many minutes; this one gives up.
const readRevisions: Statement & { query_timeout: number } = {
  name: 'read revisions',
  text: `select name, revision, extract(epoch from clock_timestamp())::float8 * 1000 as now from svc.revisions`,
  query_timeout: 10_000,
}

/** Tells every process, within a second of the commit, to forget. Call it last: others wait for this row until then. */
export async function bumpRevision(tx: Tx, name: RevisionName): Promise<void> {
  const raised = await tx.query({
    name: 'raise revision',
    text: 'update svc.revisions set revision = revision + 1 where name = $1 returning revision',
    values: [name],
  })
  if (raised.length === 0) throw new Error(`svc.revisions has lost its row "${name}"`)
}

/** Asks again and again whether something was changed by another process. Failures make it stale, never throw. */
export function watchRevisions(database: Queryable, { everyMs = 500, onChange, onStale }: WatchOptions): RevisionWatch {
  const seen = new Map<RevisionName, string>()
  const begin = readInstant()
  let lastGoodStart: Instant | undefined
  let offsetMs = 0
  let polling: Promise<void> | undefined
  let failure: unknown
  let isToldStale = false

  const isFresh = () => lastGoodStart !== undefined && ageMs(lastGoodStart) <= freshForMs

  const poll = async () => {
    const start = readInstant()
    const rows = await database.query<{ name: RevisionName; revision: string; now: number }>(readRevisions)
    offsetMs = (rows[0]?.now ?? steadyNow()) - (start.steady + steadyNow()) / 2
    for (const { name, revision } of rows) {
      if (seen.get(name) === revision) continue
      onChange(name)
      seen.set(name, revision) // only now: what could not be forgotten is tried again
    }
    // From the start and not the end: a change committed in between may have been missed.
    lastGoodStart = start
    failure = undefined
    isToldStale = false
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
    if (ageMs(lastGoodStart ?? begin) > freshForMs && !isToldStale) {
      isToldStale = true
      try {
        onStale?.(failure)
      } catch {
        // Whoever listens must not be able to stop the watch.
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

/** Milliseconds since 1970 by a clock that nobody can set while we run. */
function steadyNow(): number {
  return performance.timeOrigin + performance.now()
}

function readInstant(): Instant {
  return { steady: steadyNow(), wall: Date.now() }
}

/** The steady clock stands still while a machine sleeps, the other one can be set back: the older answer counts. */
function ageMs(instant: Instant): number {
  return Math.max(steadyNow() - instant.steady, Date.now() - instant.wall)
}
