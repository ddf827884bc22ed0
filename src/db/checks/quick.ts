import { highestId } from '../../lib/ids.ts'
import type { Database } from '../database.ts'
import { findSettledId, idAt, takeMark } from './settled.ts'
import { isTooSlow, type SlicedCheck, withSliceLimits } from './slices.ts'
import type { Violation } from './violation.ts'

/** The result of a check of recent postings, as far as it came. */
export type QuickRun = { found: Violation[]; checkpoint: string; error?: unknown }

const settleTries = 40
const narrowestMs = 100

/** Finds the id up to which every posting has been committed; undefined while an old database transaction is open. */
export async function findHorizon(database: Database): Promise<string | undefined> {
  const mark = await database.inTx(takeMark)
  for (let tried = 0; tried < settleTries; tried += 1) {
    const horizon = await findSettledId(database, mark)
    if (horizon) return horizon
  }
  return undefined
}

/**
 * Checks all postings since the checkpoint, and moves the checkpoint as far as no new posting can appear below it. A
 * window of time that takes too long is divided.
 */
export async function checkRecent(
  database: Database,
  recent: Required<SlicedCheck>['recent'],
  { checkpoint, horizon, nowMs }: { checkpoint: string; horizon: string | undefined; nowMs: number },
): Promise<QuickRun> {
  const found: Violation[] = []
  const settled = (id: string) => (horizon === undefined ? checkpoint : id < horizon ? id : horizon)
  let after = checkpoint
  let widthMs = Number.POSITIVE_INFINITY
  for (;;) {
    const endMs = timeOf(after) + widthMs
    const upTo = endMs >= nowMs ? highestId : idAt(endMs)
    try {
      found.push(...(await withSliceLimits(database, (tx) => recent(tx, { after, upTo }))))
      if (upTo === highestId) return { found, checkpoint: settled(highestId) }
      after = upTo
      widthMs *= 2
    } catch (error) {
      widthMs = Math.floor(Math.min(widthMs, nowMs - timeOf(after)) / 4)
      if (!isTooSlow(error) || widthMs < narrowestMs) return { found, checkpoint: settled(after), error }
    }
  }
}

/** The time in a UUIDv7. */
function timeOf(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
}
