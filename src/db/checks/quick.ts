import { highestId, lowestId } from '../../lib/ids.ts'
import type { Database } from '../database.ts'
import { anyRecent, recentEnd } from './posting-keys.ts'
import { findSettledId, idAt, takeMark } from './settled.ts'
import { firstSize, type Key, nextSize, runSlice, type SlicedCheck, withSliceLimits } from './slices.ts'
import type { Violation } from './violation.ts'

/** The result of a check of recent postings, as far as it came. */
export type QuickRun = { found: Violation[]; checkpoint: string; error?: unknown }

const settleTries = 40
const hourMs = 3_600_000
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
 * Checks all postings since the checkpoint, an hour of them at a time, and moves the checkpoint as far as no new posting
 * can appear below it.
 */
export async function checkRecent(
  database: Database,
  recent: Required<SlicedCheck>['recent'],
  { checkpoint, horizon, nowMs }: { checkpoint: string; horizon: string | undefined; nowMs: number },
): Promise<QuickRun> {
  const found: Violation[] = []
  const settled = (id: string) => (horizon === undefined ? checkpoint : id < horizon ? id : horizon)
  let after = checkpoint
  let size = firstSize
  for (;;) {
    const endMs = timeOf(after) + hourMs
    const upTo = endMs >= nowMs ? highestId : idAt(endMs)
    const window = sliceWindow(recent, { after, upTo })
    try {
      let position: Key | undefined
      do {
        const slice = await runSlice(database, window, position, size)
        found.push(...slice.found)
        position = slice.next as Key | undefined
        size = nextSize(slice)
      } while (position)
    } catch (error) {
      return { found, checkpoint: settled(after), error }
    }
    if (upTo === highestId) return { found, checkpoint: settled(highestId) }
    after = upTo
  }
}

/** Divides the postings of a window into slices, in the order of organizations and ids. */
function sliceWindow(recent: Required<SlicedCheck>['recent'], window: { after: string; upTo: string }): SlicedCheck {
  return {
    slice: async (queryable, after, size) => {
      const from = (after as Key | undefined) ?? { organizationId: lowestId, key: lowestId }
      const values = [window.after, window.upTo, from.organizationId, from.key, highestId, highestId, size - 1]
      const [last] = await queryable.query<Key>({ text: recentEnd, values })
      return { found: await recent(queryable, { ...window, from, to: last ?? lastKey }), next: last }
    },
  }
}

/** The time in a UUIDv7. */
function timeOf(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
}
