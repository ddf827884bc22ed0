import type { Tx } from '../database.ts'

/**
 * The stored horizon, the oldest open database transaction of this snapshot, the number of our own, and the server: after a
 * failover that lost transactions, their numbers are used again.
 */
export type HorizonRead = { position: string; oldestOpen: string; own: string; server: string }

/**
 * A position that is to become the horizon. `mark` is the number of a database transaction that began after its event was
 * read.
 */
type Candidate = { position: bigint; server: string; mark?: bigint }

/** The condition of an event that waits for its sequence. */
// Without the row of the horizon every event waits, and the batch tells that the row is missing.
export const isUnsequenced = 'sequence is null and position > coalesce((select position from svc.event_horizon), -1)'

/** The horizon moves in steps, because a reader with an old snapshot keeps each of its former values too. */
const step = 1_000n

/**
 * Moves the horizon: the position up to which every event is sequenced or was rolled back. A database transaction has its
 * number before it takes a position. So one that holds a position below an event that was read has a lower number than
 * any that begins afterwards: the mark. Once none with a number up to the mark is open, all their events are visible, and
 * a batch that sequences every visible event up to the position leaves none behind. A process that restarts begins with
 * the stored horizon and no candidate.
 */
export function createHorizon() {
  let candidate: Candidate | undefined
  return {
    /** Reads the horizon before the events: what is visible to this statement is visible to the next one. */
    read: async (tx: Tx): Promise<HorizonRead> => {
      const [read] = await tx.query<HorizonRead>({
        name: 'read event horizon',
        text: `select position, pg_snapshot_xmin(pg_current_snapshot())::text as "oldestOpen",
                      pg_current_xact_id()::text as own, pg_postmaster_start_time()::text as server
                 from svc.event_horizon`,
      })
      if (!read) throw new Error('svc.event_horizon has lost its row')
      return read
    },

    /** Moves the horizon in the database transaction that sequences all visible events up to `sequencedTo`. */
    advance: async (tx: Tx, read: HorizonRead, sequencedTo: bigint): Promise<void> => {
      const { server } = read
      const next = candidate
      if (next?.server !== server) candidate = { position: sequencedTo, server }
      else if (next.mark === undefined) next.mark = BigInt(read.own)
      else if (BigInt(read.oldestOpen) > next.mark && sequencedTo >= next.position) {
        candidate = { position: sequencedTo, server }
        if (next.position - BigInt(read.position) >= step) await writeHorizon(tx, next.position)
      }
    },
  }
}

export type Horizon = ReturnType<typeof createHorizon>

async function writeHorizon(tx: Tx, position: bigint): Promise<void> {
  await tx.query({
    name: 'write event horizon',
    text: 'update svc.event_horizon set position = $1 where position < $1',
    values: [position],
  })
}
