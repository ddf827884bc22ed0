import type { Queryable, Statement, Tx } from './database.ts'

/** The data that processes cache and must drop when it changes. Each has a row in svc.revisions. */
export type RevisionName = 'credentials' | 'data keys' | 'rates' | 'watch list'

export type PollOptions = {
  everyMs?: number
  /** The time for which a cached read keeps the polls from resting. */
  neededForMs?: number
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
  /** Tells that no process has committed for a while: until the next call, polls are needed only by cached reads. */
  rest(): void
  /** Tells that a process may have committed, which ends the rest. */
  look(): void
  stop(): Promise<void>
}

const freshForMs = 1_000
/** A rest ends by itself when the calls that prolong it stay away; they come about once a second. */
const restForMs = 1_500
/** Even a resting poller compares its clock with the database's this often. */
const longestRestMs = 10_000

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
export function pollRevisions(database: Queryable, options: PollOptions): RevisionPoller {
  const { everyMs = 500, neededForMs = 5_000, onChange, onStale } = options
  const seen = new Map<RevisionName, string>()
  const begin = readInstant()
  let lastGoodStart: Instant | undefined
  let offsetMs = 0
  let polling: Promise<void> | undefined
  let failure: unknown
  const staleness = createStaleReport(onStale)
  const rest = createRest(begin, neededForMs)
  const isResting = () => rest.isOn(lastGoodStart)

  const poll = async () => {
    const start = readInstant()
    const rows = await database.query<Revision>(readRevisions)
    offsetMs = (rows[0]?.now ?? steadyNow()) - (start.steady + steadyNow()) / 2
    tellChanges(rows, seen, onChange)
    // The start counts, not the end: this poll may have missed a change that was committed in between.
    lastGoodStart = start
    failure = undefined
    staleness.end()
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

  /** Notes something that ends the rest, and polls if there was one. */
  const endRest = (note: () => void) => {
    const wasResting = isResting()
    note()
    if (wasResting) void tick()
  }

  let tickedAt = begin
  const timer = setInterval(() => {
    // A process that was busy with itself, such as with its start, has only missed its own polls.
    const isLate = ageMs(tickedAt) > 2 * everyMs
    tickedAt = readInstant()
    if (isResting()) return
    // After a rest the next poll comes first.
    const isExcused = isLate || rest.hasBeen(restForMs + freshForMs)
    if (!isExcused && ageMs(lastGoodStart ?? begin) > freshForMs) staleness.report(failure)
    tick()
  }, everyMs)
  timer.unref()

  return {
    started: tick(),
    isFresh: () => {
      endRest(rest.noteNeed)
      return lastGoodStart !== undefined && ageMs(lastGoodStart) <= freshForMs
    },
    databaseNow: () => steadyNow() + offsetMs,
    rest: rest.noteQuiet,
    look: () => endRest(rest.noteCommit),
    stop: async () => {
      clearInterval(timer)
      await polling
      lastGoodStart = undefined
    },
  }
}

type Revision = { name: RevisionName; revision: string; now: number }

function tellChanges(rows: Revision[], seen: Map<RevisionName, string>, onChange: PollOptions['onChange']): void {
  for (const { name, revision } of rows) {
    if (seen.get(name) === revision) continue
    onChange(name)
    seen.set(name, revision) // last: when onChange throws, the next poll retries it
  }
}

/** Reports once that the polls fail, until one succeeds. */
function createStaleReport(onStale: PollOptions['onStale']) {
  let isReported = false
  return {
    end: (): void => {
      isReported = false
    },
    report: (failure: unknown): void => {
      if (isReported) return
      isReported = true
      try {
        onStale?.(failure)
      } catch {
        // A failing listener must not stop the polls.
      }
    },
  }
}

/** Knows whether the polls may rest: no process has committed, and no cached read needs them. */
function createRest(begin: Instant, neededForMs: number) {
  let quietAt: Instant | undefined
  let committedAt = begin
  let neededAt = begin
  const hasBeen = (withinMs: number) => quietAt !== undefined && ageMs(quietAt) <= withinMs
  return {
    hasBeen,
    /** Only after a good poll that began after the last commit: one that began before may have missed it. */
    isOn: (lastGoodStart: Instant | undefined): boolean =>
      hasBeen(restForMs) &&
      ageMs(neededAt) > neededForMs &&
      lastGoodStart !== undefined &&
      lastGoodStart.steady >= committedAt.steady &&
      ageMs(lastGoodStart) < longestRestMs,
    noteQuiet: (): void => {
      quietAt = readInstant()
    },
    noteCommit: (): void => {
      committedAt = readInstant()
    },
    noteNeed: (): void => {
      neededAt = readInstant()
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
