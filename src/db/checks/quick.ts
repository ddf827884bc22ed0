import { highestId, lowestId } from '../../lib/ids.ts'
import type { Database } from '../database.ts'
import { anyRecent, findEnd, readTouched, type Window } from './posting-keys.ts'
import { findSettledId, idAt, takeMark } from './settled.ts'
import {
  findAmong,
  isTooSlow,
  type Key,
  limitOf,
  type RowKeys,
  type SliceKeys,
  type SlicePart,
  smallestSize,
  withSliceLimits,
} from './slices.ts'
import type { Violation } from './violation.ts'

type RecentCheck = { recent: readonly SlicePart[] }

/**
 * A check of recent postings, as far as it came. It ends when it has checked all of them, when it fails, or when a slice
 * takes too long: it then begins again at `after`, after the others, with smaller slices for the hour that was slow.
 */
export type QuickRun<Of extends RecentCheck = RecentCheck> = {
  check: Of
  found: Violation[]
  durationMs: number
  checkpoint: string
  after: string
  /** The size of the slices of the last hour. */
  size: number
  end?: 'DONE' | 'FAILED' | 'TOO_SLOW'
  error?: unknown
}

export type RecentScope<Of> = {
  /** The id after which postings are checked. */
  after: string
  /** The id up to which they are known to be complete. */
  checkpoint: string
  /** The id below which no posting can appear any more; undefined while that is unknown. */
  horizon: string | undefined
  nowMs: number
  /** The size of a slice in the first hour; later hours begin with the usual one. */
  size: number
  /** Receives the violations of a slice as soon as they are found. */
  onFound(check: Of, found: Violation[]): Promise<void>
}

const settleTries = 40
const hourMs = 3_600_000
/** About a tenth of a second for one check. The keys of a slice go to PostgreSQL as one text, so more would be large. */
export const quickSize = 5_000
const firstKey: Key = { organizationId: lowestId, key: lowestId }
const lastKey: Key = { organizationId: highestId, key: highestId }

/** Finds the id up to which every posting has been committed; undefined while an old database transaction is open. */
export async function findHorizon(database: Database): Promise<string | undefined> {
  const mark = await database.inTx(takeMark)
  for (let tried = 0; tried < settleTries; tried += 1) {
    const horizon = await findSettledId(database, mark)
    if (horizon) return horizon
  }
  return undefined
}

/** True when a posting is above the id: what no posting has touched needs no check. */
export function hasPostingsAbove(database: Database, postingId: string): Promise<boolean> {
  return withSliceLimits(database, async (tx) => {
    const [found] = await tx.query<{ isAny: boolean }>({ text: anyRecent, values: [postingId] })
    return found?.isAny ?? true
  })
}

/**
 * Checks all postings since an id, an hour of them at a time, and moves the checkpoint as far as no new posting can appear
 * below it. Yields the runs after each hour, with what they found in it.
 */
export async function* checkRecent<Of extends RecentCheck>(
  database: Database,
  checks: readonly Of[],
  scope: RecentScope<Of>,
): AsyncGenerator<QuickRun<Of>[]> {
  const { horizon, nowMs, checkpoint } = scope
  const settled = (id: string) => (horizon === undefined ? checkpoint : id < horizon ? id : horizon)
  let { after, size } = scope
  let running = checks.map((check): QuickRun<Of> => ({ check, found: [], durationMs: 0, after, checkpoint, size }))
  while (running.length > 0) {
    const endMs = timeOf(after) + hourMs
    const upTo = endMs >= nowMs ? highestId : idAt(endMs)
    for (const run of running) {
      run.found = []
      run.size = size
    }
    await checkWindow(database, running, { after, upTo, from: firstKey, to: lastKey }, { ...scope, size })
    for (const run of running) {
      run.after = run.end ? after : upTo
      run.checkpoint = settled(run.after)
      if (upTo === highestId) run.end ??= 'DONE'
    }
    yield running
    running = running.filter(({ end }) => end === undefined)
    after = upTo
    size = quickSize
  }
}

/** Checks the postings of a window, slice by slice. What the postings of a slice touched is read once for all checks. */
async function checkWindow<Of extends RecentCheck>(
  database: Database,
  runs: readonly QuickRun<Of>[],
  window: Window,
  scope: RecentScope<Of>,
): Promise<void> {
  const { size } = scope
  let from: Key | undefined = window.from
  while (from) {
    const running = runs.filter(({ end }) => end === undefined)
    if (running.length === 0) return
    const rest: Window = { ...window, from }
    try {
      from = await withSliceLimits(database, (tx) => findEnd(tx, rest, size), limitOf(size))
    } catch (error) {
      for (const run of running) endRun(run, error, size)
      return
    }
    await checkSlice(database, running, { ...rest, to: from ?? window.to }, scope)
  }
}

/** Runs the checks of one slice, each on its own: one that fails hides no other. */
async function checkSlice<Of extends RecentCheck>(
  database: Database,
  runs: readonly QuickRun<Of>[],
  slice: Window,
  { size, onFound }: RecentScope<Of>,
): Promise<void> {
  const touched = new Map<SliceKeys, RowKeys>()
  const findIn = (part: SlicePart) =>
    withSliceLimits(
      database,
      async (tx) => {
        const rows = touched.get(part.keys) ?? (await readTouched(tx, part.keys, slice))
        touched.set(part.keys, rows)
        return rows.count > 0 ? findAmong(tx, part, rows) : []
      },
      limitOf(size),
    )
  for (const run of runs) {
    const started = performance.now()
    try {
      for (const part of run.check.recent) {
        const found = await findIn(part)
        run.found.push(...found)
        if (found.length > 0) await onFound(run.check, found)
      }
    } catch (error) {
      endRun(run, error, size)
    }
    run.durationMs += performance.now() - started
  }
}

function endRun(run: QuickRun, error: unknown, size: number): void {
  run.end = isTooSlow(error) && size > smallestSize ? 'TOO_SLOW' : 'FAILED'
  run.error = error
}

/** The time in a UUIDv7. */
function timeOf(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
}
