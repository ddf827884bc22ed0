import { isRolledBack } from '../database.ts'
import { advanceClaimed, type DueWork } from '../work.ts'

/** Due rows of which many can be advanced in one database transaction. */
type DueSet<Row> = DueWork<Row> & {
  /** Advances those that need no decision, all or nothing, and answers the others. */
  advanceTogether(rows: readonly Row[]): Promise<readonly Row[]>
  /** Reports a set that was rolled back, before its rows are advanced alone. */
  onSetFailure(error: unknown): void
  leaseMs: number
  /** Kept between the batches of a process. */
  memory: SetMemory
}

/** `isDoubted`: the outcome of the last set is unknown, or it left rows behind, so the next batch goes row by row. */
type SetMemory = { isDoubted: boolean }

/**
 * Claims due rows, advances those together that can be, and the others one by one; answers how many there were. When the
 * set fails, PostgreSQL has rolled it back, so each row is advanced alone: one that fails blocks no other. While the
 * database is unavailable the outcome of the set is unknown: what it has not done is due again later, row by row, so that
 * rows come through although every reply to a set is lost. Rows that are left when the lease ends stay due for any worker.
 */
export async function advanceDueTogether<Row>(work: DueSet<Row>): Promise<number> {
  const leaseEndsMs = performance.now() + work.leaseMs
  const claimed = await work.claim()
  if (claimed.length > 0) work.onClaimed?.()
  const isSet = claimed.length > 1 && !work.memory.isDoubted
  if (claimed.length > 0) work.memory.isDoubted = false
  const left = isSet ? await tryTogether(work, claimed) : claimed
  for (const _ of claimed.slice(left.length)) work.onAdvanced?.()
  for (const row of left) {
    if (performance.now() < leaseEndsMs) await advanceClaimed(work, row)
    else {
      // The set has used up the lease, and might do so each time.
      work.memory.isDoubted = true
      work.onAdvanced?.()
    }
  }
  return claimed.length
}

async function tryTogether<Row>(work: DueSet<Row>, claimed: readonly Row[]): Promise<readonly Row[]> {
  try {
    return await work.advanceTogether(claimed)
  } catch (error) {
    const isKnown = isRolledBack(error)
    work.memory.isDoubted = !isKnown
    if (isKnown) work.onSetFailure(error)
    else work.onFailure(error)
    if (isKnown) return claimed
    for (const row of claimed) await work.postpone(row)
    return []
  }
}
